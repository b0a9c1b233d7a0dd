/** The reader thread: answers hooks and questions from the index and the turn store. Changes nothing. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import {
  answerHook,
  blame,
  Branches,
  captureGap,
  FileStates,
  findRepository,
  folderOf,
  gapLine,
  KNOWN_HEADS,
  namesInProject,
  pausesIn,
  rememberedLine,
  resolveProject,
  signalsFrom,
  type Answer,
  type LineStory,
  type Question,
  type ResolvedProject,
} from '../../capture/index.ts';
import { loadConfig } from '../../config/index.ts';
import {
  given,
  PERSONAL_PROJECT,
  TidemarkError,
  type Places,
  type Project,
  type Session,
  type StoredTurn,
} from '../../core/index.ts';
import { MemoryIndex, type IndexedTurn, type MemoryEntry } from '../../database/index.ts';
import { keepCounts } from '../../distill/index.ts';
import { exportReads } from '../../exchange/export/index.ts';
import { teamView } from '../../exchange/sync/team/index.ts';
import { BUILT, noMemory } from '../../memory/index.ts';
import {
  agentsIn,
  age,
  brief,
  entryCost,
  relationsOf,
  searchSessions,
  timeline,
  TIME_HINT,
  titleOfSession,
  why,
  type BranchNow,
  type FileChange,
  type Hit,
  type Relations,
  type Signals,
  whyNoBrief,
  markdownPage,
} from '../../recall/index.ts';
import { TurnStore } from '../../storage/turns/index.ts';
import { hubReads } from '../api/hub-reads.ts';
import type { Handlers, ReaderCalls } from '../api/table.ts';
import { collectGarbage } from '../lifecycle/heap.ts';
import { health } from '../repair/health.ts';
import { conversation, sessionTurns, type Conversation } from './conversation.ts';
import { OwnSections } from './_own-sections.ts';
import { searchAnswer } from './search-answer.ts';
import { answerCommand, answerFile } from './_tool-call-answers.ts';
import { serveCalls } from './worker-port.ts';

const DEFAULT_LIMIT = 10;
/** Git answers in a tenth of this, unless the disk is busy: then the branch stays unknown. */
const GIT_WAIT_MS = 2_000;

const DENIED_DAYS = 7;
const DENIED_SESSIONS = 30;
const OUR_TOOL = /^mcp__(?:plugin_)?tidemark_\w*?__/;

/** A folder, as capture sees it. */
export interface FolderView {
  readonly project: string;
  readonly name: string;
  /** The root of the project's work tree, or the folder itself. */
  readonly root: string;
  /** Excluded by `.tidemark-ignore` or capture.ignore. */
  readonly ignored: boolean;
  /** Pauses in force here: of this project, everywhere, or of single sessions. */
  readonly paused: ReturnType<typeof pausesIn>;
}

/** An entry, and what changed since in the work tree of the caller. */
export type ShownMemory = MemoryEntry & {
  readonly projectName: string;
  readonly tokens: number;
  readonly changes: readonly FileChange[];
  readonly branch: BranchNow;
} & Relations;

export type ListedProject = Project & { readonly memories: number; readonly lastAt: string | null };

/** Calls of our MCP tools that the client denied. */
export interface DeniedCalls {
  readonly count: number;
  /** The time of the last one. */
  readonly at: string;
  /** Names of the tools, without the server's. */
  readonly tools: readonly string[];
}

interface Where {
  /** The folder of the caller; its project ranks first. */
  readonly dir?: string;
  readonly project?: string;
}

export function serveReader(places: Places): void {
  serveCalls<ReaderCalls>(handlersOf(new Reader(places), places));
}

function handlersOf(reader: Reader, places: Places): Handlers<ReaderCalls> {
  return {
    answer: (question) => reader.answer(question, reader.resolve(question.projectDir)),
    'answer.file': (question) => answerFile(reader, question),
    'answer.command': (question) => answerCommand(reader, question),
    /** Loads a few vectors at a time, so that calls in between are answered. */
    'load-vectors': async () => {
      while (!reader.index.loadVectors()) await new Promise((resolve) => setImmediate(resolve));
    },
    gap: async (question) => {
      const gap = await captureGap(reader.index, places, question);
      return gap ? gapLine(gap, age(gap.at, new Date())) : '';
    },
    remembered: ({ ids, agent }) => rememberedLine(reader.index, ids, agent),
    'keep.counts': () => keepCounts(reader.index),
    rest: collectGarbage,
    'read.search': async ({ query, limit = DEFAULT_LIMIT, all = false, vector, ...where }) => {
      const signals = await reader.signals(where);
      const { index } = reader;
      const project = reader.knownProject(where);
      const about = { query, limit, all, now: new Date(), signals };
      const sections = (text: string, hits: readonly Hit[]) =>
        reader.ownSections.search(text, hits, { ...where, all });
      return searchAnswer(index, { ...about, sections, ...given({ project, vector }) });
    },
    'read.show': async ({ ids, ...where }) => {
      const signals = await reader.signals(where);
      const { index } = reader;
      return ids.map((id) => {
        const entry = index.memoryEntry(id) ?? index.memoryEntry(index.merged(id)?.into ?? '');
        if (!entry) throw noMemory(index, id);
        const { memory } = entry;
        const { changes } = signals.files(memory);
        const branch = signals.branch(memory);
        const beside = relationsOf(index, memory);
        const projectName = index.project(memory.project)?.name ?? memory.project;
        return { ...entry, projectName, tokens: entryCost(memory), changes, branch, ...beside };
      });
    },
    'read.section': ({ id, ...where }) => reader.ownSections.byId(id, where),
    'read.transcript': async ({ id }) => {
      const { memory, turn, previous, next } = await reader.conversation(id, 0);
      if (!turn)
        throw new TidemarkError('not-found', `${id} is a session, not a turn`, {
          hint: 'Name one of its turns.',
        });
      return { memory, turn, previous, next };
    },
    'read.conversation': ({ id, around = 0 }) => reader.conversation(id, around),
    'read.sessionTurns': ({ id }) => sessionTurns(reader.index, id) ?? null,
    'read.blame': ({ file, line }) => reader.blame(file, line),
    'read.turns': ({ session }) => reader.turns(session),
    'read.timeline': ({ around, limit = DEFAULT_LIMIT, ...where }) => {
      const half = Math.ceil(limit / 2);
      const range = { around, now: new Date(), before: half, after: half };
      const line = timeline(reader.index, { ...range, ...given({ project: reader.projectOf(where) }) });
      if (!line) throw notAMoment(reader.index, around);
      return line;
    },
    'read.brief': async ({ tokens, ...where }) => {
      const project = reader.projectOf(where);
      if (!project) return null;
      const signals = await reader.signals(where);
      return brief(reader.index, { project, now: new Date(), budgetTokens: tokens, signals }) ?? null;
    },
    'read.markdown': ({ session, ...where }) =>
      markdownPage(reader.index, reader.projectOf(where), session) ?? null,
    'read.whyNoBrief': (where) => whyNoBrief(reader.index, reader.projectOf(where) ?? PERSONAL_PROJECT),
    'read.memories': ({ limit = DEFAULT_LIMIT, offset = 0, ...where }) =>
      reader.index.memoriesBy({ limit, offset, ...given({ project: reader.projectOf(where) }) }),
    /** The newest sessions, or those that match the query, best first. */
    'read.sessions': ({ query = '', since, agent = [], limit = DEFAULT_LIMIT, ...where }) => {
      const { index } = reader;
      const within = { limit, ...given({ project: reader.projectOf(where) }) };
      const titled = (session: Session): Session => ({
        ...session,
        ...given({ title: titleOfSession(index, session) }),
      });
      if (query === '')
        return index
          .sessions({ ...within, ...given({ since }), ...(agent.length > 0 ? { agent } : {}) })
          .map(titled);
      const filters = [agent.length > 0 ? `agent:${agent.join(',')}` : [], since ? `since:${since}` : []];
      const asked = [query, ...filters.flat()].join(' ');
      return searchSessions(index, asked, { now: new Date(), scope: 'project', ...within })
        .flatMap(({ session }) => index.session(session) ?? [])
        .map(titled);
    },
    'read.agents': (where) => agentsIn(reader.index.sessionCounts(), reader.projectOf(where)),
    'read.projects': () => {
      const { index } = reader;
      const { byProject } = index.stats();
      return index.projects().map((project) => ({
        ...project,
        memories: byProject[project.id] ?? 0,
        lastAt: index.sessions({ project: project.id, limit: 1 })[0]?.lastAt ?? null,
      }));
    },
    'read.waiting': (where) => reader.index.waiting(reader.projectOf(where)),
    'read.stats': () => reader.index.stats(),
    'read.health': () => health(places, reader.index),
    'read.place': ({ dir }) => {
      const { project, ignored, root } = reader.resolve(dir);
      const paused = pausesIn(reader.index).filter(
        ({ scope, of }) => scope !== 'project' || of === project.id,
      );
      return { project: project.id, name: project.name, root, ignored, paused };
    },
    'read.denied': () => reader.denied(new Date()),
    'read.team': () => teamView(places, reader.index),
    'read.why': ({ of, limit = DEFAULT_LIMIT, ...where }) => {
      const question = { limit, ...given({ of, project: reader.projectOf(where) }) };
      return why(reader.index, places.ledger, question, (session) => reader.signalsAt(session?.worktree));
    },
    ...exportReads({ places, index: () => reader.index, turns: (session) => reader.turns(session) }),
    ...hubReads({
      places,
      index: () => reader.index,
      signals: () => reader.signals({}),
      turns: (session) => reader.turns(session),
      sections: (query, hits) => reader.ownSections.search(query, hits, {}),
    }),
  };
}

/** The open index and what is cached about work trees. */
class Reader {
  readonly #places: Places;
  readonly #caches = { states: new FileStates(), branches: new Branches() };
  readonly ownSections: OwnSections;
  #index: MemoryIndex | undefined;
  #file: number | undefined;

  constructor(places: Places) {
    this.#places = places;
    this.ownSections = new OwnSections(
      places,
      () => this.index,
      (dir) => this.resolve(dir),
    );
  }

  /** Throws `index-missing` until the writer has built and migrated the index. */
  get index(): MemoryIndex {
    const file = statSync(this.#places.index, { throwIfNoEntry: false })?.ino;
    // Deleted: the open file can still be read until the writer has built another.
    if (this.#index && (file === undefined || file === this.#file)) return this.#index;
    if (file === undefined) throw new TidemarkError('index-missing', 'the index does not exist yet');
    this.#index?.close();
    this.#index = undefined;
    const index = MemoryIndex.open(this.#places.index, { readOnly: true });
    if (index.meta(BUILT) === undefined) {
      index.close();
      throw new TidemarkError('index-missing', 'the index is being built');
    }
    this.#index = index;
    this.#file = file;
    return index;
  }

  answer(question: Question, place: ResolvedProject): Answer {
    const { values } = loadConfig({ places: this.#places, env: process.env, projectDir: place.root });
    const signals = signalsFrom(this.index, this.#caches, viewpointOf(place));
    const { name, client, projectDir } = question;
    const loaded =
      name === 'SessionStart' && client ? this.ownSections.loadedBy(client, projectDir) : undefined;
    return answerHook(this.index, question, { ...place, signals, ...given({ loaded }) }, values, new Date());
  }

  resolve(dir: string): ResolvedProject {
    const { index } = this;
    const { values } = loadConfig({ places: this.#places, env: process.env });
    const known = { byKey: (key: string) => index.projectByKey(key) };
    return resolveProject(dir, known, { userHome: homedir(), ignore: values['capture.ignore'] });
  }

  /** The project that is meant; undefined for a folder without a known project. */
  knownProject(where: Where): string | undefined {
    const id = this.projectOf(where);
    return id === undefined || id === PERSONAL_PROJECT || this.index.project(id) ? id : undefined;
  }

  projectOf({ dir, project }: Where): string | undefined {
    if (project !== undefined || dir === undefined) return project;
    const { index } = this;
    return resolveProject(dir, { byKey: (key) => index.projectByKey(key) }, { userHome: homedir() }).project
      .id;
  }

  /** For calls of a user or an agent, which can wait for git a moment; a hook cannot. */
  async signals({ dir }: Where): Promise<Signals> {
    if (dir === undefined) return this.signalsAt(undefined);
    const from = viewpointOf(this.resolve(dir));
    if (from.repository) {
      const heads = this.index.branchHeads(from.project, KNOWN_HEADS);
      await Promise.race([
        this.#caches.branches.renew(from.repository, heads),
        setTimeout(GIT_WAIT_MS, undefined, { ref: false }),
      ]);
    }
    return signalsFrom(this.index, this.#caches, from);
  }

  signalsAt(dir: string | undefined): Signals {
    return signalsFrom(this.index, this.#caches, dir ? viewpointOf(this.resolve(dir)) : {});
  }

  /** A file is looked up in its own repository, wherever the caller is. */
  async blame(path: string, line: number): Promise<LineStory> {
    const { project, root } = this.resolve(folderOf(path));
    const repository = findRepository(root, homedir());
    const [file] = namesInProject(path, root);
    if (!repository || file === undefined)
      throw new TidemarkError('not-found', `${path} is not in a git repository`, {
        hint: 'Name a file of a repository: tidemark blame <file>:<line>',
      });
    const store = await TurnStore.open(this.#places.turns, { readOnly: true });
    const load = async ({ location }: IndexedTurn) => location && store.get(location);
    return blame({ index: this.index, load }, { project, repository, file, line });
  }

  /** By the id of a memory, a turn or a session. */
  async conversation(id: string, around: number): Promise<Conversation> {
    const store = await TurnStore.open(this.#places.turns, { readOnly: true });
    const load = async ({ location }: IndexedTurn) => location && store.get(location);
    return conversation({ index: this.index, load }, id, around);
  }

  /** Looks through the newest sessions of the last week. */
  async denied(now: Date): Promise<DeniedCalls> {
    const since = new Date(now.getTime() - DENIED_DAYS * 24 * 60 * 60 * 1000).toISOString();
    const sessions = this.index.sessions({ limit: DENIED_SESSIONS }).filter(({ lastAt }) => lastAt >= since);
    const turns = (await Promise.all(sessions.map(({ id }) => this.turns(id)))).flat();
    const denied = turns.flatMap(({ endedAt, tools }) =>
      tools
        .filter(({ name, status }) => status === 'denied' && OUR_TOOL.test(name))
        .map(({ name }) => ({ at: endedAt, name: name.replace(OUR_TOOL, '') })),
    );
    return {
      count: denied.length,
      at:
        denied
          .map(({ at }) => at)
          .toSorted()
          .at(-1) ?? '',
      tools: [...new Set(denied.map(({ name }) => name))].toSorted(),
    };
  }

  /** The turns of a session, oldest first, without those that the turn store had to drop. */
  async turns(session: string): Promise<readonly StoredTurn[]> {
    const store = await TurnStore.open(this.#places.turns, { readOnly: true });
    const found = this.index.turnsIn(session).map(({ location }) => location && store.get(location));
    return (await Promise.all(found)).filter((turn) => turn !== undefined);
  }
}

function viewpointOf({ project, root }: Pick<ResolvedProject, 'project' | 'root'>) {
  return { project: project.id, root, repository: findRepository(root, homedir()) };
}

function notAMoment(index: MemoryIndex, around: string): TidemarkError {
  if (!/^\d{4}-\d/.test(around)) return noMemory(index, around);
  return new TidemarkError('usage', `I don't understand the time "${around}"`, { hint: TIME_HINT });
}
