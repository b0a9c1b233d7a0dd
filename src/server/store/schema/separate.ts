/**
 * Change numbers, counts and word counts of each project, so that neither a score nor a number of a shared project depends
 * on a private one. Keys and the audit log are written only by functions that check the caller. Grants are in privileges.ts.
 */
import { DEFINER } from './_functions.ts';
import { projectPolicies } from './project-policies.ts';

/** The owner of the tables is bound by the policies too, except while this migration reads them. */
const READ = ['project', 'memory', 'change'];

export const SEPARATE = `
CREATE TABLE tidemark.project_counter (
  team_id uuid NOT NULL,
  project_id uuid NOT NULL,
  -- The number of the last change. Changes are numbered under the lock of this row, so that no reader misses a number.
  seq bigint NOT NULL DEFAULT 0,
  memories bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, project_id)
);
-- The number of memories of a project that contain a token.
CREATE TABLE tidemark.project_term (
  team_id uuid NOT NULL,
  term text COLLATE "C" NOT NULL,
  project_id uuid NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (team_id, term, project_id)
) WITH (fillfactor = 70);
CREATE INDEX project_term_project ON tidemark.project_term (team_id, project_id);
${READ.map((table) => `ALTER TABLE tidemark.${table} NO FORCE ROW LEVEL SECURITY;`).join('\n')}
-- A number that a client has seen stays valid, because each project continues after its own last one.
INSERT INTO tidemark.project_counter (team_id, project_id, seq, memories)
  SELECT p.team_id, p.id,
    (SELECT coalesce(max(c.seq), 0) FROM tidemark.change c WHERE c.team_id = p.team_id AND c.project_id = p.id),
    (SELECT count(*) FROM tidemark.memory m WHERE m.team_id = p.team_id AND m.project_id = p.id)
  FROM tidemark.project p;
-- A lexeme is four characters of the team, a space and the token (search/lexemes.ts).
INSERT INTO tidemark.project_term (team_id, term, project_id, rows)
  SELECT m.team_id, substr(lexeme, 6), m.project_id, count(*) FROM tidemark.memory m, unnest(m.tokens)
  WHERE substr(lexeme, 5, 1) = ' ' GROUP BY 1, 2, 3;
${READ.map((table) => `ALTER TABLE tidemark.${table} FORCE ROW LEVEL SECURITY;`).join('\n')}
${projectPolicies('project_counter', 'project_term')}
DROP TABLE tidemark.team_counter, tidemark.term, tidemark.message_group;

-- The projects of a caller, read with the rights of the lookup role, so that policies of other tables can use them.
CREATE OR REPLACE FUNCTION tidemark.my_role() RETURNS text LANGUAGE plpgsql STABLE ${DEFINER} AS $$
BEGIN
  RETURN (SELECT role FROM tidemark.member
    WHERE team_id = tidemark.team() AND id = tidemark.member() AND removed_at IS NULL);
END $$;
CREATE OR REPLACE FUNCTION tidemark.readable() RETURNS uuid[] LANGUAGE plpgsql STABLE ${DEFINER} AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(DISTINCT project_id), '{}') FROM tidemark.share
    WHERE team_id = tidemark.team() AND (member_id = tidemark.member() OR member_id IS NULL)
      AND tidemark.my_role() IS NOT NULL);
END $$;
CREATE OR REPLACE FUNCTION tidemark.writable() RETURNS uuid[] LANGUAGE plpgsql STABLE ${DEFINER} AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(DISTINCT project_id), '{}') FROM tidemark.share
    WHERE team_id = tidemark.team() AND (member_id = tidemark.member() OR member_id IS NULL)
      AND access = 'write' AND tidemark.my_role() IN ('owner', 'member'));
END $$;

-- Keys and shares of a project that the caller may not know of are not visible.
ALTER POLICY read ON tidemark.project_key USING (team_id = tidemark.team()
  AND (project_id = ANY ((SELECT tidemark.readable())::uuid[]) OR tidemark.may_share(project_id)));
ALTER POLICY read ON tidemark.share USING (team_id = tidemark.team()
  AND (project_id = ANY ((SELECT tidemark.readable())::uuid[]) OR tidemark.may_share(project_id)));
CREATE POLICY lookup ON tidemark.project_key FOR SELECT TO tidemark_lookup USING (true);
-- A key belongs to one project of the team, so a project of others that has it must be found.
CREATE FUNCTION tidemark.project_with_key(keys text[]) RETURNS uuid LANGUAGE sql STABLE ${DEFINER} AS $$
  SELECT k.project_id FROM tidemark.project_key k
  WHERE k.team_id = tidemark.team() AND k.key = ANY (keys) AND tidemark.my_role() IS NOT NULL ORDER BY k.key LIMIT 1 $$;

DROP POLICY own ON tidemark.api_key;
CREATE POLICY read ON tidemark.api_key FOR SELECT TO tidemark_app
  USING (team_id = tidemark.team() AND (member_id = tidemark.member() OR tidemark.may_administer()));
CREATE POLICY lookup_make ON tidemark.api_key FOR INSERT TO tidemark_lookup WITH CHECK (true);
CREATE POLICY lookup_change ON tidemark.api_key FOR UPDATE TO tidemark_lookup USING (true);
-- A key for the caller or, as an owner, for any member; never with more scopes than the member's role has.
CREATE FUNCTION tidemark.make_key(
    new_id text, of_member uuid, new_name text, new_prefix text, new_hash bytea, new_scopes text[], until timestamptz)
  RETURNS boolean LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
  INSERT INTO tidemark.api_key (team_id, id, member_id, name, prefix, hash, scopes, expires_at)
    SELECT m.team_id, new_id, m.id, new_name, new_prefix, new_hash, new_scopes, until FROM tidemark.member m
    WHERE m.team_id = tidemark.team() AND m.id = of_member AND m.removed_at IS NULL
      AND (m.id = tidemark.member() OR tidemark.my_role() = 'owner')
      AND (m.role <> 'reader' OR NOT 'write' = ANY (new_scopes));
  RETURN FOUND;
END $$;
-- Keys of the caller or, as an owner, of any member. A revoked key stays revoked.
CREATE FUNCTION tidemark.revoke_keys(ids text[]) RETURNS bigint LANGUAGE sql ${DEFINER} AS $$
  WITH revoked AS (
    UPDATE tidemark.api_key SET revoked_at = coalesce(revoked_at, now())
    WHERE team_id = tidemark.team() AND id = ANY (ids)
      AND (member_id = tidemark.member() AND tidemark.my_role() IS NOT NULL OR tidemark.my_role() = 'owner') RETURNING 1)
  SELECT count(*) FROM revoked $$;
CREATE FUNCTION tidemark.key_used(used text) RETURNS void LANGUAGE sql ${DEFINER} AS $$
  UPDATE tidemark.api_key SET last_used_at = now()
  WHERE team_id = tidemark.team() AND id = used AND member_id = tidemark.member()
    AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute') $$;

-- A visit acts for its key, so a member can make one only for their own.
ALTER POLICY own ON tidemark.hub_link WITH CHECK (team_id = tidemark.team() AND member_id = tidemark.member()
  AND EXISTS (SELECT FROM tidemark.api_key k WHERE k.team_id = hub_link.team_id AND k.id = hub_link.key_id
    AND k.member_id = tidemark.member() AND k.revoked_at IS NULL));
ALTER POLICY own ON tidemark.hub_visit WITH CHECK (team_id = tidemark.team() AND member_id = tidemark.member()
  AND EXISTS (SELECT FROM tidemark.api_key k WHERE k.team_id = hub_visit.team_id AND k.id = hub_visit.key_id
    AND k.member_id = tidemark.member() AND k.revoked_at IS NULL));

-- Audit entries are numbered within the team, so that no number shows how much others do.
DROP POLICY write ON tidemark.audit;
ALTER TABLE tidemark.audit ALTER COLUMN id DROP IDENTITY;
CREATE POLICY lookup ON tidemark.audit FOR SELECT TO tidemark_lookup USING (true);
CREATE POLICY lookup_make ON tidemark.audit FOR INSERT TO tidemark_lookup WITH CHECK (true);
-- An entry names the caller and one of the caller's keys. Only an operator, who acts as an owner, has no key.
CREATE FUNCTION tidemark.record_audit(of_key text, of_action text, of_object text, of_detail jsonb)
  RETURNS void LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE
  ours uuid := tidemark.team();
  acting uuid := tidemark.member();
  acts_as text := tidemark.my_role();
BEGIN
  IF acts_as IS NULL OR (of_key IS NULL AND acts_as <> 'owner')
    OR (of_key IS NOT NULL AND NOT EXISTS (
      SELECT FROM tidemark.api_key k WHERE k.team_id = ours AND k.id = of_key AND k.member_id = acting))
    OR (acts_as = 'reader' AND of_action NOT IN ('hub.login', 'hub.logout', 'key.create', 'key.revoke'))
  THEN
    RAISE insufficient_privilege USING MESSAGE = 'the caller may not record this';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended(ours::text || ' audit', 0));
  INSERT INTO tidemark.audit (team_id, id, member_id, key_id, action, object, detail)
    SELECT ours, coalesce(max(id), 0) + 1, acting, of_key, of_action, of_object, of_detail
    FROM tidemark.audit WHERE team_id = ours;
END $$;
`;
