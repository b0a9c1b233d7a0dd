/** Hub links, which log in once, and hub visits. Only hashes are stored. A visit ends with its key or at its own end. */

export const VISITS = `
CREATE TABLE tidemark.hub_link (
  team_id uuid NOT NULL,
  id text COLLATE "C" NOT NULL,
  member_id uuid NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  until timestamptz NOT NULL,
  PRIMARY KEY (team_id, id)
);
CREATE INDEX hub_link_id ON tidemark.hub_link (id);
CREATE TABLE tidemark.hub_visit (
  team_id uuid NOT NULL,
  id text COLLATE "C" NOT NULL,
  member_id uuid NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  -- Hash of the key that the page sends with the cookie. It can be replaced until it is used.
  page_hash bytea CHECK (octet_length(page_hash) = 32),
  page_used boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  until timestamptz NOT NULL,
  PRIMARY KEY (team_id, id)
);
CREATE INDEX hub_visit_id ON tidemark.hub_visit (id);
ALTER TABLE tidemark.hub_link ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE tidemark.hub_visit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON tidemark.hub_link TO tidemark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tidemark.hub_visit TO tidemark_app;
-- Members see only their own. An owner ends a visit by revoking its key.
CREATE POLICY own ON tidemark.hub_link TO tidemark_app
  USING (team_id = tidemark.team() AND member_id = tidemark.member() AND (SELECT tidemark.my_role()) IS NOT NULL);
CREATE POLICY own ON tidemark.hub_visit TO tidemark_app
  USING (team_id = tidemark.team() AND member_id = tidemark.member() AND (SELECT tidemark.my_role()) IS NOT NULL);

-- Lookups by id before the caller is known.
GRANT SELECT ON tidemark.hub_link, tidemark.hub_visit TO tidemark_lookup;
CREATE POLICY lookup ON tidemark.hub_link FOR SELECT TO tidemark_lookup USING (true);
CREATE POLICY lookup ON tidemark.hub_visit FOR SELECT TO tidemark_lookup USING (true);
CREATE FUNCTION tidemark.hub_link_by_id(wanted text)
  RETURNS TABLE (secret_hash bytea, until timestamptz, key_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT l.hash, l.until, l.key_id FROM tidemark.hub_link l WHERE l.id = wanted $$;
CREATE FUNCTION tidemark.hub_visit_by_id(wanted text)
  RETURNS TABLE (secret_hash bytea, until timestamptz, key_id text, page_hash bytea, page_used boolean,
    created_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT v.hash, v.until, v.key_id, v.page_hash, v.page_used, v.created_at
  FROM tidemark.hub_visit v WHERE v.id = wanted $$;
REVOKE ALL ON FUNCTION tidemark.hub_link_by_id(text), tidemark.hub_visit_by_id(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tidemark.hub_link_by_id(text), tidemark.hub_visit_by_id(text) TO tidemark_app;
GRANT CREATE ON SCHEMA tidemark TO tidemark_lookup;
ALTER FUNCTION tidemark.hub_link_by_id(text) OWNER TO tidemark_lookup;
ALTER FUNCTION tidemark.hub_visit_by_id(text) OWNER TO tidemark_lookup;
REVOKE CREATE ON SCHEMA tidemark FROM tidemark_lookup;
`;
