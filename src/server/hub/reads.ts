/** Pages of a team's hub, from what the member may read. Only reads. */
import { given } from '../../core/index.ts';
import type { SharedProject } from '../../exchange/sync/index.ts';
import type {
  AuditList,
  Found,
  Home,
  Members,
  MemoryPage,
  Overview,
  ProjectCard,
  ProjectDetail,
} from '../../http/index.ts';
import {
  activity,
  addDays,
  firstDayOf,
  foundIn,
  inForce,
  kindCounts,
  latestAndOpen,
  latestFirst,
  memoryPage,
  zoneDays,
  type ListedMemories,
  type MemoryPageQuery,
  type ZoneDays,
  searchReasons,
  type SearchOptions,
} from '../../recall/index.ts';
import {
  allShares,
  browse,
  countAuthors,
  countMemories,
  countsByTime,
  facets,
  listAudit,
  listKeys,
  listMembers,
  listProjects,
  oldestMemory,
  projectById,
  searchMemories,
  type VectorMode,
  type Work,
} from '../store/index.ts';
import { memoryOf } from './memory-detail.ts';

type Facets = Awaited<ReturnType<typeof facets>>[number];

/** Older days count as one day: no memory is that old, and every day costs a little. */
const MOST_DAYS = 20 * 366;
const PROJECTS_AT_ONCE = 200;
const AUDIT_ROWS = 50;

export async function overview(work: Work, zone: string | undefined, now: Date): Promise<Overview> {
  const days = zoneDays(zone);
  const oldest = (await oldestMemory(work)) ?? now.toISOString();
  const dates = datesFrom(days, oldest, now);
  const counts = await countsByTime(
    work,
    dates.map((date) => days.startOf(date)),
  );
  const byDay = Map.groupBy(counts, ({ place }) => place);
  const total = (some: readonly { readonly count: number }[]): number =>
    some.reduce((sum, { count }) => sum + count, 0);
  /** Place 0 is for all days before the first date. */
  const placeOf = new Map(dates.map((date, i) => [date, i + 1]));
  const memories = total(counts);
  const projects = await allProjects(work);
  return {
    memories,
    turns: 0,
    sessions: 0,
    projects: projects.length,
    activeDays: byDay.size,
    averagePerDay: memories / Math.max(1, byDay.size),
    averagePerProject: memories / Math.max(1, projects.length),
    authors: await countAuthors(work),
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

export async function projectCards(work: Work): Promise<readonly ProjectCard[]> {
  const byProject = new Map((await facets(work)).map((one) => [one.project, one]));
  const projects = await allProjects(work);
  return latestFirst(projects.map((project) => projectCard(project, byProject.get(project.id))));
}

export async function projectDetail(work: Work, id: string): Promise<ProjectDetail> {
  const project = await projectById(work, id);
  const [found] = await facets(work, project.id);
  return {
    ...projectCard(project, found),
    ...(await inForce(listed(work), project.id)),
    page: null,
  };
}

export function listPage(work: Work, query: MemoryPageQuery): Promise<MemoryPage> {
  return memoryPage(listed(work), query);
}

export async function home(work: Work): Promise<Home> {
  const names = Object.fromEntries((await allProjects(work)).map(({ id, name }) => [id, name]));
  return { ...(await latestAndOpen(listed(work))), names };
}

export async function searchPage(
  work: Work,
  mode: VectorMode,
  question: string,
  options: Pick<SearchOptions, 'limit' | 'now' | 'vector'>,
): Promise<Found> {
  const { query, hits, considered } = await searchMemories(work, mode, question, {
    ...options,
    endedLast: true,
  });
  return {
    query,
    hits: hits.map(({ author, memory, ...hit }) => ({
      ...hit,
      memory: { ...memory, ...(author.name === '' ? {} : { author: author.name }) },
      matched: foundIn(memory, query.text),
      reasons: searchReasons({ memory, ...hit }, query),
    })),
    turns: [],
    sections: [],
    considered: considered.length,
  };
}

export async function members(work: Work, team: string): Promise<Members> {
  const all = await listMembers(work, { removed: true });
  return {
    team,
    members: all.filter(({ removedAt }) => removedAt === undefined),
    former: all.filter(({ removedAt }) => removedAt !== undefined).map(({ id, name }) => ({ id, name })),
    keys: await listKeys(work),
    projects: await allShares(work),
  };
}

export async function auditList(work: Work, before: string | undefined): Promise<AuditList> {
  const page = await listAudit(work, { limit: AUDIT_ROWS, ...given({ cursor: before }) });
  return { entries: page.items, next: page.cursor ?? null };
}

function listed(work: Work): ListedMemories {
  return {
    list: async ({ limit, after, ...filter }) => (await browse(work, filter, { limit, after })).map(memoryOf),
    count: (filter) => countMemories(work, filter),
  };
}

function projectCard({ id, name, keys }: SharedProject, found: Facets | undefined): ProjectCard {
  const { kinds = [], lastAt = null, authors = [], agents = [] } = found ?? {};
  return { id, name, keys, paths: [], ...kindCounts(kinds), sessions: 0, agents, lastAt, authors };
}

/** Returns every day from the oldest memory, or from the start of the calendar, until tomorrow. */
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
    const page = await listProjects(work, { limit: PROJECTS_AT_ONCE, ...given({ cursor }) });
    all.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return all;
}
