/** The reader's answers to the hub: pages, details and counts in the shape its page shows them. Changes nothing. */
import { pausesIn } from '../../capture/index.ts';
import { loadConfig } from '../../config/index.ts';
import {
  isStanding,
  MEMORY_KINDS,
  TidemarkError,
  type Memory,
  type MemoryKind,
  type MemoryState,
  type Places,
  type Project,
  type StoredTurn,
} from '../../core/index.ts';
import type { Cursor, Facet, MemoryFilter, MemoryIndex, QueryVector } from '../../database/index.ts';
import { listTranscripts } from '../../exchange/import/index.ts';
import {
  alsoSaid,
  foundIn,
  matchedWords,
  search,
  zoneDays,
  type Signals,
  type TurnFound,
  type ZoneDays,
  memoryDetail,
  overview,
  spendingIn,
  sessionCard,
  sessionDetail,
  withProblems,
} from '../../recall/index.ts';
import { Journal } from '../../storage/journal/index.ts';

const MOST_ISSUES = 200;
const MOST_STANDING = 100;
/** Preferences and patterns are looked through for those that stand. */
const LOOKED_THROUGH = 500;

export interface HubReadsOptions {
  readonly places: Places;
  /** Asked each time: it may be replaced. */
  readonly index: () => MemoryIndex;
  /** What is known about memories, each seen from its own project's folder. */
  readonly signals: () => Promise<Signals>;
  /** The turns of a session as the turn store has them. */
  readonly turns: (session: string) => Promise<readonly StoredTurn[]>;
  readonly now?: () => Date;
}

export interface PageQuestion {
  readonly project?: string;
  readonly kind?: readonly MemoryKind[];
  readonly state?: readonly MemoryState[];
  readonly session?: string;
  readonly file?: string;
  readonly since?: string;
  readonly until?: string;
  readonly after?: Cursor;
  readonly limit: number;
  readonly zone?: string;
}

export interface FoundQuestion {
  readonly query: string;
  readonly limit: number;
  readonly vector?: QueryVector;
}

export interface SessionsQuestion {
  readonly project?: string;
  readonly after?: Cursor;
  readonly limit: number;
}

export type HubReads = ReturnType<typeof hubReads>;

export function hubReads({
  places,
  index: open,
  signals,
  turns,
  now: clock = () => new Date(),
}: HubReadsOptions) {
  return {
    'read.overview': ({ zone }: { zone?: string }) => {
      const [index, now] = [open(), clock()];
      const { values } = loadConfig({ places, env: process.env });
      return {
        ...overview(index, zoneDays(zone), now),
        spending: spendingIn(index, values, now),
        paused: pausesIn(index),
        captures: values['capture.enabled'],
        inReview: index.waiting().length,
      };
    },
    'read.cards': () => {
      const index = open();
      const facets = Map.groupBy(index.facets(), ({ project }) => project);
      const sessions = index.sessionCounts();
      return index
        .projects()
        .map((project) => cardOf(index, project, facets.get(project.id) ?? [], sessions.get(project.id) ?? 0))
        .toSorted((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || a.id.localeCompare(b.id));
    },
    'read.project': ({ id }: { id: string }) => projectDetail(open(), new Journal(places.journal), id),
    'read.page': (question: PageQuestion) => memoryPage(open(), question),
    'read.memory': async ({ id }: { id: string }) => memoryDetail(open(), id, await signals()),
    'read.found': async (question: FoundQuestion) =>
      found(open(), question, { now: clock(), signals: await signals() }),
    'read.sessionPage': ({ project, after, limit }: SessionsQuestion) => {
      const index = open();
      const where = project === undefined ? {} : { project };
      const sessions = index.sessions({ limit, ...where, ...(after ? { after } : {}) });
      const last = sessions.length === limit ? sessions.at(-1) : undefined;
      const counts = index.sessionCounts();
      return {
        sessions: sessions.map((session) => sessionCard(index, session)),
        total:
          project === undefined
            ? [...counts.values()].reduce((sum, n) => sum + n, 0)
            : (counts.get(project) ?? 0),
        next: last ? { at: last.lastAt, id: last.id } : null,
      };
    },
    'read.session': async ({ id }: { id: string }) =>
      sessionDetail(open(), places.ledger, id, await turns(id), await signals()),
    'read.inbox': () => {
      const index = open();
      return index
        .waiting()
        .map((memory) => ({ memory, projectName: index.project(memory.project)?.name ?? memory.project }));
    },
    'read.sources': ({ configDir: folder }: { configDir: string }) => {
      const files = listTranscripts(folder);
      return [
        {
          agent: 'claude-code' as const,
          folder,
          sessions: files.length,
          bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
          oldest: files.at(-1)?.modifiedAt.toISOString() ?? null,
          newest: files[0]?.modifiedAt.toISOString() ?? null,
        },
      ];
    },
  };
}

function cardOf(index: MemoryIndex, project: Project, facets: readonly Facet[], sessions: number) {
  const count = (wanted: readonly Facet[]): number => wanted.reduce((sum, facet) => sum + facet.count, 0);
  const byKind = MEMORY_KINDS.map(
    (kind) => [kind, count(facets.filter((facet) => facet.kind === kind))] as const,
  );
  const [newest] = index.memoriesBy({ project: project.id, limit: 1 });
  const [session] = index.sessions({ project: project.id, limit: 1 });
  const lastAt = [newest?.at, session?.lastAt]
    .filter((at) => at !== undefined)
    .toSorted()
    .at(-1);
  return {
    ...project,
    memories: count(facets),
    sessions,
    openIssues: count(facets.filter(({ kind, state }) => kind === 'issue' && state === 'open')),
    byKind: Object.fromEntries(byKind.filter(([, n]) => n > 0)) as Partial<Record<MemoryKind, number>>,
    lastAt: lastAt ?? null,
  };
}

function projectDetail(index: MemoryIndex, journal: Journal, id: string) {
  // Only a name we know reaches the file system.
  const project = index.project(id);
  if (!project)
    throw new TidemarkError('not-found', `no project ${id}`, {
      hint: 'Projects are listed by: tidemark projects',
    });
  const facets = index.facets().filter((facet) => facet.project === id);
  const decisions = index.memoriesBy({
    project: id,
    kind: 'decision',
    state: 'current',
    limit: MOST_STANDING + 1,
  });
  const ways = index.memoriesBy({
    project: id,
    kind: ['preference', 'pattern'],
    state: 'current',
    limit: LOOKED_THROUGH,
  });
  const standing = [...decisions, ...ways.filter(isStanding)].toSorted((a, b) => b.at.localeCompare(a.at));
  return {
    ...cardOf(index, project, facets, index.sessionCounts().get(id) ?? 0),
    issues: index.memoriesBy({ project: id, kind: 'issue', state: 'open', limit: MOST_ISSUES }),
    standing: standing.slice(0, MOST_STANDING),
    moreStands: standing.length > MOST_STANDING,
    page: journal.page(id),
  };
}

function memoryPage(index: MemoryIndex, { after, limit, zone, since, until, ...where }: PageQuestion) {
  const days = zoneDays(zone);
  const filter: MemoryFilter = {
    ...where,
    ...(since === undefined ? {} : { since: days.from(since) }),
    ...(until === undefined ? {} : { until: days.to(until) }),
  };
  const memories = index.memoriesBy({ ...filter, limit, ...(after ? { after } : {}) });
  const last = memories.length === limit ? memories.at(-1) : undefined;
  return {
    memories,
    total: index.memoryCount(filter),
    next: last ? { at: last.at, id: last.id } : null,
    days: daysOf(index, filter, memories, days),
  };
}

function daysOf(index: MemoryIndex, filter: MemoryFilter, memories: readonly Memory[], days: ZoneDays) {
  const dates = new Set(memories.map(({ at }) => days.dayOf(at)));
  return [...dates].map((date) => {
    const [since, until] = [days.from(date), days.to(date)];
    const within = {
      since: filter.since !== undefined && filter.since > since ? filter.since : since,
      until: filter.until !== undefined && filter.until < until ? filter.until : until,
    };
    return { date, count: index.memoryCount({ ...filter, ...within }) };
  });
}

function found(
  index: MemoryIndex,
  { query: text, limit, vector }: FoundQuestion,
  { now, signals }: { readonly now: Date; readonly signals: Signals },
) {
  const options = { now, ...(vector ? { vector } : {}) };
  const { query, hits, considered } = withProblems(
    index,
    search(index, text, { ...options, signals, limit }),
  );
  return {
    query,
    hits: hits.map((hit) => ({ ...hit, matched: foundIn(hit.memory, query.text) })),
    turns: alsoSaid(index, text, hits, options).map((hit) => turnHit(hit, query.text)),
    considered: considered.length,
  };
}

function turnHit({ turn, score }: TurnFound, question: string) {
  const { id, session, project, at, prompt, answer } = turn;
  return {
    id,
    session,
    project,
    at,
    prompt,
    answer,
    score,
    matched: matchedWords(question, `${prompt}\n${answer}`),
  };
}
