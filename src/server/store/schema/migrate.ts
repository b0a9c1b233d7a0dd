/**
 * Runs the pending migrations, each in a transaction, one process at a time, then gives the schema to the roles of this
 * database. Migrations only add while older servers may still run (expand); a later one removes what those used (contract).
 */
import { TidemarkError } from '../../../core/index.ts';
import { enableVectors, vectorsFound, type VectorMode } from '../search/pgvector.ts';
import { MIGRATIONS, newestMigration } from './migrations.ts';
import { settlePrivileges } from './privileges.ts';
import { asMember, createRoles, forRoles, inTransaction, ownRoles, rolesInUse, type Ask } from './roles.ts';

/** An arbitrary advisory lock: "tide". */
const LOCK = 0x74_69_64_65;
const OLDEST_POSTGRESQL = 150_000;

/** @returns how this database uses vectors */
export async function migrate(ask: Ask): Promise<VectorMode> {
  await checkVersion(ask);
  await ask(`SELECT pg_advisory_lock(${LOCK})`);
  try {
    const done = await doneSoFar(ask);
    if (done > newestMigration())
      throw new TidemarkError('database-newer', `the database is of a newer Tidemark (schema ${done})`, {
        hint: 'Upgrade this server.',
      });
    const pending = MIGRATIONS.filter(({ number }) => number > done);
    const own = await ownRoles(ask);
    const before = done === 0 ? own : await rolesInUse(ask);
    const isOurs = pending.length === 0 && before.app === own.app;
    if (!isOurs) await createRoles(ask, own);
    for (const migration of pending) {
      await inTransaction(ask, async () => {
        const sql = forRoles(migration.sql, before);
        await asMember(ask, before.lookup, async () => void (await ask(sql)));
        await ask('INSERT INTO tidemark.migration (number, name) VALUES ($1, $2)', [
          migration.number,
          migration.name,
        ]);
      });
    }
    if (!isOurs) await settlePrivileges(ask, own, before);
    return await enableVectors(ask);
  } finally {
    await ask(`SELECT pg_advisory_unlock(${LOCK})`);
  }
}

/** Accepts the schema without migrating it; throws if it is too old. A newer one is fine, because migrations only add. */
export async function requireSchema(ask: Ask): Promise<VectorMode> {
  const [done, wanted] = [await doneSoFar(ask), newestMigration()];
  if (done >= wanted) return vectorsFound(ask);
  throw new TidemarkError(
    'database-older',
    done === 0
      ? 'this database has no Tidemark schema yet'
      : `the database has schema ${done}, this program needs ${wanted}`,
    { hint: 'Run: tidemark server init' },
  );
}

async function checkVersion(ask: Ask): Promise<void> {
  const { rows } = await ask(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version, pg_is_in_recovery() AS recovery",
  );
  const [row] = rows;
  if (row?.['recovery'] === true)
    throw new TidemarkError(
      'database-unavailable',
      'the database is read-only: a replica, or not recovered yet',
      {
        hint: 'Use the address of the primary in DATABASE_URL, or wait until the recovery ends (SELECT pg_is_in_recovery()).',
      },
    );
  if (Number(row?.['number']) >= OLDEST_POSTGRESQL) return;
  throw new TidemarkError('database-too-old', `the database is PostgreSQL ${String(row?.['version'])}`, {
    hint: 'Use PostgreSQL 15 or newer.',
  });
}

/** Returns the number of the last migration; 0 without a schema. */
export async function doneSoFar(ask: Ask): Promise<number> {
  const { rows: tables } = await ask("SELECT to_regclass('tidemark.migration') IS NOT NULL AS there");
  if (tables[0]?.['there'] !== true) return 0;
  const { rows } = await ask('SELECT coalesce(max(number), 0) AS done FROM tidemark.migration');
  return Number(rows[0]?.['done']);
}
