/** What the page of a team's hub shows, out of what the member may read. Changes nothing. */
import { given, isStanding, MEMORY_KINDS, type Memory, type MemoryKind } from '../../core/index.ts';
import type { Cursor, MemoryFilter } from '../../database/index.ts';
import type { SharedProject } from '../../exchange/sync/index.ts';
import type { Found, MemoryList, Overview, ProjectCard, ProjectDetail } from '../../http/index.ts';
import { activity, addDays, firstDayOf, foundIn, zoneDays, type ZoneDays } from '../../recall/index.ts';
import {
  authorsByProject,
  browse,
  countMemories,
  countsByTime,
  facets,
  listProjects,
  oldestMemory,
  projectById,
  searchMemories,
  type VectorMode,
  type Work,
} from '../store/index.ts';
import { memoryOf } from './_memory.ts';
import type { Counted } from './counted.ts';

type Facets = Awaited<ReturnType<typeof facets>>[number];

const MOST_ISSUES = 200;
const MOST_STANDING = 100;
/** Preferences and patterns are looked through for those that stand. */
const LOOKED_THROUGH = 500;
/** Days further back count as one: nobody's memory is older, and each costs a little. */
const MOST_DAYS = 20 * 366;
const PROJECTS_AT_ONCE = 200;

export async function overview(
  work: Work,
  counted: Counted,
  zone: string | undefined,
  now: Date,
): Promise<Overview> {
  const days = zoneDays(zone);
  // A day is over some time: its name is a part of what was counted.
  const name = `overview ${days.zone} ${days.dayOf(now.getTime())}`;
  return counted.of(work, name, () => freshOverview(work, days, now));
}

async function freshOverview(work: Work, days: ZoneDays, now: Date): Promise<Overview> {
  const oldest = (await oldestMemory(work)) ?? now.toISOString();
  const dates = datesFrom(days, oldest, now);
  const counts = await countsByTime(
    work,
    dates.map((date) => days.startOf(date)),
  );
  const byDay = Map.groupBy(counts, ({ place }) => place);
  const total = (some: readonly { readonly count: number }[]): number =>
    some.reduce((sum, { count }) => sum + count, 0);
  /** Days that are not among the dates lie before all of them. */
  const placeOf = new Map(dates.map((date, i) => [date, i + 1]));
  const authors = await authorsByProject(work);
  const memories = total(counts);
  const projects = await allProjects(work);
  return {
    memories,
    turns: 0,
    sessions: 0,
    projects: projects.length,
    activeDays: byDay.size,
    averagePerDay: memories / Math.max(1, byDay.size),
    averagePerProject: memories / Math.max(1, authors.size),
    authors: new Set([...authors.values()].flat()).size,
    ...activity(days, now, (from, until, kind) => {
      const [first, last] = [
        from === undefined ? 0 : (placeOf.get(from) ?? 0),
        placeOf.get(until) ?? dates.length + 1,
      ];
      let sum = 0;
      for (let place = first; place < last; place++) {
        const some = byDay.get(place) ?? [];
        sum += total(kind === undefined ? some : some.filter((one) => one.kind === kind));
      }
      return sum;
    }),
  };
}

export async function cards(work: Work, counted: Counted): Promise<readonly ProjectCard[]> {
  const held = new Map((await heldIn(work, counted)).map((one) => [one.project, one]));
  const projects = await allProjects(work);
  return projects
    .map((project) => cardOf(project, held.get(project.id)))
    .toSorted((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || a.id.localeCompare(b.id));
}

export async function projectDetail(work: Work, counted: Counted, id: string): Promise<ProjectDetail> {
  const project = await projectById(work, id);
  const held = (await heldIn(work, counted)).find((one) => one.project === project.id);
  const of = (filter: MemoryFilter, limit: number): Promise<readonly Memory[]> =>
    browse(work, { project: project.id, ...filter }, { limit }).then((some) => some.map(memoryOf));
  const issues = await of({ kind: 'issue', state: 'open' }, MOST_ISSUES);
  const decisions = await of({ kind: 'decision', state: 'current' }, MOST_STANDING + 1);
  const ways = await of({ kind: ['preference', 'pattern'], state: 'current' }, LOOKED_THROUGH);
  const standing = [...decisions, ...ways.filter(isStanding)].toSorted((a, b) => b.at.localeCompare(a.at));
  return {
    ...cardOf(project, held),
    issues,
    standing: standing.slice(0, MOST_STANDING),
    moreStands: standing.length > MOST_STANDING,
    page: null,
  };
}

export interface PageQuestion extends Omit<MemoryFilter, 'turn'> {
  readonly zone?: string | undefined;
}

export async function memoryPage(
  work: Work,
  counted: Counted,
  { zone, since, until, ...where }: { readonly [K in keyof PageQuestion]?: PageQuestion[K] | undefined },
  { limit, after }: { readonly limit: number; readonly after: Cursor | undefined },
): Promise<Omit<MemoryList, 'next'> & { readonly next: Cursor | null }> {
  const days = zoneDays(zone);
  const filter = {
    ...where,
    ...(since === undefined ? {} : { since: days.from(since) }),
    ...(until === undefined ? {} : { until: days.to(until) }),
  } as MemoryFilter; // what is undefined filters nothing
  const shared = await browse(work, filter, { limit, after });
  const memories = shared.map(memoryOf);
  const last = memories.length === limit ? memories.at(-1) : undefined;
  return {
    memories,
    total: await totalOf(work, counted, filter),
    next: last ? { at: last.at, id: last.id } : null,
    days: await daysOf(work, filter, memories, days),
  };
}

export async function found(
  work: Work,
  question: string,
  { limit, mode, now }: { readonly limit: number; readonly mode: VectorMode; readonly now: Date },
): Promise<Found> {
  const { query, hits, considered } = await searchMemories(work, mode, question, { now, limit });
  return {
    query,
    hits: hits.map(({ author, memory, ...hit }) => ({
      ...hit,
      memory: { ...memory, ...(author.name === '' ? {} : { author: author.name }) },
      matched: foundIn(memory, query.text),
    })),
    turns: [],
    considered: considered.length,
  };
}

/** What each project holds: kinds, states, authors. */
function heldIn(work: Work, counted: Counted): Promise<readonly Facets[]> {
  return counted.of(work, 'facets', () => facets(work));
}

/** Of whole projects, kinds and states it is known already. */
async function totalOf(work: Work, counted: Counted, filter: MemoryFilter): Promise<number> {
  const { project, kind, state, ...rest } = filter;
  if (Object.values(rest).some((value) => value !== undefined)) return countMemories(work, filter);
  const isWanted = (wanted: string | readonly string[] | undefined, one: string): boolean =>
    wanted === undefined || [wanted].flat().includes(one);
  return (await heldIn(work, counted))
    .filter((held) => isWanted(project, held.project))
    .flatMap(({ kinds }) => kinds)
    .filter((one) => isWanted(kind, one.kind) && isWanted(state, one.state))
    .reduce((sum, { count }) => sum + count, 0);
}

function cardOf({ id, name, keys }: SharedProject, held: Facets | undefined): ProjectCard {
  const kinds = held?.kinds ?? [];
  const count = (of: (one: (typeof kinds)[number]) => boolean): number =>
    kinds.filter(of).reduce((sum, one) => sum + one.count, 0);
  const byKind = MEMORY_KINDS.map((kind) => [kind, count((one) => one.kind === kind)] as const);
  return {
    id,
    name,
    keys,
    paths: [],
    memories: count(() => true),
    sessions: 0,
    openIssues: count(({ kind, state }) => kind === 'issue' && state === 'open'),
    byKind: Object.fromEntries(byKind.filter(([, n]) => n > 0)) as Partial<Record<MemoryKind, number>>,
    lastAt: held?.lastAt ?? null,
    authors: held?.authors ?? [],
  };
}

async function daysOf(
  work: Work,
  filter: MemoryFilter,
  memories: readonly Memory[],
  days: ZoneDays,
): Promise<MemoryList['days']> {
  const dates = [...new Set(memories.map(({ at }) => days.dayOf(at)))];
  const counts: { date: string; count: number }[] = [];
  for (const date of dates) {
    const [since, until] = [days.from(date), days.to(date)];
    const within = {
      since: filter.since !== undefined && filter.since > since ? filter.since : since,
      until: filter.until !== undefined && filter.until < until ? filter.until : until,
    };
    counts.push({ date, count: await countMemories(work, { ...filter, ...within }) });
  }
  return counts;
}

/** From the day of the oldest memory, or of the calendar's beginning, to tomorrow. */
function datesFrom(days: ZoneDays, oldest: string, now: Date): readonly string[] {
  const today = days.dayOf(now.getTime());
  const earliest = addDays(today, -MOST_DAYS);
  const first = [days.dayOf(oldest), firstDayOf(days, now)].toSorted()[0] ?? today;
  const dates: string[] = [];
  for (let date = first < earliest ? earliest : first; date <= addDays(today, 1); date = addDays(date, 1))
    dates.push(date);
  return dates;
}

async function allProjects(work: Work): Promise<readonly SharedProject[]> {
  const all: SharedProject[] = [];
  let cursor: string | undefined;
  do {
    const page = await listProjects(work, {
      limit: PROJECTS_AT_ONCE,
      ...given({ cursor }),
    });
    all.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return all;
}
