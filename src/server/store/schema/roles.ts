/**
 * The two roles of the database: the server works as `tidemark_app`, which the policies bind; `tidemark_lookup` owns the few
 * functions that look beyond them. Whoever runs the server may become the first and is never the second.
 */
import type { Ask } from './ask.ts';

const CREATE = `
DO $$
DECLARE wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['tidemark_app', 'tidemark_lookup'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- another database of this PostgreSQL made it just now
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

/** To give a function to a role one must be of it: for as long as that takes, inside the transaction of `work`. */
export async function asLookup(ask: Ask, work: () => Promise<void>): Promise<void> {
  const { rows } = await ask("SELECT pg_has_role(current_user, 'tidemark_lookup', 'MEMBER') AS already");
  if (rows[0]?.['already'] === true) return work();
  await ask('GRANT tidemark_lookup TO CURRENT_USER');
  await work();
  await ask('REVOKE tidemark_lookup FROM CURRENT_USER');
}
