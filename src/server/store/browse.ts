/** Reads shared memories: pages, counts, supersession chains and recent changes. Read-only. */
import { AGENTS, MEMORY_KINDS, type Agent, type MemoryKind, type MemoryState } from '../../core/index.ts';
import type { Cursor, MemoryFilter } from '../../database/index.ts';
import type { WireEntry } from '../../exchange/sync/index.ts';
import { entryOfRow, MEMORY_STATES, READ_COLUMNS } from './entries.ts';
import { and, conditions, projectIds } from './search/filters.ts';
import { list, number, oneOf, text } from './values.ts';
import type { Row, Work } from './work.ts';

export interface SharedMemory {
  readonly project: string;
  readonly entry: WireEntry;
  readonly author: { readonly id: string; readonly name: string };
}

/** A SELECT without its WHERE; `m` is the memory. */
export const SELECT_SHARED = `SELECT ${READ_COLUMNS.split(',')
  .map((name) => `m.${name.trim()}`)
  .join(', ')}, coalesce(w.name, '') AS author_name
  FROM tidemark.memory m LEFT JOIN tidemark.member w ON w.team_id = m.team_id AND w.id = m.author_id`;

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
}

/** Reads the first rows of each project from its index and merges them, so that few rows are read. */
export async function browse(
  work: Work,
  { project, ...filter }: MemoryFilter,
  { limit, offset = 0, after, order = 'newest' }: Listing,
): Promise<readonly SharedMemory[]> {
  const [direction, beyond] = order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
  const projects = project === undefined ? null : projectIds(project);
  const values: unknown[] = [work.team, limit, projects, offset];
  const clauses = [conditions(filter, values)];
  if (after) clauses.push(`(m.at, m.id) ${beyond} ($${values.push(after.at)}, $${values.push(after.id)})`);
  const rows = await work.rows(
    `WITH found AS (
       SELECT f.project_id, f.id FROM unnest(coalesce($3::uuid[], tidemark.readable())) AS p(id) CROSS JOIN LATERAL (
         SELECT m.project_id, m.id, m.at FROM tidemark.memory m
         WHERE m.team_id = $1 AND m.project_id = p.id${and(clauses)}
         ORDER BY m.at ${direction}, m.id ${direction} LIMIT $2::bigint + $4::bigint
       ) AS f ORDER BY f.at ${direction}, f.id ${direction} LIMIT $2 OFFSET $4
     )
     ${SELECT_SHARED} JOIN found ON found.project_id = m.project_id AND found.id = m.id
     WHERE m.team_id = $1 ORDER BY m.at ${direction}, m.id ${direction}`,
    values,
  );
  return rows.map(sharedOf);
}

export async function countMemories(work: Work, filter: MemoryFilter): Promise<number> {
  const values: unknown[] = [work.team];
  const where = and([conditions(filter, values)]);
  const row = await work.row(
    `SELECT count(*) AS total FROM tidemark.memory m WHERE m.team_id = $1${where}`,
    values,
  );
  return row ? number(row, 'total') : 0;
}

/**
 * Counts the memories of each kind between consecutive times, to the minute; place 0 is before the first time. Compares
 * numbers like `202611150930`, because comparing a million texts takes ten times as long.
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
  // The first of each project from its index, instead of a scan.
  const row = await work.row(
    `SELECT min(first.at) AS at FROM unnest(tidemark.readable()) AS p(id) CROSS JOIN LATERAL (
       SELECT m.at FROM tidemark.memory m WHERE m.team_id = $1 AND m.project_id = p.id ORDER BY m.at, m.id LIMIT 1
     ) AS first`,
    [work.team],
  );
  return typeof row?.['at'] === 'string' ? row['at'] : undefined;
}

/** Returns the names of the authors of each project. Looks up each member in the index of authors, since members are few. */
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

interface Facets {
  readonly project: string;
  readonly kinds: readonly {
    readonly kind: MemoryKind;
    readonly state: MemoryState;
    readonly count: number;
  }[];
  readonly lastAt: string;
  readonly authors: readonly string[];
  readonly agents: readonly Agent[];
}

/** Returns kinds, states, last change, authors and agents of each project. */
export async function facets(work: Work): Promise<readonly Facets[]> {
  const counts = await work.rows(
    `SELECT m.project_id, m.kind, m.state, count(*) AS count, max(m.at) AS last_at, array_agg(DISTINCT m.agent) AS agents
     FROM tidemark.memory m WHERE m.team_id = $1 GROUP BY 1, 2, 3`,
    [work.team],
  );
  const names = await authorsByProject(work);
  return [...Map.groupBy(counts, (row) => text(row, 'project_id'))].map(([id, rows]) => ({
    project: id,
    kinds: rows.map((row) => ({
      kind: oneOf(row, 'kind', MEMORY_KINDS),
      state: oneOf(row, 'state', MEMORY_STATES),
      count: number(row, 'count'),
    })),
    lastAt: rows.map((row) => text(row, 'last_at')).reduce((a, b) => (a > b ? a : b)),
    authors: names.get(id) ?? [],
    agents: AGENTS.filter((agent) => rows.some((row) => list(row, 'agents').includes(agent))),
  }));
}

/** Returns the projects the caller may read, each with the number of its last change: `<id> <seq>`, sorted. */
export async function standOf(work: Work): Promise<readonly string[]> {
  return [...(await lastChanges(work))].map(([project, seq]) => `${project} ${seq}`).toSorted();
}

/** By project: the number of its last change. */
export type LastChanges = ReadonlyMap<string, number>;

async function lastChanges(work: Work): Promise<LastChanges> {
  const rows = await work.rows('SELECT project_id, seq FROM tidemark.project_counter WHERE team_id = $1', [
    work.team,
  ]);
  return new Map(rows.map((row) => [text(row, 'project_id'), number(row, 'seq')]));
}

/** Returns the whole chain of supersessions around a memory, itself included, oldest first. */
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
