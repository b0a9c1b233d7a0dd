/**
 * Brings the schema up to date: numbered migrations, each in a transaction, one process at a time. Only ever adds while old
 * servers may still run (expand); what they used goes with a later number (contract).
 */
import { TidemarkError } from '../../../core/index.ts';
import { enableVectors, vectorsFound, type VectorMode } from '../search/pgvector.ts';
import { inTransaction, type Ask } from './ask.ts';
import { MIGRATIONS } from './migrations.ts';
import { asLookup, createRoles } from './roles.ts';

/** Any number nobody else locks: "tide". */
const LOCK = 0x74_69_64_65;
const OLDEST_POSTGRESQL = 150_000;

/** @returns how this database finds by meaning */
export async function migrate(ask: Ask): Promise<VectorMode> {
  await checkVersion(ask);
  await ask(`SELECT pg_advisory_lock(${LOCK})`);
  try {
    const done = await doneSoFar(ask);
    const newest = MIGRATIONS.at(-1)?.number ?? 0;
    if (done > newest)
      throw new TidemarkError('database-newer', `the database is of a newer Tidemark (schema ${done})`, {
        hint: 'upgrade this server',
      });
    const pending = MIGRATIONS.filter(({ number }) => number > done);
    if (pending.length > 0) await createRoles(ask);
    for (const migration of pending) {
      await inTransaction(ask, async () => {
        await asLookup(ask, async () => void (await ask(migration.sql)));
        await ask('INSERT INTO tidemark.migration (number, name) VALUES ($1, $2)', [
          migration.number,
          migration.name,
        ]);
      });
    }
    return await enableVectors(ask);
  } finally {
    await ask(`SELECT pg_advisory_unlock(${LOCK})`);
  }
}

/** For who works on a database without bringing it up to date. A newer one is fine: migrations only add (expand). */
export async function requireSchema(ask: Ask): Promise<VectorMode> {
  const [done, wanted] = [await doneSoFar(ask), MIGRATIONS.at(-1)?.number ?? 0];
  if (done >= wanted) return vectorsFound(ask);
  throw new TidemarkError(
    'database-older',
    done === 0
      ? 'this database has nothing of Tidemark yet'
      : `the database has schema ${done}, this program works with ${wanted}`,
    { hint: 'Bring it up to date with: tidemark server init' },
  );
}

async function checkVersion(ask: Ask): Promise<void> {
  const { rows } = await ask("SELECT current_setting('server_version_num')::int AS version");
  if (Number(rows[0]?.['version']) >= OLDEST_POSTGRESQL) return;
  throw new TidemarkError('database-too-old', 'the database is older than PostgreSQL 15', {
    hint: 'use PostgreSQL 15 or newer',
  });
}

/** The number of the last migration that was done; 0 where there is no schema. */
export async function doneSoFar(ask: Ask): Promise<number> {
  const { rows: tables } = await ask("SELECT to_regclass('tidemark.migration') IS NOT NULL AS there");
  if (tables[0]?.['there'] !== true) return 0;
  const { rows } = await ask('SELECT coalesce(max(number), 0) AS done FROM tidemark.migration');
  return Number(rows[0]?.['done']);
}
