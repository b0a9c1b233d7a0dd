/** Looking around in what is shared: pages, counts by time and kind, what replaced what, what changed since. Only reads. */
import { MEMORY_KINDS, type MemoryKind, type MemoryState } from '../../core/index.ts';
import type { Cursor, MemoryFilter } from '../../database/index.ts';
import { SELECT_SHARED, sharedOf, type SharedMemory } from './_shared-rows.ts';
import { isUuid } from './errors.ts';
import { conditions } from './search/filters.ts';
import { list, number, oneOf, text } from './values.ts';
import type { Work } from './work.ts';

export interface Listing {
  readonly limit: number;
  readonly after?: Cursor | undefined;
  readonly order?: 'newest' | 'oldest';
}

/** The first of each project by its index, then the first of those: however many there are, few are looked at. */
export async function browse(
  work: Work,
  { project, ...filter }: MemoryFilter,
  { limit, after, order = 'newest' }: Listing,
): Promise<readonly SharedMemory[]> {
  const [direction, beyond] = order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
  const values: unknown[] = [
    work.team,
    limit,
    project === undefined ? null : [project].flat().filter(isUuid),
  ];
  const clauses = [conditions(filter, values)];
  if (after) clauses.push(`(m.at, m.id) ${beyond} ($${values.push(after.at)}, $${values.push(after.id)})`);
  const rows = await work.rows(
    `WITH found AS (
       SELECT f.project_id, f.id FROM unnest(coalesce($3::uuid[], tidemark.readable())) AS p(id) CROSS JOIN LATERAL (
         SELECT m.project_id, m.id, m.at FROM tidemark.memory m
         WHERE m.team_id = $1 AND m.project_id = p.id${also(clauses)}
         ORDER BY m.at ${direction}, m.id ${direction} LIMIT $2
       ) AS f ORDER BY f.at ${direction}, f.id ${direction} LIMIT $2
     )
     ${SELECT_SHARED} JOIN found ON found.project_id = m.project_id AND found.id = m.id
     WHERE m.team_id = $1 ORDER BY m.at ${direction}, m.id ${direction}`,
    values,
  );
  return rows.map(sharedOf);
}

export async function countMemories(work: Work, filter: MemoryFilter): Promise<number> {
  const values: unknown[] = [work.team];
  const where = also([conditions(filter, values)]);
  const row = await work.row(
    `SELECT count(*) AS total FROM tidemark.memory m WHERE m.team_id = $1${where}`,
    values,
  );
  return row ? number(row, 'total') : 0;
}

/**
 * How many of each kind between each of these times and the next, to the minute; place 0 is before the first. Numbers are
 * compared, `202611150930`: of texts, and there may be a million, that takes ten times as long.
 */
export async function countsByTime(
  work: Work,
  times: readonly string[],
): Promise<readonly { readonly place: number; readonly kind: MemoryKind; readonly count: number }[]> {
  const rows = await work.rows(
    `SELECT width_bucket(translate(left(m.at, ${MINUTE}), '-T: ', '')::bigint, $2::bigint[]) AS place, m.kind,
       count(*) AS count
     FROM tidemark.memory m WHERE m.team_id = $1 GROUP BY 1, 2`,
    [work.team, times.map((time) => time.slice(0, MINUTE).replaceAll(/[-T:]/g, ''))],
  );
  return rows.map((row) => ({
    place: number(row, 'place'),
    kind: oneOf(row, 'kind', MEMORY_KINDS),
    count: number(row, 'count'),
  }));
}

const MINUTE = 'YYYY-MM-DDTHH:MM'.length;

export async function oldestMemory(work: Work): Promise<string | undefined> {
  // The first of each project by its index, not the first of all by looking at all.
  const row = await work.row(
    `SELECT min(first.at) AS at FROM unnest(tidemark.readable()) AS p(id) CROSS JOIN LATERAL (
       SELECT m.at FROM tidemark.memory m WHERE m.team_id = $1 AND m.project_id = p.id ORDER BY m.at, m.id LIMIT 1
     ) AS first`,
    [work.team],
  );
  return typeof row?.['at'] === 'string' ? row['at'] : undefined;
}

/** Names of those who wrote something, by project. Members are few: each is looked for in the index of authors. */
export async function authorsByProject(work: Work): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await work.rows(
    `SELECT p.id AS project_id, array_agg(w.name ORDER BY w.created_at, w.name) AS names
     FROM unnest(tidemark.readable()) AS p(id) JOIN tidemark.member w ON w.team_id = $1
     WHERE EXISTS (
       SELECT FROM tidemark.memory m WHERE m.team_id = $1 AND m.project_id = p.id AND m.author_id = w.id)
     GROUP BY 1`,
    [work.team],
  );
  return new Map(rows.map((row) => [text(row, 'project_id'), list(row, 'names')]));
}

export interface Facets {
  readonly project: string;
  readonly kinds: readonly {
    readonly kind: MemoryKind;
    readonly state: MemoryState;
    readonly count: number;
  }[];
  readonly lastAt: string;
  readonly authors: readonly string[];
}

/** What each project holds, and who wrote it. */
export async function facets(work: Work): Promise<readonly Facets[]> {
  const counts = await work.rows(
    `SELECT m.project_id, m.kind, m.state, count(*) AS count, max(m.at) AS last_at
     FROM tidemark.memory m WHERE m.team_id = $1 GROUP BY 1, 2, 3`,
    [work.team],
  );
  const names = await authorsByProject(work);
  return [...Map.groupBy(counts, (row) => text(row, 'project_id'))].map(([id, rows]) => ({
    project: id,
    kinds: rows.map((row) => ({
      kind: oneOf(row, 'kind', MEMORY_KINDS),
      state: oneOf(row, 'state', STATES),
      count: number(row, 'count'),
    })),
    lastAt: rows.map((row) => text(row, 'last_at')).reduce((a, b) => (a > b ? a : b)),
    authors: names.get(id) ?? [],
  }));
}

/** Where a team stands for who asks: the number of its last change, and what they may read. */
export async function standOf(
  work: Work,
): Promise<{ readonly seq: number; readonly projects: readonly string[] }> {
  const row = await work.row(
    'SELECT seq, tidemark.readable() AS projects FROM tidemark.team_counter WHERE team_id = $1',
    [work.team],
  );
  return row
    ? { seq: number(row, 'seq'), projects: list(row, 'projects').toSorted() }
    : { seq: 0, projects: [] };
}

/** What it replaced and what replaced it, however many steps away, itself among them; oldest first. */
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
     ${SELECT_SHARED} WHERE m.team_id = $1 AND m.project_id = $2 AND m.id IN (SELECT id FROM chain)
     ORDER BY m.at, m.id LIMIT $4`,
    [work.team, project, id, most],
  );
  return rows.map(sharedOf);
}

export interface SeenChanges {
  /** Where to go on from. */
  readonly seq: number;
  readonly changes: readonly { readonly id: string; readonly what: 'captured' | 'changed' | 'forgotten' }[];
}

/** What changed in what the caller may read, after a number of the team; `after` left out: only the number now. */
export async function changesAfter(work: Work, after?: number): Promise<SeenChanges> {
  const counter = await work.row('SELECT seq FROM tidemark.team_counter WHERE team_id = $1', [work.team]);
  const seq = counter ? number(counter, 'seq') : 0;
  if (after === undefined || seq <= after) return { seq, changes: [] };
  const rows = await work.rows(
    `SELECT c.memory_id, CASE WHEN c.op <> 'put' THEN 'forgotten' WHEN EXISTS (
         SELECT FROM tidemark.memory_revision r
         WHERE r.team_id = c.team_id AND r.project_id = c.project_id AND r.id = c.memory_id)
       THEN 'changed' ELSE 'captured' END AS what
     FROM tidemark.change c WHERE c.team_id = $1 AND c.project_id = ANY ((SELECT tidemark.readable())::uuid[])
       AND c.seq > $2 AND c.seq <= $3 ORDER BY c.seq DESC LIMIT $4`,
    [work.team, after, seq, MOST_TOLD],
  );
  return {
    seq,
    changes: rows.map((row) => ({
      id: text(row, 'memory_id'),
      what: oneOf(row, 'what', ['captured', 'changed', 'forgotten']),
    })),
  };
}

const STATES: readonly MemoryState[] = ['current', 'open', 'resolved', 'superseded'];
/** Who missed more asks for everything anew. */
const MOST_TOLD = 500;

function also(clauses: readonly string[]): string {
  return clauses
    .filter(Boolean)
    .map((clause) => ` AND ${clause}`)
    .join('');
}
