/**
 * Vector search. With pgvector the database finds the nearest rows; without it, only the word matches are compared, with
 * the stored bytes of each vector.
 */
import { cosine, type MemoryFilter, type QueryVector } from '../../../database/index.ts';
import { number } from '../values.ts';
import type { Work } from '../work.ts';
import { conditions } from './filters.ts';
import { DIMENSIONS, type VectorMode } from './pgvector.ts';

/** Up to this many vectors a full comparison is faster than an index scan with a filter. */
const EXACT_UP_TO = 20_000;
/** If more than this share of the candidates has no vector, cosines would mostly show what was embedded first. */
const MAX_MISSING = 0.1;

export async function nearestOf(
  work: Work,
  mode: VectorMode,
  { vector, model }: QueryVector,
  filters: readonly MemoryFilter[],
  limit: number,
  exactUpTo = EXACT_UP_TO,
): Promise<readonly number[]> {
  if (mode !== 'pgvector' || vector.length !== DIMENSIONS) return [];
  const found: number[] = [];
  for (const filter of filters) {
    const values: unknown[] = [work.team, model];
    const { project, ...rest } = filter;
    const narrow = conditions(rest, values);
    const scope = [
      project === undefined ? '' : conditions({ project }, values).replace('m.project_id', 'v.project_id'),
      narrow,
    ].filter(Boolean);
    const join = narrow ? 'JOIN tidemark.memory m ON m.team_id = v.team_id AND m.number = v.number' : '';
    const from = `FROM tidemark.memory_vector v ${join}
      WHERE v.team_id = $1 AND v.model = $2 AND v.embedding IS NOT NULL${scope.map((one) => ` AND ${one}`).join('')}`;
    const exact = await isSmall(work, from, values, exactUpTo);
    // The index covers only the plain expression, so `+ 0` makes PostgreSQL compare every row.
    const distance = exact ? '+ 0' : '';
    if (!exact) await work.row("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)");
    const query = `$${values.push(`[${vector.join(',')}]`)}::halfvec(${DIMENSIONS})`;
    const rows = await work.rows(
      `SELECT v.number ${from} ORDER BY (v.embedding <=> ${query}) ${distance} LIMIT $${values.push(limit)}`,
      values,
    );
    found.push(...rows.map((row) => number(row, 'number')));
  }
  return found;
}

/** Returns the cosines of the rows, or none if too many rows have no vector of this model. */
export async function cosinesOf(
  work: Work,
  { vector, model }: QueryVector,
  rows: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const found = await work.rows(
    `SELECT number, scale, codes FROM tidemark.memory_vector
     WHERE team_id = $1 AND number = ANY ($2::bigint[]) AND model = $3 AND octet_length(codes) = $4`,
    [work.team, rows, model, vector.length],
  );
  if (found.length < rows.length * (1 - MAX_MISSING)) return new Map();
  return new Map(
    found.map((row) => {
      const codes = row['codes'];
      const bytes = Buffer.isBuffer(codes) ? codes : Buffer.alloc(0);
      const code = {
        codes: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length),
        scale: number(row, 'scale'),
      };
      return [number(row, 'number'), cosine(vector, 0, code)];
    }),
  );
}

async function isSmall(work: Work, from: string, values: readonly unknown[], most: number): Promise<boolean> {
  const row = await work.row(
    `SELECT count(*) AS n FROM (SELECT 1 ${from} LIMIT $${values.length + 1}) AS few`,
    [...values, most + 1],
  );
  return row !== undefined && number(row, 'n') <= most;
}
