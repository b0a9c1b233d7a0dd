/**
 * Listings of memories that the hub of a machine and the hub of a team server build in the same way, from any store
 * that lists and counts memories. Only reads.
 */
import {
  AGENTS,
  given,
  isStanding,
  MEMORY_KINDS,
  type Agent,
  type Memory,
  type MemoryKind,
} from '../../core/index.ts';
import type { Cursor, MemoryFilter, SessionCount } from '../../database/index.ts';
import { zoneDays } from '../zone-days.ts';

type Soon<T> = T | Promise<T>;

/** A store of memories: the index of a machine, or the part of a team's database that a member may read. */
export interface ListedMemories {
  /** Returns the newest memories first. */
  list(query: MemoryFilter & { readonly limit: number; readonly after?: Cursor }): Soon<readonly Memory[]>;
  count(filter: MemoryFilter): Soon<number>;
}

export interface MemoryPageQuery extends MemoryFilter {
  /** IANA name of the time zone that days are counted in. */
  readonly zone?: string;
  readonly after?: Cursor;
  readonly limit: number;
}

const MOST_ISSUES = 200;
const MOST_STANDING = 100;
/** How many preferences and patterns are read to find those in force. */
const MOST_RULES_READ = 500;

/** Returns one page of a list. `days` counts every memory of the days on this page, including those on other pages. */
export async function memoryPage(
  store: ListedMemories,
  { after, limit, zone, since, until, ...where }: MemoryPageQuery,
) {
  const days = zoneDays(zone);
  const filter: MemoryFilter = {
    ...where,
    ...(since === undefined ? {} : { since: days.from(since) }),
    ...(until === undefined ? {} : { until: days.to(until) }),
  };
  const memories = await store.list({ ...filter, limit, ...given({ after }) });
  const last = memories.length === limit ? memories.at(-1) : undefined;
  const counts: { readonly date: string; readonly count: number }[] = [];
  for (const date of new Set(memories.map(({ at }) => days.dayOf(at)))) {
    const [from, to] = [days.from(date), days.to(date)];
    const within = {
      since: filter.since !== undefined && filter.since > from ? filter.since : from,
      until: filter.until !== undefined && filter.until < to ? filter.until : to,
    };
    counts.push({ date, count: await store.count({ ...filter, ...within }) });
  }
  return {
    memories,
    total: await store.count(filter),
    next: last ? { at: last.at, id: last.id } : null,
    days: counts,
  };
}

/** Returns the open issues of a project, and the decisions, preferences and patterns in force, newest first. */
export async function inForce({ list }: ListedMemories, project: string) {
  const issues = await list({ project, kind: 'issue', state: 'open', limit: MOST_ISSUES });
  const decisions = await list({ project, kind: 'decision', state: 'current', limit: MOST_STANDING + 1 });
  const rules = await list({
    project,
    kind: ['preference', 'pattern'],
    state: 'current',
    limit: MOST_RULES_READ,
  });
  const standing = [...decisions, ...rules.filter(isStanding)].toSorted((a, b) => b.at.localeCompare(a.at));
  return { issues, standing: standing.slice(0, MOST_STANDING), moreStands: standing.length > MOST_STANDING };
}

/** Adds up how many memories a project has. A kind without memories is left out. */
export function kindCounts(
  facets: readonly { readonly kind: string; readonly state: string; readonly count: number }[],
) {
  const sum = (some: typeof facets): number => some.reduce((total, { count }) => total + count, 0);
  const byKind = MEMORY_KINDS.map((kind) => [kind, sum(facets.filter((one) => one.kind === kind))] as const);
  return {
    memories: sum(facets),
    openIssues: sum(facets.filter(({ kind, state }) => kind === 'issue' && state === 'open')),
    byKind: Object.fromEntries(byKind.filter(([, count]) => count > 0)) as Partial<
      Record<MemoryKind, number>
    >,
  };
}

/** Returns the agents with sessions in a project, or in any, in the order in which users see them. */
export function agentsIn(counts: readonly SessionCount[], project?: string): readonly Agent[] {
  const used = counts.filter((one) => project === undefined || one.project === project);
  return AGENTS.filter((agent) => used.some((one) => one.agent === agent));
}

/** Sorts projects: the one with the latest activity first. */
export function latestFirst<T extends { readonly id: string; readonly lastAt: string | null }>(
  projects: readonly T[],
): readonly T[] {
  return projects.toSorted(
    (a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || a.id.localeCompare(b.id),
  );
}
