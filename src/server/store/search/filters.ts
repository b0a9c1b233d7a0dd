/** Search filters → SQL: as conditions of a query, and as arguments of `tidemark.matches`. */
import type { MemoryFilter } from '../../../database/index.ts';
import { isUuid } from '../errors.ts';
import { number } from '../values.ts';
import type { Work } from '../work.ts';
import type { WordQueries } from './word-queries.ts';

/** Returns conditions on `m` and adds their parameters to `values`. The same filters give the same text. */
export function conditions(filter: MemoryFilter, values: unknown[]): string {
  const clauses: string[] = [];
  const add = (value: unknown, clause: (place: string) => string): void => {
    clauses.push(clause(`$${values.push(value)}`));
  };
  const { session, turn, since, until, file } = filter;
  if (filter.project !== undefined)
    add(projectIds(filter.project), (place) => `m.project_id = ANY (${place}::uuid[])`);
  if (filter.kind !== undefined) add(several(filter.kind), (place) => `m.kind = ANY (${place})`);
  if (filter.state !== undefined) add(several(filter.state), (place) => `m.state = ANY (${place})`);
  if (filter.agent !== undefined) add(several(filter.agent), (place) => `m.agent = ANY (${place})`);
  if (session !== undefined) add(session, (place) => `m.session = ${place}`);
  if (turn !== undefined) add(turn, (place) => `m.turn = ${place}`);
  if (since !== undefined) add(since, (place) => `m.at >= ${place}`);
  if (until !== undefined) add(until, (place) => `m.at < ${place}`);
  if (file !== undefined)
    add(
      withoutRoot(file),
      (place) => `EXISTS (SELECT FROM unnest(m.files) AS path
        WHERE path = ${place}::text OR right(path, length(${place}::text) + 1) = '/' || ${place}::text)`,
    );
  return clauses.join(' AND ');
}

/** Returns each clause with ` AND ` before it; skips empty ones. */
export function and(clauses: readonly string[]): string {
  return clauses
    .filter(Boolean)
    .map((clause) => ` AND ${clause}`)
    .join('');
}

export async function matchesOf(
  work: Work,
  filter: MemoryFilter,
  { most, ...wanted }: WordQueries & { readonly most: number },
): Promise<readonly { readonly row: number; readonly score: number }[]> {
  // The function knows no agents, so the best matches are filtered afterwards.
  const ofAgent =
    filter.agent === undefined
      ? ''
      : ' JOIN tidemark.memory m ON m.team_id = $13 AND m.number = f.number AND m.agent = ANY ($14)';
  const rows = await work.rows(
    `SELECT f.number, f.score FROM tidemark.matches($1::text[], $2::real[], $3::uuid[], $4::text[], $5::text[], $6::text,
       $7::text, $8::text, $9::text, $10::text, $11::integer, $12::integer) f${ofAgent}`,
    [
      wanted.queries.map(({ query }) => query),
      wanted.queries.map(({ weight }) => weight),
      filter.project === undefined ? null : projectIds(filter.project),
      filter.kind === undefined ? null : several(filter.kind),
      filter.state === undefined ? null : several(filter.state),
      filter.session ?? null,
      filter.turn ?? null,
      filter.file === undefined ? null : withoutRoot(filter.file),
      filter.since ?? null,
      filter.until ?? null,
      wanted.maxRows,
      most,
      ...(filter.agent === undefined ? [] : [work.team, several(filter.agent)]),
    ],
  );
  return rows.map((row) => ({ row: number(row, 'number'), score: number(row, 'score') }));
}

/** Drops what is not a uuid, so that an unknown project finds nothing. */
export function projectIds(project: string | readonly string[]): readonly string[] {
  return several(project).filter(isUuid);
}

export function several(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function withoutRoot(path: string): string {
  return path.replace(/^\.?\//, '');
}
