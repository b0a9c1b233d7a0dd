/** Enables the vector index of pgvector if the database has it. */
import type { VECTORS } from '../../../exchange/sync/index.ts';
import { inTransaction, type Ask } from '../schema/roles.ts';

/** How the database uses vectors: its own index, rescoring of word matches, or not at all. */
export type VectorMode = (typeof VECTORS)[number];

/** All models of our catalogue have this many; an index has one number of dimensions. */
export const DIMENSIONS = 384;
/** The first version with iterative scans, without which a filter leaves 2 of 20 rows. */
const OLDEST_PGVECTOR = [0, 8];

export async function enableVectors(ask: Ask): Promise<VectorMode> {
  const { rows } = await ask(
    "SELECT default_version AS version, installed_version AS installed FROM pg_available_extensions WHERE name = 'vector'",
  );
  const version = rows[0]?.['installed'] ?? rows[0]?.['version'];
  if (typeof version !== 'string' || !isRecent(version)) return 'rescoring';
  return (await vectorsFound(ask)) === 'pgvector' ? 'pgvector' : addIndex(ask);
}

/** Returns the current mode without changing the database. */
export async function vectorsFound(ask: Ask): Promise<VectorMode> {
  const { rows } = await ask(
    `SELECT 1 FROM pg_attribute
     WHERE attrelid = 'tidemark.memory_vector'::regclass AND attname = 'embedding' AND NOT attisdropped`,
  );
  return rows.length > 0 ? 'pgvector' : 'rescoring';
}

/** Falls back to rescoring if the database user may not create the extension. */
async function addIndex(ask: Ask): Promise<VectorMode> {
  try {
    await inTransaction(ask, async () => {
      await ask('CREATE EXTENSION IF NOT EXISTS vector');
      await ask(`ALTER TABLE tidemark.memory_vector ADD COLUMN embedding halfvec(${DIMENSIONS})`);
      await ask(
        'CREATE INDEX memory_vector_nearest ON tidemark.memory_vector USING hnsw (embedding halfvec_cosine_ops)',
      );
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
