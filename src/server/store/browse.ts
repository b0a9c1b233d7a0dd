/** Reads shared memories: pages, supersession chains and recent changes. Read-only. */
import { given } from '../../core/index.ts';
import type { Cursor, MemoryFilter } from '../../database/index.ts';
import type { WireEntry } from '../../exchange/sync/index.ts';
import { sourcesOf } from './counts/sources.ts';
import { dayOfPlace } from './counts/count.ts';
import { entryOfRow, of, READ_COLUMNS } from './entries.ts';
import { fileRows } from './search/file-rows.ts';
import { and, conditions } from './search/filters.ts';
import { number, oneOf, text } from './values.ts';
import type { Row, Work } from './work.ts';

export interface SharedMemory {
  readonly project: string;
  readonly entry: WireEntry;
  readonly author: { readonly id: string; readonly name: string };
}

/** A SELECT without its WHERE; `m` is the memory. */
export const SELECT_SHARED = `SELECT ${of('m', READ_COLUMNS)}, coalesce((SELECT w.name FROM tidemark.member w
    WHERE w.team_id = m.team_id AND w.id = m.author_id), '') AS author_name
  FROM tidemark.memory m`;

export function sharedOf(row: Row): SharedMemory {
  return {
    project: text(row, 'project_id'),
    entry: entryOfRow(row),
    author: { id: text(row, 'author_id'), name: text(row, 'author_name') },
  };
}

interface Listing {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: Cursor | undefined;
  readonly order?: 'newest' | 'oldest';
  /** Leaves out memories that were made by this. */
  readonly notMadeBy?: string;
}

/** From this offset on, a listing begins at the day that the counters name. */
const FAR = 500;

/** Reads about as many rows as it returns, and two of each project, or of each kind, state and agent that are asked for. */
export async function browse(
  work: Work,
  filter: MemoryFilter,
  listing: Listing,
): Promise<readonly SharedMemory[]> {
  return (await browseRows(work, filter, await withoutFarOffset(work, filter, listing))).map(sharedOf);
}

/** The rows of `SELECT_SHARED`. */
export async function browseRows(
  work: Work,
  filter: MemoryFilter,
  listing: Listing,
): Promise<readonly Row[]> {
  const { session, turn, file } = filter;
  if (session !== undefined || turn !== undefined || file !== undefined)
    return listIndexed(work, filter, listing);
  return listMerged(work, filter, listing);
}

/** Replaces a large offset by a time, which an index finds. */
async function withoutFarOffset(work: Work, filter: MemoryFilter, listing: Listing): Promise<Listing> {
  const { offset = 0, after, order } = listing;
  const { session, turn, file, since, until } = filter;
  const isPlain = [session, turn, file, since, until, after, order].every((one) => one === undefined);
  if (offset < FAR || !isPlain) return listing;
  const found = await dayOfPlace(work, filter, offset);
  if (!found) return { ...listing, limit: 0, offset: 0 };
  // Greater than every time of that day.
  return { ...listing, offset: offset - found.later, after: { at: `${found.day}~`, id: '' } };
}

/**
 * Merges the sources. Reads the first few of each; the last of as many as are wanted is the cut. Only a source whose few
 * are all before the cut is read further, and only up to the cut.
 */
async function listMerged(
  work: Work,
  filter: MemoryFilter,
  { limit, offset = 0, after, order = 'newest', notMadeBy }: Listing,
): Promise<readonly Row[]> {
  const [direction, beyond, before, last] =
    order === 'oldest' ? ['ASC', '>', '<', '~'] : ['DESC', '<', '>', ''];
  const values: unknown[] = [work.team, limit, offset];
  const { select, match } = sourcesOf(filter, values);
  const { since, until } = filter;
  const clauses = [conditions(given({ since, until }), values)];
  if (after) clauses.push(`(m.at, m.id) ${beyond} ($${values.push(after.at)}, $${values.push(after.id)})`);
  if (notMadeBy !== undefined) clauses.push(`m.made_by <> $${values.push(notMadeBy)}`);
  const sorted = `ORDER BY m.at ${direction}, m.id ${direction}`;
  const rows = (more: string, most: string): string => `SELECT m.at, m.id FROM tidemark.memory m
         WHERE ${match}${and([...clauses, more])} ${sorted} LIMIT ${most}`;
  const few = '(SELECT $2::bigint + $3::bigint) / (SELECT greatest(count(*), 1) FROM source) + 2';
  const cut = '((SELECT at FROM cut), (SELECT id FROM cut))';
  return work.rows(
    `WITH source AS MATERIALIZED (${select}),
     few AS MATERIALIZED (
       SELECT s.*, f.at, f.id, row_number() OVER (PARTITION BY s ORDER BY f.at ${direction}, f.id ${direction}) AS place
       FROM source AS s CROSS JOIN LATERAL (${rows('', few)}) AS f),
     -- PostgreSQL takes coalesce in a condition for leaky, and would not use the condition in an index.
     cut AS MATERIALIZED (
       SELECT coalesce(c.at, '${last}') AS at, coalesce(c.id, '') AS id FROM (SELECT) AS one LEFT JOIN (
         SELECT at, id FROM few ORDER BY at ${direction}, id ${direction}
         OFFSET greatest($2::bigint + $3::bigint, 1) - 1 LIMIT 1) AS c ON true),
     more AS (
       SELECT s.project_id, f.at, f.id FROM few AS s CROSS JOIN LATERAL (
         ${rows(`(m.at, m.id) ${beyond} (s.at, s.id) AND (m.at, m.id) ${before} ${cut}`, '$2::bigint + $3::bigint')}) AS f
       WHERE s.place = ${few} AND (s.at, s.id) ${before} ${cut}),
     found AS MATERIALIZED (
       SELECT project_id, at, id FROM few UNION ALL SELECT project_id, at, id FROM more
       ORDER BY at ${direction}, id ${direction} LIMIT $2 OFFSET $3)
     SELECT shared.* FROM found CROSS JOIN LATERAL (
       ${SELECT_SHARED} WHERE m.team_id = $1 AND m.project_id = found.project_id AND m.id = found.id OFFSET 0) AS shared
     ORDER BY shared.at ${direction}, shared.id ${direction}`,
    values,
  );
}

/** Lists the memories of a session or a file, which have an index of their own. */
async function listIndexed(
  work: Work,
  { file, ...filter }: MemoryFilter,
  { limit, offset = 0, after, order, notMadeBy }: Listing,
): Promise<readonly Row[]> {
  const [direction, beyond] = order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
  const values: unknown[] = [work.team, limit, offset];
  const clauses = [conditions(filter, values)];
  if (file !== undefined)
    clauses.push(`m.number = ANY ($${values.push(await fileRows(work, { ...filter, file }))}::bigint[])`);
  if (after) clauses.push(`(m.at, m.id) ${beyond} ($${values.push(after.at)}, $${values.push(after.id)})`);
  if (notMadeBy !== undefined) clauses.push(`m.made_by <> $${values.push(notMadeBy)}`);
  return work.rows(
    `${SELECT_SHARED} WHERE m.team_id = $1${and(clauses)}
     ORDER BY m.at ${direction}, m.id ${direction} LIMIT $2 OFFSET $3`,
    values,
  );
}

/** By project: the number of its last change. */
export type LastChanges = ReadonlyMap<string, number>;

async function lastChanges(work: Work): Promise<LastChanges> {
  const rows = await work.rows('SELECT project_id, seq FROM tidemark.project_counter WHERE team_id = $1', [
    work.team,
  ]);
  return new Map(rows.map((row) => [text(row, 'project_id'), number(row, 'seq')]));
}

/** Returns the chain of supersessions around a memory, itself included: at most so many, oldest first. */
export async function chainAround(
  work: Work,
  project: string,
  id: string,
  most: number,
): Promise<readonly SharedMemory[]> {
  const rows = await work.rows(
    `WITH RECURSIVE chain(id) AS (
       SELECT $3::text COLLATE "C"
       UNION
       SELECT linked.id COLLATE "C" FROM chain
       JOIN tidemark.memory o ON o.team_id = $1 AND o.project_id = $2 AND o.id = chain.id
       CROSS JOIN LATERAL unnest(coalesce(o.supersedes, '{}') || array_remove(ARRAY[o.superseded_by], NULL)) AS linked(id)
     )
     ${SELECT_SHARED} WHERE m.team_id = $1 AND m.project_id = $2 AND m.id = ANY (ARRAY(SELECT id FROM chain LIMIT $4))
     ORDER BY m.at, m.id`,
    [work.team, project, id, most],
  );
  return rows.map(sharedOf);
}

export interface SeenChanges {
  /** Pass it as `after` next time. */
  readonly last: LastChanges;
  readonly changes: readonly { readonly id: string; readonly what: 'captured' | 'changed' | 'forgotten' }[];
}

/**
 * Returns the changes that the caller may read after these numbers; without `after` only the current numbers. Of a project
 * that was shared in the meantime only later changes are returned.
 */
export async function changesAfter(work: Work, after?: LastChanges): Promise<SeenChanges> {
  const last = await lastChanges(work);
  const changed = [...last].filter(([project, seq]) => seq > (after?.get(project) ?? seq));
  if (changed.length === 0) return { last, changes: [] };
  const rows = await work.rows(
    `SELECT c.memory_id, CASE WHEN c.op <> 'put' THEN 'forgotten' WHEN EXISTS (
         SELECT FROM tidemark.memory_revision r
         WHERE r.team_id = $1 AND r.project_id = c.project_id AND r.id = c.memory_id)
       THEN 'changed' ELSE 'captured' END AS what
     FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS p (id, after, last)
     JOIN tidemark.change c ON c.team_id = $1 AND c.project_id = p.id AND c.seq > p.after AND c.seq <= p.last
     ORDER BY c.at DESC, c.seq DESC LIMIT $5`,
    [
      work.team,
      changed.map(([project]) => project),
      changed.map(([project]) => after?.get(project) ?? 0),
      changed.map(([, seq]) => seq),
      MAX_CHANGES,
    ],
  );
  return {
    last,
    changes: rows.map((row) => ({
      id: text(row, 'memory_id'),
      what: oneOf(row, 'what', ['captured', 'changed', 'forgotten']),
    })),
  };
}

/** A page that missed more reloads everything. */
const MAX_CHANGES = 500;
