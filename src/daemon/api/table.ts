/**
 * Every call of the daemon: which thread serves it, the schema of its arguments, and the type of its result. Client,
 * socket and handlers take their types from here. Only the daemon loads this module; clients import its types, because
 * loading the schemas would slow down the start of the CLI.
 */
import * as v from 'valibot';
import type {
  Answer,
  GapQuestion,
  InjectionNote,
  JournalLocation,
  LineStory,
  NoteOutcome,
  Processed,
  PendingAction,
  Question,
  RedactionNote,
  storeFacts,
  sweep,
} from '../../capture/index.ts';
import {
  AGENTS,
  MEMORY_KINDS,
  MEMORY_STATES,
  type Agent,
  type Memory,
  type Session,
  type SpooledEvent,
  type StoredTurn,
} from '../../core/index.ts';
import type { Embedded, IndexStats, MemoryIndex, QueryVector, Unembedded } from '../../database/index.ts';
import type { KeepCounts, KeepHealth } from '../../distill/index.ts';
import type { exportReads } from '../../exchange/export/index.ts';
import {
  PEER_NAMES,
  type ExportImportReport,
  type ImportProgress,
  type ImportReport,
  type NoteFolder,
  type NotesReport,
  type PeerProgress,
  type PeerReport,
} from '../../exchange/import/index.ts';
import type { Team, TeamView } from '../../exchange/sync/team/index.ts';
import type { archiveDays, SampleFound, Undone } from '../../memory/index.ts';
import type { KeepScore, Pair, Passage, RelateScore, SmallModelChoice } from '../../models/index.ts';
import type { brief, Moment, OwnSection, Timeline } from '../../recall/index.ts';
import type {
  BackupList,
  Snapshot,
  SnapshotProgress,
  takeSnapshot,
  verifySnapshots,
} from '../../storage/snapshots/index.ts';
import type { QuarantinedEvent } from '../../storage/spool/index.ts';
import type { DaemonStatus } from '../lifecycle/daemon.ts';
import type { Health } from '../repair/health.ts';
import type { RestorePreview } from '../repair/preview-restore.ts';
import type { Rebuilt, RebuildProgress } from '../repair/rebuild.ts';
import type { Update } from '../scheduling/update-check.ts';
import type { EmbedHealth } from '../workers/embed-client.ts';
import type { Conversation, OriginalTurn, SessionTurns } from '../workers/conversation.ts';
import type { SearchAnswer } from '../workers/search-answer.ts';
import type { DeniedCalls, FolderView, ListedProject, ShownMemory } from '../workers/reader.ts';
import type { PauseSpans } from '../workers/writer.ts';
import type { HubReads } from './hub-reads.ts';
import type { settingRows, SettingRow } from './setting-rows.ts';
import type { DaemonEvent } from './watchers.ts';

const text = v.string();
const flag = v.boolean();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const texts = v.array(text);
const optional = v.exactOptional;
/** Strict: a field that this daemon does not know is an error, so that no `dryRun` is ignored. */
const args = v.strictObject;

const NONE = args({});
const ID = args({ id: text });
const IDS = args({ ids: texts });
const DIR = args({ dir: text });
const FROM = args({ from: optional(text) });
/** The project that is meant, by a folder or by its id. Without both: all of them. */
const where = { dir: optional(text), project: optional(text) };
/** Revision that the user saw; a memory that changed since then is a conflict. */
const seen = { revision: optional(text) };
const cursor = optional(args({ at: text, id: text }));
const patch = args({
  kind: optional(v.picklist(MEMORY_KINDS)),
  title: optional(text),
  body: optional(text),
  reason: optional(text),
  facts: optional(texts),
  concepts: optional(texts),
  files: optional(texts),
});
const draft = args({
  kind: v.picklist(MEMORY_KINDS),
  title: text,
  body: text,
  reason: optional(text),
  facts: texts,
  concepts: texts,
  files: texts,
  state: optional(v.picklist(MEMORY_STATES)),
  personal: optional(flag),
});
/** Folders with sessions of agents, as the environment of the user sets them. */
const sources = v.array(args({ agent: v.picklist(AGENTS), folder: text }));
const agents = v.array(v.picklist(AGENTS));
const wish = { join: optional(text), fresh: optional(flag) };

/** A hook of the client that asks through our MCP server. */
const hookCall = { session: text, agent: text, call: text, dir: text, limitMs: v.number() };

export const CALLS = {
  status: main(NONE, type<DaemonStatus>()),
  stop: main(NONE, type<{ readonly pid: number }>()),
  drain: main(NONE, type<object>()),
  watch: main(NONE, type<{ readonly ended: string }, DaemonEvent>()),
  'hub.link': main(NONE, type<{ readonly url: string }>()),
  'updates.check': main(NONE, type<Update | null>()),
  settings: main(NONE, type<ReturnType<typeof settingRows>>()),
  'settings.set': main(
    args({ key: text, value: v.nullable(v.union([flag, v.number(), text, texts])) }),
    type<SettingRow>(),
  ),
  'embed.reload': main(NONE, type<void>()),
  'embed.health': main(NONE, type<EmbedHealth>()),
  /** The small model: the turns it has not read, its failures, or why there is none. */
  'keep.health': main(NONE, type<KeepHealth>()),
  'after-read': main(args({ ...hookCall, files: texts }), type<{ readonly output: string }>()),
  /** `change`: if the edit may be stopped. Without `removed` the edit replaces the whole file. */
  'before-edit': main(
    args({
      ...hookCall,
      file: text,
      mode: optional(text),
      change: optional(args({ removed: optional(text), added: text })),
    }),
    type<{ readonly output: string }>(),
  ),
  'before-command': main(
    args({ ...hookCall, command: text, cwd: text, mode: text }),
    type<{ readonly output: string }>(),
  ),
  'quarantine.list': main(NONE, type<readonly QuarantinedEvent[]>()),
  'quarantine.retry': main(
    IDS,
    type<{ readonly retried: readonly string[]; readonly unreadable: readonly string[] }>(),
  ),
  'quarantine.drop': main(IDS, type<{ readonly dropped: readonly string[] }>()),

  /** Searches the project that is meant; `all` searches every project and prefers that one. */
  'read.search': main(
    args({ query: text, limit: optional(count), all: optional(flag), ...where }),
    type<SearchAnswer>(),
  ),
  'read.show': reader(args({ ids: texts, ...where }), type<readonly ShownMemory[]>()),
  /** A section of a file that agents load themselves, by the id that a search gives. */
  'read.section': reader(args({ id: text, ...where }), type<OwnSection>()),
  'read.transcript': reader(ID, type<OriginalTurn>()),
  /** The turns that the id of a memory, a turn or a session names, with `around` turns on both sides. */
  'read.conversation': reader(args({ id: text, around: optional(count) }), type<Conversation>()),
  /** The turns of a session by the start of its id; null if there is none. */
  'read.sessionTurns': reader(ID, type<SessionTurns | null>()),
  /** `file`: an absolute path. */
  'read.blame': reader(args({ file: text, line: count }), type<LineStory>()),
  'read.turns': reader(args({ session: text }), type<readonly StoredTurn[]>()),
  'read.timeline': reader(args({ around: text, limit: optional(count), ...where }), type<Timeline>()),
  /** The reason for a `read.brief` without a result. */
  'read.whyNoBrief': reader(args(where), type<string>()),
  'read.brief': reader(args({ tokens: count, ...where }), type<NonNullable<Returned<typeof brief>> | null>()),
  'read.memories': reader(
    args({ limit: optional(count), offset: optional(count), ...where }),
    type<readonly Memory[]>(),
  ),
  /** The page of a session, or of a project. */
  'read.markdown': reader(args({ session: optional(text), ...where }), type<string | null>()),
  'read.sessions': reader(
    args({
      query: optional(text),
      since: optional(text),
      agent: optional(agents),
      limit: optional(count),
      ...where,
    }),
    type<readonly Session[]>(),
  ),
  /** The agents with sessions in a project, in the order in which users see them. */
  'read.agents': reader(args(where), type<readonly Agent[]>()),
  'read.projects': reader(NONE, type<readonly ListedProject[]>()),
  'read.waiting': reader(args(where), type<readonly Memory[]>()),
  'read.stats': reader(NONE, type<IndexStats>()),
  'read.health': reader(NONE, type<Health>()),
  'read.place': reader(DIR, type<FolderView>()),
  'read.team': reader(NONE, type<TeamView>()),
  'read.why': reader(
    args({ of: optional(text), limit: optional(count), ...where }),
    type<readonly Moment[]>(),
  ),
  'read.export': reader(NONE, type<Exported<'read.export'>>()),
  'read.export.project': reader(args({ project: text }), type<Exported<'read.export.project'>>()),
  'read.export.sessions': reader(args({ project: text }), type<Exported<'read.export.sessions'>>()),
  'read.export.turns': reader(args({ session: text }), type<Exported<'read.export.turns'>>()),

  'read.overview': reader(args({ zone: optional(text) }), type<HubRead<'read.overview'>>()),
  /** The lists of the hub's first screen. */
  'read.home': reader(args({ zone: optional(text) }), type<HubRead<'read.home'>>()),
  'read.changes': reader(args({ limit: count }), type<HubRead<'read.changes'>>()),
  'read.uses': reader(args({ zone: optional(text), limit: count }), type<HubRead<'read.uses'>>()),
  'read.cards': reader(NONE, type<HubRead<'read.cards'>>()),
  'read.project': reader(ID, type<HubRead<'read.project'>>()),
  'read.page': reader(
    args({
      project: optional(text),
      kind: optional(v.array(v.picklist(MEMORY_KINDS))),
      state: optional(v.array(v.picklist(MEMORY_STATES))),
      agent: optional(agents),
      session: optional(text),
      file: optional(text),
      since: optional(text),
      until: optional(text),
      after: cursor,
      limit: count,
      zone: optional(text),
    }),
    type<HubRead<'read.page'>>(),
  ),
  'read.memory': reader(ID, type<HubRead<'read.memory'>>()),
  'read.found': main(args({ query: text, limit: count }), type<HubRead<'read.found'>>()),
  'read.sessionPage': reader(
    args({ project: optional(text), agent: optional(agents), after: cursor, limit: count }),
    type<HubRead<'read.sessionPage'>>(),
  ),
  'read.session': reader(ID, type<HubRead<'read.session'>>()),
  /** Calls of our MCP tools that the client denied in the last week. */
  'read.denied': reader(NONE, type<DeniedCalls>()),
  'read.inbox': reader(NONE, type<HubRead<'read.inbox'>>()),
  /** Forgotten memories that can be restored, newest first. */
  'read.trash': reader(args({ limit: optional(count) }), type<HubRead<'read.trash'>>()),
  'read.sources': reader(args({ sources }), type<HubRead<'read.sources'>>()),

  remember: writer(args({ draft, dir: optional(text) }), type<Memory>()),
  /** A note of the agent: adds a memory, ends memories, or both. */
  note: writer(
    args({
      draft: optional(draft),
      quote: text,
      ends: texts,
      by: optional(text),
      dir: text,
      session: text,
      call: text,
    }),
    type<NoteOutcome>(),
  ),
  extract: writer(args({ drafts: v.array(draft), dir: text, at: text }), type<Returned<typeof storeFacts>>()),
  edit: writer(args({ id: text, patch, ...seen }), type<Memory>()),
  settle: writer(args({ ids: texts, done: flag, ...seen }), type<readonly Memory[]>()),
  supersede: writer(args({ old: text, by: text, ...seen }), type<readonly [Memory, Memory]>()),
  merge: writer(IDS, type<Memory>()),
  unmerge: writer(IDS, type<readonly Memory[]>()),
  move: writer(args({ id: text, project: text, ...seen }), type<Memory>()),
  review: writer(args({ ids: texts, approved: flag, patch: optional(patch) }), type<readonly Memory[]>()),
  /** `now` erases at once; `undo` restores what was forgotten less than a day ago. */
  forget: main(
    args({ ids: texts, now: optional(flag), undo: optional(flag), ...seen }),
    type<readonly string[]>(),
  ),
  /**
   * Undoes the last turn of the session that stored something; without a session, the last step in the folder: a `forget`
   * or `remember` of the user, or a turn. `preview` changes nothing.
   */
  undo: main(args({ session: optional(text), dir: text, preview: optional(flag) }), type<Undone>()),
  pause: main(
    args({ paused: flag, scope: v.picklist(['everywhere', 'project', 'session']), of: optional(text) }),
    type<PauseSpans>(),
  ),
  opened: writer(args({ session: text, memories: texts }), type<void>()),

  sweep: writer(args({ now: optional(text) }), type<Returned<typeof sweep>>()),
  reindex: writer(NONE, type<Rebuilt, RebuildProgress>()),
  'sample.remove': writer(NONE, type<SampleFound | null>()),
  'import.history': writer(
    args({
      sources,
      project: optional(text),
      /** Only the project of this folder. */
      projectDir: optional(text),
      /** Only sessions whose id starts with this. */
      session: optional(text),
      since: optional(text),
      dryRun: optional(flag),
      finished: optional(flag),
    }),
    type<ImportReport, ImportProgress>(),
  ),
  'import.export': writer(
    args({ path: text }),
    type<ExportImportReport, { readonly lines: number; readonly memories: number }>(),
  ),
  'import.peer': writer(
    args({
      peer: v.picklist(PEER_NAMES),
      found: v.array(
        args({
          name: v.picklist(PEER_NAMES),
          path: text,
          counts: v.record(text, v.number()),
          trouble: optional(text),
        }),
      ),
      configDir: text,
      home: text,
      project: optional(text),
      projectDir: optional(text),
      into: optional(text),
      api: optional(args({ url: text, key: text, user: text })),
      dryRun: flag,
    }),
    type<PeerReport, PeerProgress>(),
  ),
  /** Without `dir`: found in every project. */
  'notes.add': writer(args({ folder: text, dir: optional(text), dryRun: flag }), type<NotesReport>()),
  'notes.remove': writer(args({ folder: text }), type<NoteFolder | null>()),
  'notes.list': writer(NONE, type<readonly NoteFolder[]>()),
  backup: writer(
    args({ to: optional(text) }),
    type<Returned<typeof takeSnapshot>, Parameters<SnapshotProgress>[0]>(),
  ),
  'backup.list': writer(FROM, type<BackupList>()),
  'backup.verify': writer(FROM, type<Returned<typeof verifySnapshots>>()),
  restore: writer(
    args({ name: text, from: optional(text), yes: optional(flag) }),
    type<Snapshot & { readonly before?: string }>(),
  ),
  'restore.preview': writer(args({ name: text, from: optional(text) }), type<RestorePreview>()),
  archive: writer(
    args({ days: optional(count), dryRun: optional(flag) }),
    type<Returned<typeof archiveDays>>(),
  ),
  'journal.where': writer(DIR, type<JournalLocation>()),
  /** `to`: `repository`, `home`, or an absolute path. */
  'journal.move': writer(args({ dir: text, to: text }), type<JournalLocation>()),
  'journal.adopt': writer(NONE, type<{ readonly files: number }>()),

  'team.greet': writer(args({ server: text }), type<Returned<Team['greet']>>()),
  'team.login': writer(args({ server: text, key: text }), type<Returned<Team['login']>>()),
  'team.logout': writer(NONE, type<Returned<Team['logout']>>()),
  'team.hub': writer(NONE, type<Returned<Team['hubLink']>>()),
  'team.preview': writer(v.union([args({ project: text }), DIR]), type<Returned<Team['preview']>>()),
  'team.share': writer(
    v.union([args({ project: text, ...wish }), args({ dir: text, ...wish })]),
    type<Returned<Team['share']>>(),
  ),
  'team.unshare': writer(args({ project: text }), type<Returned<Team['unshare']>>()),
  'team.decide': writer(
    args({ ids: texts, state: v.picklist(['held', 'released']) }),
    type<Returned<Team['decide']>>(),
  ),
  'team.now': writer(NONE, type<Returned<Team['now']>>()),
  'team.seen': writer(IDS, type<Returned<Team['seen']>>()),
};

type Calls = typeof CALLS;
export type CallName = keyof Calls;
export type ArgsOf<N extends CallName> = ReadonlyDeep<v.InferOutput<Calls[N]['args']>>;
export type ResultOf<N extends CallName> = Calls[N]['types']['result'];
/** Type of the reports of a long call. */
export type ProgressOf<N extends CallName> = Calls[N]['types']['progress'];

/** Calls the daemon. `onProgress` receives reports before the result; `signal` cancels the call. */
export type DaemonCall = <N extends CallName>(
  name: N,
  args: ArgsOf<N>,
  onProgress?: (facts: ProgressOf<N>) => void,
  signal?: AbortSignal,
) => Promise<ResultOf<N>>;

/** About files by their paths on this machine. */
export type FileQuestion = Omit<Question, 'files' | 'call'> & {
  readonly paths: readonly string[];
  /** Files whose memories the session got when it read them, as in `FileAnswer.files`. */
  readonly answered: readonly string[];
  /** The text of an edit that may be stopped. */
  readonly change?: { readonly removed?: string; readonly added: string };
  readonly call?: Omit<PendingAction, 'action'>;
};

/** About a shell command that may be stopped. */
export type CommandQuestion = Omit<Question, 'call'> & {
  readonly command: string;
  readonly cwd: string;
  readonly call: Omit<PendingAction, 'action'>;
};

/** `files`: the files that were looked up. */
export type FileAnswer = Answer & { readonly files: readonly string[] };

export type MainCalls = ServedBy<'main'>;

/** Calls of the reader thread. Those listed here come from the main thread only. */
export type ReaderCalls = ServedBy<'reader'> & {
  answer: Internal<Question, Answer>;
  'answer.file': Internal<FileQuestion, FileAnswer>;
  'answer.command': Internal<CommandQuestion, Answer>;
  'read.search': Internal<ArgsOf<'read.search'> & Vector, SearchAnswer>;
  'read.found': Internal<ArgsOf<'read.found'> & Vector, HubRead<'read.found'>>;
  'load-vectors': Internal<object, void>;
  /** The line about a gap of capture in the last session; empty if there is none. */
  gap: Internal<GapQuestion, string>;
  remembered: Internal<{ readonly ids: readonly string[]; readonly agent: Agent }, string>;
  'keep.counts': Internal<object, KeepCounts>;
  /** Gives back the memory that loading the program took. */
  rest: Internal<object, void>;
};

/** Calls of the writer thread. Those listed here come from the main thread only. */
export type WriterCalls = ServedBy<'writer'> & {
  ready: Internal<object, void>;
  /** Closes everything unless work is under way. Returns whether the thread may end. */
  rest: Internal<object, boolean>;
  process: Internal<{ readonly event: SpooledEvent; readonly hurried: boolean }, Processed>;
  injected: Internal<InjectionNote, void>;
  redacted: Internal<RedactionNote, void>;
  forget: Internal<ArgsOf<'forget'>, ResultOf<'forget'>>;
  undo: Internal<ArgsOf<'undo'>, ResultOf<'undo'>>;
  pause: Internal<ArgsOf<'pause'>, ResultOf<'pause'>>;
  repair: Internal<{ readonly why: string }, void>;
  'embed.model': Internal<{ readonly model: string }, { readonly changed: boolean }>;
  'embed.wanted': Internal<{ readonly limit: number }, readonly Unembedded[]>;
  'embed.put': Internal<{ readonly model: string; readonly embedded: readonly Embedded[] }, void>;
  'embed.counts': Internal<object, ReturnType<MemoryIndex['vectorCounts']>>;
  close: Internal<object, void>;
};

/** The version of the small model, or why there is none. */
export type SmallModelFound =
  | { readonly kind: 'model'; readonly version: string }
  | Extract<SmallModelChoice, { kind: 'none' }>;

/** Calls of a worker thread to the main thread, which owns the process of the small model. */
export type MainAnswers = {
  /** The model in use, or why there is none. */
  'small.model': Internal<object, SmallModelFound>;
  'small.keep': Internal<{ readonly inputs: readonly Passage[] }, readonly (readonly KeepScore[])[]>;
  'small.relate': Internal<{ readonly inputs: readonly Pair[] }, readonly RelateScore[]>;
};

/** A running call, as its handler sees it. */
export interface Task<P = unknown> {
  readonly progress: (facts: P) => void;
  readonly signal: AbortSignal;
}

/** One handler for each call of a thread. */
export type Handlers<C extends CallMap> = {
  readonly [N in keyof C]: (
    args: C[N]['args'],
    task: Task<C[N]['progress']>,
  ) => C[N]['result'] | Promise<C[N]['result']>;
};

export type CallMap = { readonly [name: string]: Internal<unknown, unknown, unknown> };

type ServedBy<S extends Side> = {
  readonly [N in CallName as Calls[N]['side'] extends S ? N : never]: Internal<
    ArgsOf<N>,
    ResultOf<N>,
    ProgressOf<N>
  >;
};

interface Internal<A, R, P = never> {
  readonly args: A;
  readonly result: R;
  readonly progress: P;
}

interface Vector {
  readonly vector?: QueryVector;
}

type Side = 'main' | 'reader' | 'writer';
type Returned<F extends (...args: never) => unknown> = Awaited<ReturnType<F>>;
type Exported<N extends keyof ReturnType<typeof exportReads>> = Returned<ReturnType<typeof exportReads>[N]>;
type HubRead<N extends keyof HubReads> = Returned<HubReads[N]>;
type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T;

function type<R, P = never>() {
  // No value: only the types are used.
  return undefined as unknown as { readonly result: R; readonly progress: P };
}

function main<S extends v.GenericSchema, T>(schema: S, types: T) {
  return { side: 'main' as const, args: schema, types };
}

function reader<S extends v.GenericSchema, T>(schema: S, types: T) {
  return { side: 'reader' as const, args: schema, types };
}

function writer<S extends v.GenericSchema, T>(schema: S, types: T) {
  return { side: 'writer' as const, args: schema, types };
}
