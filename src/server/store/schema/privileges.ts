/**
 * The privileges of the two roles, table by table. They are granted as a whole after a migration and after a restore, and
 * taken from every other role, so this list is the only place that decides. A table that is missing here cannot be used.
 */
import { partitionsOf } from './partitions.ts';
import { asMember, inTransaction, type Ask, type Roles } from './roles.ts';

const ROWS = 'SELECT, INSERT, UPDATE, DELETE';

/** Of the role that requests run as. The policies narrow each to the rows of the caller. */
export const APP_PRIVILEGES: Readonly<Record<string, string>> = {
  migration: 'SELECT',
  team: 'SELECT, INSERT',
  member: 'SELECT, INSERT, UPDATE (name, role, removed_at)',
  // Written by functions that check the caller's role; hashes are read by none but key_by_id.
  api_key:
    'SELECT (team_id, id, member_id, name, prefix, scopes, created_at, expires_at, revoked_at, last_used_at)',
  audit: 'SELECT',
  project: 'SELECT, INSERT, UPDATE (name), DELETE',
  project_key: 'SELECT, INSERT, DELETE',
  project_counter: ROWS,
  project_term: ROWS,
  // Written by the triggers of memory.
  project_facet: 'SELECT',
  project_author: 'SELECT',
  project_day: 'SELECT',
  share: 'SELECT, INSERT, UPDATE (access), DELETE',
  memory: ROWS,
  memory_revision: 'SELECT, INSERT, DELETE',
  memory_vector: ROWS,
  unembedded: 'SELECT, INSERT, DELETE',
  tombstone: ROWS,
  change: ROWS,
  push: 'SELECT, INSERT, DELETE',
  message: ROWS,
  session_event: 'SELECT, INSERT, DELETE',
  hub_link: 'SELECT, INSERT, DELETE',
  hub_visit: 'SELECT, INSERT, UPDATE (page_hash, page_used, until), DELETE',
  team_setting: 'SELECT, INSERT, UPDATE (value, set_at), DELETE',
  // Only through use_limits.
  limit_use: '',
};

/** Of the role that owns the functions with SECURITY DEFINER. */
export const LOOKUP_PRIVILEGES: Readonly<Record<string, string>> = {
  team: 'SELECT',
  member: 'SELECT',
  api_key: 'SELECT, INSERT, UPDATE (revoked_at, last_used_at)',
  audit: 'SELECT, INSERT, DELETE',
  project: 'SELECT, UPDATE (created_by)',
  project_key: 'SELECT',
  project_counter: 'SELECT',
  share: 'SELECT',
  memory: 'SELECT',
  memory_revision: 'SELECT, DELETE',
  unembedded: 'SELECT',
  // Deleted by prune.
  push: 'SELECT, DELETE',
  message: 'SELECT, DELETE',
  session_event: 'SELECT, DELETE',
  hub_link: 'SELECT, DELETE',
  hub_visit: 'SELECT, DELETE',
  team_setting: 'SELECT',
  limit_use: ROWS,
  project_facet: ROWS,
  project_author: ROWS,
  project_day: ROWS,
  // The search functions of each partition. All other partitions are reached only through their parents.
  ...Object.fromEntries(partitionsOf('memory').map((name) => [name, 'SELECT'])),
};

/** Gives the schema to these roles and to no other, and closes the database to roles without a grant. */
export async function settlePrivileges(ask: Ask, roles: Roles, before: Roles): Promise<void> {
  const { app, lookup } = roles;
  await inTransaction(ask, () =>
    asMember(ask, before.lookup, () =>
      asMember(ask, lookup, async () => {
        await ask(TAKE_OVER(roles));
        for (const [table, privileges] of Object.entries(APP_PRIVILEGES).filter(([, some]) => some !== ''))
          await ask(`GRANT ${privileges} ON tidemark.${table} TO ${app}`);
        for (const [table, privileges] of Object.entries(LOOKUP_PRIVILEGES))
          await ask(`GRANT ${privileges} ON tidemark.${table} TO ${lookup}`);
        await ask(CLOSE);
      }),
    ),
  );
}

/** Points owners, policies and grants to the roles. A policy named `lookup…` is for the second one. */
const TAKE_OVER = ({ app, lookup }: Roles): string => `
DO $$
DECLARE found record;
BEGIN
  GRANT USAGE, CREATE ON SCHEMA tidemark TO ${lookup};
  FOR found IN SELECT oid::regprocedure AS named FROM pg_proc
      WHERE pronamespace = 'tidemark'::regnamespace AND prosecdef AND proowner <> '${lookup}'::regrole LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO ${lookup}', found.named);
  END LOOP;
  FOR found IN SELECT DISTINCT a.grantee FROM pg_namespace n CROSS JOIN LATERAL (
      SELECT nspacl AS acl, nspowner AS owner FROM pg_namespace WHERE oid = n.oid
      UNION ALL SELECT relacl, relowner FROM pg_class WHERE relnamespace = n.oid
      UNION ALL SELECT proacl, proowner FROM pg_proc WHERE pronamespace = n.oid
      UNION ALL SELECT attacl, relowner FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE c.relnamespace = n.oid
    ) AS owned CROSS JOIN aclexplode(owned.acl) AS a
    WHERE n.nspname = 'tidemark' AND a.grantee <> owned.owner
  LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA tidemark FROM %1$s; REVOKE ALL ON ALL TABLES IN SCHEMA tidemark FROM %1$s;
      REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tidemark FROM %1$s',
      CASE WHEN found.grantee = 0 THEN 'PUBLIC' ELSE found.grantee::regrole::text END);
  END LOOP;
  REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tidemark FROM PUBLIC;
  GRANT USAGE ON SCHEMA tidemark TO ${app}, ${lookup};
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA tidemark TO ${app}, ${lookup};
  FOR found IN SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'tidemark' LOOP
    EXECUTE format('ALTER POLICY %I ON tidemark.%I TO %s', found.policyname, found.tablename,
      CASE WHEN found.policyname LIKE 'lookup%' THEN '${lookup}' ELSE '${app}' END);
  END LOOP;
END $$`;

/** By default every role of a PostgreSQL server may connect to every database and create temporary tables there. */
const CLOSE = `
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_database WHERE datname = current_database() AND pg_has_role(current_user, datdba, 'USAGE')) THEN
    EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO CURRENT_USER', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  END IF;
  IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'public' AND pg_has_role(current_user, nspowner, 'USAGE')) THEN
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
  END IF;
END $$`;
