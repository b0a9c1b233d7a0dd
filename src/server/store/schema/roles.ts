/**
 * Statements outside of a team, for migrations, and the two database roles of this database. Roles belong to the whole
 * PostgreSQL server, so each database has its own: a role that two databases share would open one to the owner of the other.
 * The server works as `app`, which the policies bind. `lookup` owns the functions that bypass them; no one logs in as either.
 */
import { TidemarkError } from '../../../core/index.ts';
import { PRIVILEGE } from '../errors.ts';

/** Runs a statement on one connection. */
export type Ask = (
  text: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

export interface Roles {
  readonly app: string;
  readonly lookup: string;
}

/** The names in the text of the migrations, and the roles of databases before migration 11, which all shared them. */
export const SHARED: Roles = { app: 'tidemark_app', lookup: 'tidemark_lookup' };
/** From PostgreSQL 16 on a role with CREATEROLE can grant only roles that it created. */
export const ROLES_ARE_OWNED = 160_000;

/** The database ends a migration whose process is gone without a word, so that its locks do not block the next one. */
const LONGEST_PAUSE_MS = 60_000;

export async function inTransaction(ask: Ask, work: () => Promise<void>): Promise<void> {
  await ask(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${LONGEST_PAUSE_MS}`);
  try {
    await work();
    await ask('COMMIT');
  } catch (error) {
    await ask('ROLLBACK');
    throw error;
  }
}

/** Returns the roles that only this database uses. The number of a database is unique within its PostgreSQL server. */
export async function ownRoles(ask: Ask): Promise<Roles> {
  const { rows } = await ask(
    'SELECT oid::bigint::text AS number FROM pg_database WHERE datname = current_database()',
  );
  const number = String(rows[0]?.['number']);
  return { app: `${SHARED.app}_${number}`, lookup: `${SHARED.lookup}_${number}` };
}

/** Returns the roles that the schema is granted to. A restored database has those of the original until its first start. */
export async function rolesInUse(ask: Ask): Promise<Roles> {
  const { rows } = await ask(
    `SELECT r.rolname AS name FROM pg_namespace n CROSS JOIN aclexplode(n.nspacl) AS a JOIN pg_roles r ON r.oid = a.grantee
     WHERE n.nspname = 'tidemark' AND a.privilege_type = 'USAGE' AND r.rolname ~ '^tidemark_(app|lookup)(_[0-9]+)?$'`,
  );
  const named = (prefix: string): string =>
    rows.map(({ name }) => String(name)).find((name) => name.startsWith(prefix)) ?? prefix;
  return { app: named(SHARED.app), lookup: named(SHARED.lookup) };
}

/** Replaces the names of the shared roles in a migration. */
export function forRoles(sql: string, { app, lookup }: Roles): string {
  return sql.replaceAll(SHARED.app, app).replaceAll(SHARED.lookup, lookup);
}

/** Creates the roles. Throws with the statements for an administrator if the user may not. */
export async function createRoles(ask: Ask, { app, lookup }: Roles): Promise<void> {
  try {
    await ask(`DO $$
      DECLARE wanted text;
      BEGIN
        FOREACH wanted IN ARRAY ARRAY['${app}', '${lookup}'] LOOP
          IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', wanted);
          END IF;
        END LOOP;
        -- The creator of an owned role is a member that may not take it yet.
        IF NOT pg_has_role(current_user, '${app}',
            CASE WHEN current_setting('server_version_num')::int >= ${ROLES_ARE_OWNED} THEN 'SET' ELSE 'MEMBER' END) THEN
          GRANT ${app} TO CURRENT_USER;
        END IF;
      END $$`);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === PRIVILEGE)) throw cause;
    throw new TidemarkError(
      'database-privilege',
      'the database user may not create the roles of this database',
      {
        cause,
        hint: `Run once as a superuser, with the user of DATABASE_URL at the end: CREATE ROLE ${app} NOLOGIN NOBYPASSRLS; CREATE ROLE ${lookup} NOLOGIN NOBYPASSRLS; GRANT ${app}, ${lookup} TO …;`,
      },
    );
  }
}

/** Grants a role during `work`: only a member of a role can make it the owner of a function. */
export async function asMember(ask: Ask, role: string, work: () => Promise<void>): Promise<void> {
  const { rows } = await ask(
    `SELECT pg_has_role(current_user, oid, 'USAGE') AS already FROM pg_roles WHERE rolname = $1`,
    [role],
  );
  if (rows[0]?.['already'] !== false) return work();
  await ask(`GRANT ${role} TO CURRENT_USER`);
  await work();
  await ask(`REVOKE ${role} FROM CURRENT_USER`);
}
