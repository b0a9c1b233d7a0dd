/** The reader thread's calls for the hub: pages, details and counts in the shape the page shows. Only reads. */
import { findSessions, type SessionSource } from '../../agents/index.ts';
import { pausesIn } from '../../capture/index.ts';
import { loadConfig } from '../../config/index.ts';
import {
  given,
  TidemarkError,
  type Agent,
  type Places,
  type Project,
  type StoredTurn,
} from '../../core/index.ts';
import type { Cursor, Facet, MemoryIndex, QueryVector, SessionCount } from '../../database/index.ts';
import { listTrash } from '../../memory/index.ts';
import {
  agentsIn,
  alsoSaid,
  cutToTokens,
  foundIn,
  HOME_ROWS,
  inForce,
  kindCounts,
  latestAndOpen,
  latestChanges,
  latestFirst,
  matchedWords,
  memoryDetail,
  memoryPage,
  overview,
  search,
  searchReasons,
  sessionCard,
  sessionDetail,
  usedToday,
  withProblems,
  zoneDays,
  type Hit,
  type ListedMemories,
  type MemoryPageQuery,
  type SectionFound,
  type Signals,
  markdownPage,
} from '../../recall/index.ts';

export interface HubReadsOptions {
  readonly places: Places;
  /** Called for every read, because the index may have been replaced. */
  readonly index: () => MemoryIndex;
  /** Returns the ranking signals, each seen from the memory's own project folder. */
  readonly signals: () => Promise<Signals>;
  /** Returns the turns of a session that the turn store still has. */
  readonly turns: (session: string) => Promise<readonly StoredTurn[]>;
  /** Returns the sections of files that agents load themselves. */
  readonly sections: (query: string, hits: readonly Hit[]) => readonly SectionFound[];
}

/** A section of a file may have pages; the file itself has the rest. */
const SECTION_TOKENS = 400;

interface SessionPageQuery {
  readonly project?: string;
  readonly agent?: readonly Agent[];
  readonly after?: Cursor;
  readonly limit: number;
}

/** The rest of a project that was forgotten as a whole is counted. */
const MOST_TRASHED = 200;

export type HubReads = ReturnType<typeof hubReads>;

export function hubReads({ places, index: open, signals, turns, sections }: HubReadsOptions) {
  return {
    'read.overview': ({ zone }: { zone?: string }) => {
      const [index, now] = [open(), new Date()];
      const { values } = loadConfig({ places, env: process.env });
      return {
        ...overview(index, zoneDays(zone), now),
        paused: pausesIn(index),
        captures: values['capture.enabled'],
        inReview: index.waiting().length,
      };
    },
    'read.home': async ({ zone }: { zone?: string }) => {
      const index = open();
      return {
        ...(await latestAndOpen(listed(index))),
        names: Object.fromEntries(index.projects().map(({ id, name }) => [id, name])),
        changed: latestChanges(index, HOME_ROWS),
        used: usedToday(index, zoneDays(zone), new Date(), HOME_ROWS),
      };
    },
    'read.changes': ({ limit }: { limit: number }) => latestChanges(open(), limit),
    'read.uses': ({ zone, limit }: { zone?: string; limit: number }) =>
      usedToday(open(), zoneDays(zone), new Date(), limit),
    'read.cards': () => {
      const index = open();
      const facets = Map.groupBy(index.facets(), ({ project }) => project);
      const sessions = index.sessionCounts();
      return latestFirst(
        index
          .projects()
          .map((project) => projectCard(index, project, facets.get(project.id) ?? [], sessions)),
      );
    },
    'read.project': async ({ id }: { id: string }) => {
      const index = open();
      // Only the name of a known project reaches the file system.
      const project = index.project(id);
      if (!project)
        throw new TidemarkError('not-found', `there is no project ${id}`, {
          hint: 'Projects are listed by: tidemark projects',
        });
      const facets = index.facets().filter((facet) => facet.project === id);
      return {
        ...projectCard(index, project, facets, index.sessionCounts()),
        ...(await inForce(listed(index), id)),
        page: markdownPage(index, id) ?? null,
      };
    },
    'read.page': (query: MemoryPageQuery) => memoryPage(listed(open()), query),
    'read.memory': async ({ id }: { id: string }) => memoryDetail(open(), id, await signals()),
    'read.found': async ({ query, limit, vector }: { query: string; limit: number; vector?: QueryVector }) =>
      found(open(), query, {
        now: new Date(),
        signals: await signals(),
        limit,
        sections,
        ...given({ vector }),
      }),
    'read.sessionPage': ({ project, agent, after, limit }: SessionPageQuery) => {
      const index = open();
      const sessions = index.sessions({ limit, ...given({ project, agent, after }) });
      const last = sessions.length === limit ? sessions.at(-1) : undefined;
      const counts = index.sessionCounts();
      return {
        sessions: sessions.map((session) => sessionCard(index, session)),
        total: counts
          .filter((one) => project === undefined || one.project === project)
          .filter((one) => !agent || agent.includes(one.agent))
          .reduce((sum, { count }) => sum + count, 0),
        next: last ? { at: last.lastAt, id: last.id } : null,
      };
    },
    'read.session': async ({ id }: { id: string }) =>
      sessionDetail(open(), places.ledger, id, await turns(id), await signals()),
    'read.inbox': () => {
      const index = open();
      return index.waiting().map((memory) => ({ memory, projectName: nameOf(index, memory.project) }));
    },
    'read.trash': async ({ limit = MOST_TRASHED }: { limit?: number }) => {
      const index = open();
      const { memories, total } = await listTrash(index, places, { now: new Date(), limit });
      const named = memories.map((one) => ({ ...one, projectName: nameOf(index, one.memory.project) }));
      return { memories: named, total };
    },
    'read.sources': ({ sources }: { sources: readonly SessionSource[] }) => sources.map(sourceCard),
  };
}

function nameOf(index: MemoryIndex, project: string): string {
  return index.project(project)?.name ?? project;
}

function sourceCard({ agent, folder }: SessionSource) {
  const { files } = findSessions([{ agent, folder }]);
  return {
    agent,
    folder,
    sessions: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    oldest: files.at(-1)?.modifiedAt.toISOString() ?? null,
    newest: files[0]?.modifiedAt.toISOString() ?? null,
  };
}

function listed(index: MemoryIndex): ListedMemories {
  return { list: (query) => index.memoriesBy(query), count: (filter) => index.memoryCount(filter) };
}

function projectCard(
  index: MemoryIndex,
  project: Project,
  facets: readonly Facet[],
  counts: readonly SessionCount[],
) {
  const sessions = counts
    .filter((one) => one.project === project.id)
    .reduce((sum, { count }) => sum + count, 0);
  const [newest] = index.memoriesBy({ project: project.id, limit: 1 });
  const [session] = index.sessions({ project: project.id, limit: 1 });
  const times = [newest?.at, session?.lastAt].filter((at) => at !== undefined).toSorted();
  return {
    ...project,
    ...kindCounts(facets),
    sessions,
    agents: agentsIn(counts, project.id),
    lastAt: times.at(-1) ?? null,
  };
}

function found(
  index: MemoryIndex,
  question: string,
  options: {
    readonly now: Date;
    readonly signals: Signals;
    readonly limit: number;
    readonly sections: HubReadsOptions['sections'];
    readonly vector?: QueryVector;
  },
) {
  const { now, vector } = options;
  const { query, hits, considered } = withProblems(
    index,
    search(index, question, { ...options, endedLast: true }),
  );
  const turns = alsoSaid(index, question, hits, { now, ...given({ vector }) });
  return {
    query,
    hits: hits.map((hit) => ({
      ...hit,
      matched: foundIn(hit.memory, query.text),
      reasons: searchReasons(hit, query),
    })),
    turns: turns.map(({ turn: { id, session, project, at, prompt, answer }, score }) => ({
      id,
      session,
      project,
      at,
      prompt,
      answer,
      score,
      matched: matchedWords(query.text, `${prompt}\n${answer}`),
    })),
    sections: options.sections(question, hits).map(({ section, score }) => ({
      ...section,
      text: cutToTokens(section.text, SECTION_TOKENS),
      score,
      matched: matchedWords(query.text, `${section.title}\n${section.text}`),
    })),
    considered: considered.length,
  };
}
