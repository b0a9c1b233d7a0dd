/**
 * Vector search. With pgvector the database finds the nearest rows: of a small team by comparing all, of a large one with
 * the index of its partition. Without it, only the word matches are compared, with the stored bytes of each vector.
 */
import { cosine, type MemoryFilter, type QueryVector } from '../../../database/index.ts';
import { number } from '../values.ts';
import type { Work } from '../work.ts';
import { conditions, projectIds } from './filters.ts';
import { DIMENSIONS, type VectorMode } from './pgvector.ts';

/** Up to this many memories a full comparison is as fast as an index scan with a filter, and finds all. */
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
    const exact = narrow
      ? await isSmall(work, from, values, exactUpTo)
      : (await memoriesIn(work, project)) <= exactUpTo;
    if (!exact) work.indexVectors?.();
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

/** Returns the number of memories that the caller may read, in some projects or in all. */
async function memoriesIn(work: Work, project: MemoryFilter['project']): Promise<number> {
  const row = await work.row(
    `SELECT coalesce(sum(memories), 0) AS n FROM tidemark.project_counter
     WHERE team_id = $1 AND ($2::uuid[] IS NULL OR project_id = ANY ($2))`,
    [work.team, project === undefined ? null : projectIds(project)],
  );
  return row ? number(row, 'n') : 0;
}

/** Returns the cosines of the rows, or none if too many rows have no vector of this model. */
export async function cosinesOf(
  work: Work,
  { vector, model }: QueryVector,
  rows: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const found = await work.rows(
    // Each row is looked up by its key, whatever the statistics of the team are.
    `SELECT v.number, v.scale, v.codes FROM unnest($2::bigint[]) AS wanted(number) CROSS JOIN LATERAL (
       SELECT number, scale, codes FROM tidemark.memory_vector
       WHERE team_id = $1 AND number = wanted.number AND model = $3 AND octet_length(codes) = $4 OFFSET 0) AS v`,
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

/** Counts rows up to the limit, where other filters than the project narrow them. */
async function isSmall(work: Work, from: string, values: readonly unknown[], most: number): Promise<boolean> {
  const row = await work.row(
    `SELECT count(*) AS n FROM (SELECT 1 ${from} LIMIT $${values.length + 1}) AS few`,
    [...values, most + 1],
  );
  return row !== undefined && number(row, 'n') <= most;
}
