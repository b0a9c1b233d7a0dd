/**
 * Teams, members, keys, projects, shares and the audit log, with the policies that bind each row to its team and each
 * project to its shares. Every primary key begins with the team, so that a distributed PostgreSQL can place rows by it.
 */

/** Policies are only for `tidemark_app`: every other role sees nothing, even the owner of the tables. */
export const ACCESS = `
CREATE SCHEMA IF NOT EXISTS tidemark;
GRANT USAGE ON SCHEMA tidemark TO tidemark_app, tidemark_lookup;
CREATE TABLE tidemark.migration (
  number integer PRIMARY KEY,
  name text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON tidemark.migration TO tidemark_app;

-- The caller. If nothing is set, every policy is false.
CREATE FUNCTION tidemark.team() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('tidemark.team', true), '')::uuid $$;
CREATE FUNCTION tidemark.member() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('tidemark.member', true), '')::uuid $$;

CREATE TABLE tidemark.team (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- One row per team. Changes are numbered under its lock, so that no reader misses a number that is filled later.
CREATE TABLE tidemark.team_counter (
  team_id uuid PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  memories bigint NOT NULL DEFAULT 0
);
CREATE TABLE tidemark.member (
  team_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'member', 'reader')),
  created_at timestamptz NOT NULL DEFAULT now(),
  removed_at timestamptz,
  PRIMARY KEY (team_id, id)
);
CREATE TABLE tidemark.api_key (
  team_id uuid NOT NULL,
  id text COLLATE "C" NOT NULL,
  member_id uuid NOT NULL,
  name text NOT NULL DEFAULT '',
  -- The first characters, for people to recognise it. The key itself is not stored.
  prefix text NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  scopes text[] NOT NULL CHECK (scopes <@ ARRAY['read', 'write', 'admin']),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  PRIMARY KEY (team_id, id)
);
CREATE INDEX api_key_id ON tidemark.api_key (id);
CREATE TABLE tidemark.project (
  team_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, id)
);
-- Keys identify a project across folders; each belongs to one project.
CREATE TABLE tidemark.project_key (
  team_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL,
  project_id uuid NOT NULL,
  PRIMARY KEY (team_id, key)
);
CREATE INDEX project_key_project ON tidemark.project_key (team_id, project_id);
-- A member_id of NULL means everyone in the team.
CREATE TABLE tidemark.share (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  member_id uuid,
  access text NOT NULL CHECK (access IN ('read', 'write')),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE NULLS NOT DISTINCT (team_id, project_id, member_id)
);
CREATE TABLE tidemark.audit (
  team_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  member_id uuid,
  key_id text,
  action text NOT NULL,
  object text NOT NULL DEFAULT '',
  detail jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (team_id, id)
);

-- NULL for removed members and for others.
CREATE FUNCTION tidemark.my_role() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT role FROM tidemark.member
  WHERE team_id = tidemark.team() AND id = tidemark.member() AND removed_at IS NULL $$;
-- True for an owner, and while the team has no member yet.
CREATE FUNCTION tidemark.may_administer() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(tidemark.my_role() = 'owner', false)
      OR NOT EXISTS (SELECT FROM tidemark.member WHERE team_id = tidemark.team()) $$;
CREATE FUNCTION tidemark.readable() RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(DISTINCT project_id), '{}') FROM tidemark.share
  WHERE team_id = tidemark.team() AND (member_id = tidemark.member() OR member_id IS NULL)
    AND tidemark.my_role() IS NOT NULL $$;
CREATE FUNCTION tidemark.writable() RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(DISTINCT project_id), '{}') FROM tidemark.share
  WHERE team_id = tidemark.team() AND (member_id = tidemark.member() OR member_id IS NULL)
    AND access = 'write' AND tidemark.my_role() IN ('owner', 'member') $$;
-- The creator of a project and owners decide about its shares.
CREATE FUNCTION tidemark.may_share(of_project uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(tidemark.my_role() = 'owner', false) OR (
    coalesce(tidemark.my_role() = 'member', false) AND EXISTS (
      SELECT FROM tidemark.project
      WHERE team_id = tidemark.team() AND id = of_project AND created_by = tidemark.member())) $$;

DO $$
DECLARE named text;
BEGIN
  FOREACH named IN ARRAY ARRAY['team', 'team_counter', 'member', 'api_key', 'project', 'project_key', 'share', 'audit'] LOOP
    EXECUTE format('ALTER TABLE tidemark.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', named);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE ON tidemark.team, tidemark.team_counter, tidemark.member, tidemark.api_key TO tidemark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON tidemark.project, tidemark.project_key, tidemark.share TO tidemark_app;
GRANT SELECT, INSERT ON tidemark.audit TO tidemark_app;

CREATE POLICY read ON tidemark.team FOR SELECT TO tidemark_app USING (id = tidemark.team());
CREATE POLICY make ON tidemark.team FOR INSERT TO tidemark_app
  WITH CHECK (id = tidemark.team() AND tidemark.may_administer());
CREATE POLICY change ON tidemark.team FOR UPDATE TO tidemark_app
  USING (id = tidemark.team() AND tidemark.may_administer());

CREATE POLICY own ON tidemark.team_counter TO tidemark_app USING (team_id = tidemark.team());

CREATE POLICY read ON tidemark.member FOR SELECT TO tidemark_app USING (team_id = tidemark.team());
CREATE POLICY make ON tidemark.member FOR INSERT TO tidemark_app
  WITH CHECK (team_id = tidemark.team() AND tidemark.may_administer());
CREATE POLICY change ON tidemark.member FOR UPDATE TO tidemark_app
  USING (team_id = tidemark.team() AND tidemark.may_administer());

-- A member's own keys; all keys for an owner.
CREATE POLICY own ON tidemark.api_key TO tidemark_app
  USING (team_id = tidemark.team() AND (member_id = tidemark.member() OR tidemark.may_administer()));

CREATE POLICY read ON tidemark.project FOR SELECT TO tidemark_app
  USING (team_id = tidemark.team() AND (SELECT tidemark.my_role()) IS NOT NULL
    AND (created_by = tidemark.member() OR id = ANY ((SELECT tidemark.readable())::uuid[])
      OR (SELECT tidemark.my_role()) = 'owner'));
CREATE POLICY make ON tidemark.project FOR INSERT TO tidemark_app
  WITH CHECK (team_id = tidemark.team() AND created_by = tidemark.member()
    AND tidemark.my_role() IN ('owner', 'member'));
CREATE POLICY change ON tidemark.project FOR UPDATE TO tidemark_app
  USING (team_id = tidemark.team() AND tidemark.may_share(id));
CREATE POLICY remove ON tidemark.project FOR DELETE TO tidemark_app
  USING (team_id = tidemark.team() AND tidemark.may_share(id));

-- Every member can see that a key is taken, so that no second project gets it.
CREATE POLICY read ON tidemark.project_key FOR SELECT TO tidemark_app USING (team_id = tidemark.team());
CREATE POLICY make ON tidemark.project_key FOR INSERT TO tidemark_app
  WITH CHECK (team_id = tidemark.team()
    AND (tidemark.may_share(project_id) OR project_id = ANY (tidemark.writable())));
CREATE POLICY remove ON tidemark.project_key FOR DELETE TO tidemark_app
  USING (team_id = tidemark.team() AND tidemark.may_share(project_id));

CREATE POLICY read ON tidemark.share FOR SELECT TO tidemark_app USING (team_id = tidemark.team());
CREATE POLICY make ON tidemark.share FOR INSERT TO tidemark_app
  WITH CHECK (team_id = tidemark.team() AND tidemark.may_share(project_id));
CREATE POLICY change ON tidemark.share FOR UPDATE TO tidemark_app
  USING (team_id = tidemark.team() AND tidemark.may_share(project_id));
CREATE POLICY remove ON tidemark.share FOR DELETE TO tidemark_app
  USING (team_id = tidemark.team() AND tidemark.may_share(project_id));

CREATE POLICY write ON tidemark.audit FOR INSERT TO tidemark_app WITH CHECK (team_id = tidemark.team());
CREATE POLICY read ON tidemark.audit FOR SELECT TO tidemark_app
  USING (team_id = tidemark.team() AND (SELECT tidemark.my_role()) = 'owner');

-- Lookups before the caller is known: a key by its id, and the ids of the teams. Nothing else.
GRANT SELECT ON tidemark.team, tidemark.member, tidemark.api_key, tidemark.share TO tidemark_lookup;
CREATE POLICY lookup ON tidemark.team FOR SELECT TO tidemark_lookup USING (true);
CREATE POLICY lookup ON tidemark.member FOR SELECT TO tidemark_lookup USING (true);
CREATE POLICY lookup ON tidemark.api_key FOR SELECT TO tidemark_lookup USING (true);
CREATE POLICY lookup ON tidemark.share FOR SELECT TO tidemark_lookup USING (true);
CREATE FUNCTION tidemark.key_by_id(wanted text)
  RETURNS TABLE (team_id uuid, team_name text, member_id uuid, member_name text, role text,
    id text, hash bytea, scopes text[], expires_at timestamptz, last_used_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT k.team_id, t.name, m.id, m.name, m.role, k.id, k.hash, k.scopes, k.expires_at, k.last_used_at
  FROM tidemark.api_key k
  JOIN tidemark.member m ON m.team_id = k.team_id AND m.id = k.member_id
  JOIN tidemark.team t ON t.id = k.team_id
  WHERE k.id = wanted AND k.revoked_at IS NULL AND m.removed_at IS NULL $$;
CREATE FUNCTION tidemark.team_ids() RETURNS SETOF uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT id FROM tidemark.team ORDER BY id $$;
REVOKE ALL ON FUNCTION tidemark.key_by_id(text), tidemark.team_ids() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tidemark.key_by_id(text), tidemark.team_ids() TO tidemark_app;
GRANT CREATE ON SCHEMA tidemark TO tidemark_lookup;
ALTER FUNCTION tidemark.key_by_id(text) OWNER TO tidemark_lookup;
ALTER FUNCTION tidemark.team_ids() OWNER TO tidemark_lookup;
REVOKE CREATE ON SCHEMA tidemark FROM tidemark_lookup;
`;
