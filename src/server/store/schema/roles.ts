/**
 * Statements outside of a team, for migrations, and the two database roles. The server works as `tidemark_app`, which
 * the policies bind. `tidemark_lookup` owns the few functions that bypass them; the server never has that role.
 */

/** Runs a statement on one connection. */
export type Ask = (
  text: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

export async function inTransaction(ask: Ask, work: () => Promise<void>): Promise<void> {
  await ask('BEGIN');
  try {
    await work();
    await ask('COMMIT');
  } catch (error) {
    await ask('ROLLBACK');
    throw error;
  }
}

const CREATE = `
DO $$
DECLARE wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['tidemark_app', 'tidemark_lookup'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- created concurrently by another database of this server
      END;
    END IF;
  END LOOP;
  IF NOT pg_has_role(current_user, 'tidemark_app', 'MEMBER') THEN
    GRANT tidemark_app TO CURRENT_USER;
  END IF;
END $$`;

export async function createRoles(ask: Ask): Promise<void> {
  await ask(CREATE);
}

/** Grants `tidemark_lookup` during `work`: only a member of a role can make it the owner of a function. */
export async function asLookup(ask: Ask, work: () => Promise<void>): Promise<void> {
  const { rows } = await ask("SELECT pg_has_role(current_user, 'tidemark_lookup', 'MEMBER') AS already");
  if (rows[0]?.['already'] === true) return work();
  await ask('GRANT tidemark_lookup TO CURRENT_USER');
  await work();
  await ask('REVOKE tidemark_lookup FROM CURRENT_USER');
}
