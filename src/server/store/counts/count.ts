/** Counts of memories, from the counters that are written with each change (schema/counters.ts). Read-only. */
import { AGENTS, MEMORY_KINDS, type Agent, type MemoryKind, type MemoryState } from '../../../core/index.ts';
import type { MemoryFilter } from '../../../database/index.ts';
import { BEFORE_QUARTER, QUARTER_MS, QUARTERS_PER_DAY } from './counted.ts';
import { projectsIn, sourcesOf } from './sources.ts';
import { MEMORY_STATES } from '../entries.ts';
import { and, conditions, several } from '../search/filters.ts';
import { fileRows } from '../search/file-rows.ts';
import { list, number, oneOf, text } from '../values.ts';
import type { Row, Work } from '../work.ts';

const DAY = 'YYYY-MM-DD'.length;

/** Reads counters, except for a session or a file, whose memories are few and in an index. */
export async function countMemories(work: Work, filter: MemoryFilter): Promise<number> {
  const { session, turn, file, since, until } = filter;
  if (session !== undefined || turn !== undefined || file !== undefined) return countRows(work, filter);
  if (since === undefined && until === undefined) return countFacets(work, filter);
  return countSpan(work, filter, since ?? '', until ?? LAST);
}

/** Greater than every time. */
const LAST = '~';

async function countFacets(work: Work, filter: MemoryFilter): Promise<number> {
  const values: unknown[] = [work.team];
  const from = projectsIn(filter.project, values);
  const where = facetConditions('f', filter, values);
  return totalOf(
    await work.row(
      `SELECT coalesce(sum(f.memories), 0) AS total FROM ${from} CROSS JOIN LATERAL (
         SELECT f.memories FROM tidemark.project_facet f WHERE f.team_id = $1 AND f.project_id = p.id${where} OFFSET 0) AS f`,
      values,
    ),
  );
}

/** Adds up the whole quarters of an hour, and counts the memories of the two that the span cuts. */
async function countSpan(work: Work, filter: MemoryFilter, since: string, until: string): Promise<number> {
  const [from, to] = [quarterFrom(since), quarterTo(until)];
  if (since >= until) return 0;
  if (from.at >= to.at) return countEdge(work, filter, since, until);
  const values: unknown[] = [work.team, from.day, to.day, from.quarter, to.quarter];
  const projects = projectsIn(filter.project, values);
  const where = facetConditions('d', filter, values);
  const whole = totalOf(
    await work.row(
      `SELECT coalesce(sum(d.n), 0) AS total FROM ${projects} CROSS JOIN LATERAL (
         SELECT CASE WHEN d.day = $3 THEN ${BEFORE_QUARTER('$5::integer')} ELSE d.memories END
           - CASE WHEN d.day = $2 THEN ${BEFORE_QUARTER('$4::integer')} ELSE 0 END AS n FROM tidemark.project_day d
         WHERE d.team_id = $1 AND d.project_id = p.id AND d.day >= $2 AND d.day <= $3${where} OFFSET 0) AS d`,
      values,
    ),
  );
  const first = since < from.at ? await countEdge(work, filter, since, from.at) : 0;
  const last = to.at < until ? await countEdge(work, filter, to.at, until) : 0;
  return whole + first + last;
}

/** Counts the memories between two times of the same quarter of an hour. */
async function countEdge(work: Work, filter: MemoryFilter, since: string, until: string): Promise<number> {
  const values: unknown[] = [work.team, since, until];
  const { select, match } = sourcesOf(filter, values);
  return totalOf(
    await work.row(
      `SELECT coalesce(sum(c.n), 0) AS total FROM (${select}) AS s CROSS JOIN LATERAL (
         SELECT count(*) AS n FROM tidemark.memory m WHERE ${match} AND m.at >= $2 AND m.at < $3) AS c`,
      values,
    ),
  );
}

async function countRows(work: Work, { file, ...filter }: MemoryFilter): Promise<number> {
  const values: unknown[] = [work.team];
  const clauses = [conditions(filter, values)];
  if (file !== undefined)
    clauses.push(`m.number = ANY ($${values.push(await fileRows(work, { ...filter, file }))}::bigint[])`);
  return totalOf(
    await work.row(
      `SELECT count(*) AS total FROM tidemark.memory m WHERE m.team_id = $1${and(clauses)}`,
      values,
    ),
  );
}

interface Quarter {
  /** ISO 8601. */
  readonly at: string;
  readonly day: string;
  readonly quarter: number;
}

/** The first quarter of an hour that begins at this time or later. */
function quarterFrom(since: string): Quarter {
  const time = Date.parse(since);
  return Number.isNaN(time) ? { at: '', day: '', quarter: 0 } : quarterOf(Math.ceil(time / QUARTER_MS));
}

/** The last quarter of an hour that begins at this time or earlier. */
function quarterTo(until: string): Quarter {
  const time = Date.parse(until);
  return Number.isNaN(time) ? { at: LAST, day: LAST, quarter: 0 } : quarterOf(Math.floor(time / QUARTER_MS));
}

function quarterOf(quarters: number): Quarter {
  const at = new Date(quarters * QUARTER_MS).toISOString();
  return { at, day: at.slice(0, DAY), quarter: quarters % QUARTERS_PER_DAY };
}

/** Returns the time of the oldest memory: the first of each project from its index. */
export async function oldestMemory(work: Work): Promise<string | undefined> {
  const row = await work.row(
    `SELECT min(first.at) AS at FROM unnest(tidemark.readable()) AS p (id) CROSS JOIN LATERAL (
       SELECT m.at FROM tidemark.memory m WHERE m.team_id = $1 AND m.project_id = p.id ORDER BY m.at, m.id LIMIT 1
     ) AS first`,
    [work.team],
  );
  return typeof row?.['at'] === 'string' ? row['at'] : undefined;
}

/** Returns the names of the authors of each project, or of one. */
export async function authorsByProject(
  work: Work,
  project?: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const values: unknown[] = [work.team];
  const rows = await work.rows(
    `SELECT p.id AS project_id, array_agg(w.name ORDER BY w.created_at, w.name) AS names
     FROM ${projectsIn(project, values)} CROSS JOIN LATERAL (
       SELECT a.author_id FROM tidemark.project_author a
       WHERE a.team_id = $1 AND a.project_id = p.id AND a.memories > 0 OFFSET 0) AS a
     CROSS JOIN LATERAL (
       SELECT w.name, w.created_at FROM tidemark.member w WHERE w.team_id = $1 AND w.id = a.author_id OFFSET 0) AS w
     GROUP BY 1`,
    values,
  );
  return new Map(rows.map((row) => [text(row, 'project_id'), list(row, 'names')]));
}

/** Returns how many members have written what the caller may read. */
export async function countAuthors(work: Work): Promise<number> {
  return totalOf(
    await work.row(
      `SELECT count(DISTINCT a.author_id) AS total FROM unnest(tidemark.readable()) AS p (id) CROSS JOIN LATERAL (
         SELECT a.author_id FROM tidemark.project_author a
         WHERE a.team_id = $1 AND a.project_id = p.id AND a.memories > 0 OFFSET 0) AS a`,
      [work.team],
    ),
  );
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

/** Returns kinds, states, last change, authors and agents of each project, or of one. */
export async function facets(work: Work, project?: string): Promise<readonly Facets[]> {
  const values: unknown[] = [work.team];
  const counts = await work.rows(
    `SELECT p.id AS project_id, f.kind, f.state, sum(f.memories) AS count, array_agg(DISTINCT f.agent) AS agents,
       (SELECT m.at FROM tidemark.memory m WHERE m.team_id = $1 AND m.project_id = p.id
        ORDER BY m.at DESC, m.id DESC LIMIT 1) AS last_at
     FROM ${projectsIn(project, values)} CROSS JOIN LATERAL (
       SELECT f.kind, f.state, f.agent, f.memories FROM tidemark.project_facet f
       WHERE f.team_id = $1 AND f.project_id = p.id AND f.memories > 0 OFFSET 0) AS f
     GROUP BY 1, 2, 3`,
    values,
  );
  const names = await authorsByProject(work, project);
  return [...Map.groupBy(counts, (row) => text(row, 'project_id'))].map(([id, rows]) => ({
    project: id,
    kinds: rows.map((row) => ({
      kind: oneOf(row, 'kind', MEMORY_KINDS),
      state: oneOf(row, 'state', MEMORY_STATES),
      count: number(row, 'count'),
    })),
    lastAt: rows[0] ? text(rows[0], 'last_at') : '',
    authors: names.get(id) ?? [],
    agents: AGENTS.filter((agent) => rows.some((row) => list(row, 'agents').includes(agent))),
  }));
}

/**
 * Returns the day in UTC of the memory at this place in the order of time, the newest first, and how many are on later
 * days: a listing continues there, instead of reading all rows before it.
 */
export async function dayOfPlace(
  work: Work,
  filter: MemoryFilter,
  place: number,
): Promise<{ readonly day: string; readonly later: number } | undefined> {
  const values: unknown[] = [work.team, place];
  const projects = projectsIn(filter.project, values);
  const where = facetConditions('d', filter, values);
  const row = await work.row(
    `SELECT day, upto - memories AS later FROM (
       SELECT d.day, sum(d.memories) AS memories, sum(sum(d.memories)) OVER (ORDER BY d.day DESC) AS upto
       FROM ${projects} CROSS JOIN LATERAL (
         SELECT d.day, d.memories FROM tidemark.project_day d
         WHERE d.team_id = $1 AND d.project_id = p.id${where} OFFSET 0) AS d
       GROUP BY d.day) AS days
     WHERE upto > $2 ORDER BY day DESC LIMIT 1`,
    values,
  );
  return row && { day: text(row, 'day'), later: number(row, 'later') };
}

/** Conditions on the kind, state and agent of a counter. */
function facetConditions(table: 'd' | 'f', { kind, state, agent }: MemoryFilter, values: unknown[]): string {
  return Object.entries({ kind, state, agent })
    .filter(([, wanted]) => wanted !== undefined)
    .map(([name, wanted]) => ` AND ${table}.${name} = ANY ($${values.push(several(wanted ?? []))})`)
    .join('');
}

function totalOf(row: Row | undefined): number {
  return row ? number(row, 'total') : 0;
}
