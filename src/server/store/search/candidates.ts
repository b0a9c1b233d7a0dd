/** Candidates of a search: the best word matches, the nearest vectors, and the neighbours of the best in their sessions. */
import { given } from '../../../core/index.ts';
import {
  worthAsking,
  type Candidate,
  type Frequencies,
  type MemoryFilter,
  type MemoryQuestion,
} from '../../../database/index.ts';
import { number } from '../values.ts';
import type { Work } from '../work.ts';
import { conditions, matchesOf, projectIds } from './filters.ts';
import { cosinesOf, nearestOf } from './nearest.ts';
import type { VectorMode } from './pgvector.ts';
import { surroundingsOf, type Surroundings } from './surroundings.ts';
import { cheapQueries, plainQueries } from './word-queries.ts';

/** If the rarer words find this share of the limit, rows with only common words would rank below them. */
const ENOUGH = 0.25;

export async function candidatesOf(
  work: Work,
  vectors: VectorMode,
  question: MemoryQuestion,
  common: Frequencies,
): Promise<readonly Candidate[]> {
  const { filters, limit, nearest = limit } = question;
  const vector = vectors === 'none' ? undefined : question.vector;
  const scores = await byWords(work, common, filters, limit);
  const best = [...scores].toSorted((a, b) => b[1] - a[1]).map(([row]) => row);
  const near = vector ? await nearestOf(work, vectors, vector, filters, nearest) : [];
  const around = await surroundingsOf(work, { best, also: near }, question);
  const rows = [...new Set([...best, ...near, ...(await inScope(work, around, filters))])];
  const cosines = vector ? await cosinesOf(work, vector, rows) : new Map<number, number>();
  return rows.flatMap((row) => {
    const found = around.of(row);
    if (!found) return [];
    const cosine = cosines.get(row);
    const { counts, length } = found;
    const bm25 = scores.get(row) ?? 0;
    return { row, bm25, counts, length, near: found.near, ...given({ cosine }) };
  });
}

/** Returns the scores of the best word matches for each filter. */
async function byWords(
  work: Work,
  known: Frequencies,
  filters: readonly MemoryFilter[],
  limit: number,
): Promise<ReadonlyMap<number, number>> {
  const asked = worthAsking(known);
  if (asked.length === 0) return new Map();
  const cheap = cheapQueries(work.team, asked, known);
  const isAll = asked.reduce((sum, token) => sum + (known.counts.get(token) ?? 0), 0) <= cheap.maxRows;
  const scores = new Map<number, number>();
  for (const filter of filters) {
    const found = await matchesOf(work, filter, { ...cheap, most: limit });
    const more =
      isAll || found.length >= limit * ENOUGH
        ? []
        : await matchesOf(work, filter, { ...plainQueries(work.team, asked, known), most: limit });
    for (const { row, score } of [...more, ...found]) scores.set(row, score);
  }
  return scores;
}

/** Returns the neighbours that pass one of the filters. */
async function inScope(
  work: Work,
  { of, beside }: Surroundings,
  filters: readonly MemoryFilter[],
): Promise<readonly number[]> {
  const projects = filters.flatMap(({ project, ...rest }) =>
    Object.keys(rest).length > 0 ? [] : [project === undefined ? undefined : projectIds(project)],
  );
  // The project of a neighbour is known; other filters need a query.
  const through = beside.filter((row) =>
    projects.some((ids) => ids?.includes(of(row)?.project ?? '') ?? true),
  );
  if (projects.length === filters.length || through.length === beside.length) return through;
  const values: unknown[] = [work.team, beside];
  const scopes = filters.map((filter) => conditions(filter, values));
  const found = await work.rows(
    `SELECT m.number FROM tidemark.memory m WHERE m.team_id = $1 AND m.number = ANY ($2::bigint[])
     AND (${scopes.map((scope) => `(${scope || 'true'})`).join(' OR ')})`,
    values,
  );
  return found.map((row) => number(row, 'number'));
}
