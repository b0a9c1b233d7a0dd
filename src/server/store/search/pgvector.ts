/**
 * Uses pgvector if the database has it: a column for vectors, and an index for each partition that contains a large team.
 * Small teams need no index, because all their vectors are compared.
 */
import type { VECTORS } from '../../../exchange/sync/index.ts';
import { inTransaction, type Ask } from '../schema/roles.ts';

/** How the database uses vectors: its own index, rescoring of word matches, or not at all. */
export type VectorMode = (typeof VECTORS)[number];

/** All models of our catalogue have this many; an index has one number of dimensions. */
export const DIMENSIONS = 384;
/** The first version with iterative scans, without which a filter leaves 2 of 20 rows. */
const OLDEST_PGVECTOR = [0, 8];
/** An arbitrary advisory lock: "vect". It ends with the connection. */
const LOCK = 0x76_65_63_74;

export async function enableVectors(ask: Ask): Promise<VectorMode> {
  const { rows } = await ask(
    "SELECT default_version AS version, installed_version AS installed FROM pg_available_extensions WHERE name = 'vector'",
  );
  const version = rows[0]?.['installed'] ?? rows[0]?.['version'];
  if (typeof version !== 'string' || !isRecent(version)) return 'rescoring';
  return (await vectorsFound(ask)) === 'pgvector' ? 'pgvector' : addColumn(ask);
}

/** Returns the current mode without changing the database. */
export async function vectorsFound(ask: Ask): Promise<VectorMode> {
  const { rows } = await ask(
    `SELECT 1 FROM pg_attribute
     WHERE attrelid = 'tidemark.memory_vector'::regclass AND attname = 'embedding' AND NOT attisdropped`,
  );
  return rows.length > 0 ? 'pgvector' : 'rescoring';
}

/**
 * Creates the index of the partition that contains a team, unless it exists. Writers do not wait for it; searches compare
 * all vectors of the team until it is ready. One server at a time builds one index.
 */
export async function indexPartition(ask: Ask, team: string): Promise<void> {
  const { rows: found } = await ask('SELECT tidemark.partition_of($1::uuid) AS part', [team]);
  const table = `memory_vector_${String(found[0]?.['part'])}`;
  const { rows: locks } = await ask(`SELECT pg_try_advisory_lock(${LOCK}, hashtext($1)) AS ours`, [table]);
  if (locks[0]?.['ours'] !== true) return;
  const { rows } = await ask('SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)', [
    `tidemark.${table}_nearest`,
  ]);
  if (rows[0]?.['indisvalid'] === true) return;
  // A build that was interrupted leaves an index that no statement uses.
  if (rows.length > 0) await ask(`DROP INDEX CONCURRENTLY tidemark.${table}_nearest`);
  await ask(
    `CREATE INDEX CONCURRENTLY ${table}_nearest ON tidemark.${table} USING hnsw (embedding halfvec_cosine_ops)`,
  );
}

/** Falls back to rescoring if the database user may not create the extension. */
async function addColumn(ask: Ask): Promise<VectorMode> {
  try {
    await inTransaction(ask, async () => {
      await ask('CREATE EXTENSION IF NOT EXISTS vector');
      await ask(`ALTER TABLE tidemark.memory_vector ADD COLUMN embedding halfvec(${DIMENSIONS})`);
    });
    return 'pgvector';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '42501') return 'rescoring';
    throw error;
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_PGVECTOR;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
