/** The reader thread: answers hooks and questions from the index and the turn store, and changes nothing. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import {
  findRepository,
  answerHook,
  type Answer,
  type Question,
  Branches,
  folderOf,
  namesInProject,
  FileStates,
  resolveProject,
  type ResolvedProject,
  pausesIn,
  KNOWN_HEADS,
  signalsFrom,
} from '../../capture/index.ts';
import { loadConfig } from '../../config/index.ts';
import { TidemarkError, type Memory, type Places, type Session, type StoredTurn } from '../../core/index.ts';
import {
  MemoryIndex,
  type CostKey,
  type MemoryEntry,
  type QueryVector,
  type Spent,
  type SpentBy,
} from '../../database/index.ts';
import { exportReads } from '../../exchange/export/index.ts';
import { teamView } from '../../exchange/sync/team/index.ts';
import { noMemory, turnNamed, BUILT } from '../../memory/index.ts';
import {
  alsoSaid,
  brief,
  entryCost,
  search,
  searchSessions,
  timeline,
  type BranchNow,
  type FileChange,
  type Signals,
  withProblems,
  impact,
  type Impact,
  why,
  type Moment,
} from '../../recall/index.ts';
import { TurnStore } from '../../storage/turns/index.ts';
import { hubReads } from '../api/hub-reads.ts';
import { health } from '../repair/health.ts';
import { serveCalls } from './worker-port.ts';

const DEFAULT_LIMIT = 10;
/** Git answers in a tenth of this, unless the disk is busy: then the branch is left unknown. */
const GIT_WAIT_MS = 2_000;

/** A folder, as capture sees it. */
export interface FolderView {
  readonly project: string;
  readonly name: string;
  /** Left out, by `.tidemark-ignore` or capture.ignore. */
  readonly ignored: boolean;
  /** Pauses that hold here: of this project, everywhere, or of single sessions. */
  readonly paused: ReturnType<typeof pausesIn>;
}

export interface CostQuestion {
  readonly by: CostKey;
  readonly since?: string;
  readonly session?: string;
  readonly limit?: number;
}

export interface CostAnswer {
  readonly total: Spent;
  readonly rows: readonly SpentBy[];
}

/** An entry, and how it stands in the work tree it is asked from. */
export type ShownMemory = MemoryEntry & {
  readonly tokens: number;
  readonly changes: readonly FileChange[];
  readonly branch: BranchNow;
};

/** The turn behind a memory, and the ids of its neighbours in the session. */
export interface OriginalTurn {
  readonly memory: Memory | undefined;
  readonly turn: StoredTurn;
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

interface In {
  /** The folder a question is asked from; its project comes first. */
  readonly dir?: string;
  readonly project?: string;
}

interface SearchArgs extends In {
  readonly query: string;
  readonly limit?: number;
  readonly vector?: QueryVector;
}

interface SessionsArgs extends Omit<SearchArgs, 'query'> {
  /** What they are to be about; without it, the newest. */
  readonly query?: string;
}

export function serveReader(places: Places): void {
  const reader = new Reader(places);
  serveCalls({
    answer: (question: Question) => reader.answer(question),
    'answer.edit': (question: Question & { file: string }) => reader.beforeEdit(question),
    'read.search': (args: SearchArgs) => reader.search(args),
    'read.warm': () => reader.warm(),
    'read.show': (args: In & { ids: readonly string[] }) => reader.show(args),
    'read.transcript': (args: { id: string }) => reader.transcript(args.id),
    'read.turns': (args: { session: string }) => reader.turns(args.session),
    'read.timeline': (args: In & { around: string; limit?: number }) => reader.timeline(args),
    'read.brief': (args: In & { tokens: number }) => reader.brief(args),
    'read.memories': (args: In & { limit?: number; offset?: number }) => reader.memories(args),
    'read.sessions': (args: SessionsArgs) => reader.sessions(args),
    'read.projects': () => reader.projects(),
    'read.waiting': (args: In) => reader.waiting(args),
    'read.stats': () => reader.stats(),
    'read.impact': (args: In & { since?: string }) => reader.impact(args),
    'read.health': () => health(places, reader.index),
    'read.cost': (args: CostQuestion) => reader.cost(args),
    'read.place': (args: { dir: string }) => reader.place(args.dir),
    'read.team': () => teamView(places, reader.index),
    'read.why': (args: In & { of?: string; limit?: number }) => reader.why(args),
    ...exportReads({ places, index: () => reader.index, turns: (session) => reader.turns(session) }),
    ...hubReads({
      places,
      index: () => reader.index,
      signals: () => reader.signals({}),
      turns: (session) => reader.turns(session),
    }),
  });
}

class Reader {
  readonly #places: Places;
  readonly #eyes = { states: new FileStates(), branches: new Branches() };
  #index: MemoryIndex | undefined;
  #file: number | undefined;

  constructor(places: Places) {
    this.#places = places;
  }

  get index(): MemoryIndex {
    return this.#open();
  }

  answer(question: Question): Answer {
    return this.#answer(question, this.#resolve(question.projectDir));
  }

  /** A file of another work tree or project is looked up where it lies. */
  beforeEdit({ file, ...question }: Question & { file: string }): Answer {
    const own = this.#resolve(question.projectDir);
    const files = namesInProject(file, own.root);
    if (files.length > 0) return this.#answer({ ...question, files }, own);
    const other = this.#resolve(folderOf(file));
    return this.#answer({ ...question, files: namesInProject(file, other.root) }, other);
  }

  #answer(question: Question, placed: ResolvedProject): Answer {
    const { values } = loadConfig({ places: this.#places, env: process.env, projectDir: placed.root });
    const index = this.#open();
    const signals = signalsFrom(index, this.#eyes, viewpointOf(placed));
    return answerHook(index, question, { ...placed, signals }, values, new Date());
  }

  #resolve(dir: string): ResolvedProject {
    const index = this.#open();
    const { values } = loadConfig({ places: this.#places, env: process.env });
    const known = { byKey: (key: string) => index.projectByKey(key) };
    return resolveProject(dir, known, { userHome: homedir(), ignore: values['capture.ignore'] });
  }

  /** Level 1: memories, and below them what was said and is in none of those found. */
  async search({ query, limit = DEFAULT_LIMIT, vector, ...where }: SearchArgs) {
    const project = this.#project(where);
    const signals = await this.signals(where);
    const index = this.#open();
    const options = { now: new Date(), ...(project ? { project } : {}), ...(vector ? { vector } : {}) };
    const found = withProblems(index, search(index, query, { ...options, limit, signals }));
    return { ...found, turns: alsoSaid(index, query, found.hits, options) };
  }

  /** Brings vectors into memory, a few at a time so that whoever asks meanwhile is answered. */
  async warm(): Promise<void> {
    while (!this.#open().loadVectors()) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Level 2: the whole entries, each with its cost, where it stands in the journal, and what changed since. */
  async show({ ids, ...where }: In & { ids: readonly string[] }): Promise<readonly ShownMemory[]> {
    const signals = await this.signals(where);
    const index = this.#open();
    return ids.map((id) => {
      const entry = index.memoryEntry(id) ?? index.memoryEntry(index.merged(id)?.into ?? '');
      if (!entry) throw noMemory(index, id);
      const { changes } = signals.files(entry.memory);
      return { ...entry, tokens: entryCost(entry.memory), changes, branch: signals.branch(entry.memory) };
    });
  }

  /** Level 3: the original turn, by a memory's id or a turn's. */
  async transcript(id: string): Promise<OriginalTurn> {
    const index = this.#open();
    const memory = index.memory(id);
    const turn = index.turn(memory ? memory.provenance.turn : turnNamed(index, id));
    if (!turn) throw memory ? noTurn(memory) : noMemory(index, id);
    const store = await TurnStore.open(this.#places.turns, { readOnly: true });
    const whole = turn.location && (await store.get(turn.location));
    if (!whole) {
      throw new TidemarkError('turn-gone', `the conversation of ${id} is no longer in the turn store`, {
        hint: 'Raise turns.maxMb to keep conversations longer: tidemark config set turns.maxMb 4096',
      });
    }
    const turns = index.turnsIn(whole.session).map((one) => one.id);
    const at = turns.indexOf(whole.id);
    return { memory, turn: whole, previous: turns[at - 1], next: turns[at + 1] };
  }

  /** The turns of a session, oldest first; those the turn store had to drop are left out. */
  async turns(session: string): Promise<readonly StoredTurn[]> {
    const store = await TurnStore.open(this.#places.turns, { readOnly: true });
    const found = this.#open()
      .turnsIn(session)
      .map(({ location }) => location && store.get(location));
    return (await Promise.all(found)).filter((turn) => turn !== undefined);
  }

  timeline({ around, limit = DEFAULT_LIMIT, ...where }: In & { around: string; limit?: number }) {
    const project = this.#project(where);
    const half = Math.ceil(limit / 2);
    const line = timeline(this.#open(), {
      around,
      now: new Date(),
      before: half,
      after: half,
      ...(project ? { project } : {}),
    });
    if (!line) throw notAMoment(this.#open(), around);
    return line;
  }

  async brief({ tokens, ...where }: In & { tokens: number }) {
    const project = this.#project(where);
    if (!project) return null;
    const signals = await this.signals(where);
    return brief(this.#open(), { project, now: new Date(), budgetTokens: tokens, signals }) ?? null;
  }

  memories({ limit = DEFAULT_LIMIT, offset = 0, ...where }: In & { limit?: number; offset?: number }) {
    const project = this.#project(where);
    return this.#open().memoriesBy({ limit, offset, ...(project ? { project } : {}) });
  }

  /** What waits for a yes. */
  waiting(where: In) {
    return this.#open().waiting(this.#project(where));
  }

  /** The newest, or those a question is about, best first. */
  sessions({ query = '', limit = DEFAULT_LIMIT, vector, ...where }: SessionsArgs): readonly Session[] {
    const project = this.#project(where);
    const index = this.#open();
    const within = { limit, ...(project ? { project } : {}) };
    if (query === '') return index.sessions(within);
    const options = { now: new Date(), scope: 'project', ...within, ...(vector ? { vector } : {}) } as const;
    return searchSessions(index, query, options)
      .map(({ session }) => index.session(session))
      .filter((session) => session !== undefined);
  }

  projects() {
    const index = this.#open();
    const { byProject } = index.stats();
    return index.projects().map((project) => ({
      ...project,
      memories: byProject[project.id] ?? 0,
      lastAt: index.sessions({ project: project.id, limit: 1 })[0]?.lastAt ?? null,
    }));
  }

  stats() {
    return this.#open().stats();
  }

  /** What a folder belongs to, and whether anything said there is kept. */
  place(dir: string): FolderView {
    const { project, ignored } = this.#resolve(dir);
    const paused = pausesIn(this.#open()).filter(({ scope, of }) => scope !== 'project' || of === project.id);
    return { project: project.id, name: project.name, ignored, paused };
  }

  cost({ by, since, session, limit }: CostQuestion): CostAnswer {
    const index = this.#open();
    const filter = { ...(since ? { since } : {}), ...(session ? { session } : {}) };
    return { total: index.spent(filter), rows: index.spentBy(by, filter, limit) };
  }

  /** What was put before the agent, and why. */
  why({
    of,
    limit = DEFAULT_LIMIT,
    ...where
  }: In & { of?: string; limit?: number }): Promise<readonly Moment[]> {
    const project = this.#project(where);
    const index = this.#open();
    const question = { limit, ...(of ? { of } : {}), ...(project ? { project } : {}) };
    return why(index, this.#places.ledger, question, (session) =>
      signalsFrom(index, this.#eyes, session?.worktree ? viewpointOf(this.#resolve(session.worktree)) : {}),
    );
  }

  /** What recall does, and on how many sessions that rests. */
  impact({ since, ...where }: In & { since?: string }): Promise<Impact> {
    const project = this.#project(where);
    const question = { ...(since ? { since } : {}), ...(project ? { project } : {}) };
    return impact(this.#open(), this.#places.ledger, (session) => this.turns(session), question);
  }

  /** For a person or a model who asked: they can wait for git a moment, a hook cannot. */
  async signals({ dir }: In): Promise<Signals> {
    const index = this.#open();
    if (dir === undefined) return signalsFrom(index, this.#eyes, {});
    const from = viewpointOf(this.#resolve(dir));
    if (from.repository) {
      const heads = index.branchHeads(from.project, KNOWN_HEADS);
      const { branches } = this.#eyes;
      await Promise.race([
        branches.renew(from.repository, heads),
        setTimeout(GIT_WAIT_MS, undefined, { ref: false }),
      ]);
    }
    return signalsFrom(this.#open(), this.#eyes, from);
  }

  #project({ dir, project }: In): string | undefined {
    if (project !== undefined) return project;
    if (dir === undefined) return undefined;
    const index = this.#open();
    return resolveProject(dir, { byKey: (key) => index.projectByKey(key) }, { userHome: homedir() }).project
      .id;
  }

  /** Opens the index that the writer has built. Throws `index-missing` or `index-version` until it is complete. */
  #open(): MemoryIndex {
    const file = statSync(this.#places.index, { throwIfNoEntry: false })?.ino;
    // Deleted under us: what we have open is still whole, until the writer has made another.
    if (this.#index && (file === undefined || file === this.#file)) return this.#index;
    if (file === undefined) throw new TidemarkError('index-missing', 'the index is not there yet');
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
}

function viewpointOf({ project, root }: Pick<ResolvedProject, 'project' | 'root'>) {
  return { project: project.id, root, repository: findRepository(root, homedir()) };
}

function noTurn({ id, provenance, author }: Memory): TidemarkError {
  if (author !== undefined)
    return new TidemarkError('turn-elsewhere', `the conversation behind ${id} is on ${author}'s machine`, {
      hint: 'Only entries are shared, never conversations.',
    });
  const byHand = provenance.by === 'person';
  const hint = byHand
    ? 'A person wrote it down; the entry is all there is.'
    : 'The entry itself is still there.';
  return new TidemarkError('turn-gone', `no conversation is kept behind ${id}`, { hint });
}

function notAMoment(index: MemoryIndex, around: string): TidemarkError {
  if (!/^\d{4}-\d/.test(around)) return noMemory(index, around);
  return new TidemarkError('usage', `${around} is not a day`, {
    hint: 'Write it like 2026-02-09, or yesterday.',
  });
}
