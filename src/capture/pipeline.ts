/**
 * Processes events in the writer: sessions begin and end, transcripts are read, turns become memories.
 * Idempotent: processing the same event twice leaves the stores unchanged.
 */
import { readerOf, transcriptState } from '../agents/index.ts';
import { given, type HookInput, type Session, type SpooledEvent } from '../core/index.ts';
import type { Distiller } from '../distill/index.ts';
import { KeyedMutex } from '../files/index.ts';
import {
  closeSession,
  dropPrompt,
  recordSession,
  touchSession,
  type SessionRecord,
  type Stores,
} from '../memory/index.ts';
import { storeLeftNotes } from './agent-notes.ts';
import { isClientGone, noteClient } from './clients.ts';
import { contentOf, isAsideCommand } from './content.ts';
import { captureTranscript, parentTurn, type Captured, type CaptureRequest } from './follow-transcript.ts';
import type { Pauses, PauseScope } from './pauses.ts';
import { projectOfEvent, type CaptureScope, type ResolvedProject } from './projects/projects.ts';
import { storeTurn } from './store-turn.ts';
import {
  expectsNoTranscript,
  hasNotedAnswer,
  hasOtherPrompt,
  noteAnswer,
  notedTurn,
  notePrompt,
  unansweredSince,
  waitForTranscript,
} from './without-transcript.ts';

/**
 * How long a Stop waits for the client to write the turn it reports. Observed: 0.7 s on a machine with four times more
 * work than it can do. After this the client was killed, and the Stop itself contains all there is.
 */
const WRITTEN_WITHIN_MS = 20_000;
/** The same while the next event of the session or a user waits for it. */
const HURRIED_MS = 1200;
/** The same while there is no file at all, as with clients that are set to write none. */
const HURRIED_FILE_MS = 500;

/** Far more sessions than one project has open at once. */
const MAX_SETTLED = 50;

/** The client's words for how a session begins, as the ledger names them. */
const CHANGES: Readonly<Record<string, SessionRecord['change']>> = {
  startup: 'started',
  resume: 'resumed',
  fork: 'forked',
  clear: 'cleared',
  compact: 'compacted',
};

/** `too-early`: no turn was stored; process the event again in a moment. */
export type Processed = 'done' | 'too-early';

type ReadExtra = Pick<
  CaptureRequest,
  'stoppedAt' | 'openBefore' | 'lastAnswer' | 'promptId' | 'onlyIfWritten' | 'continues' | 'signal'
>;

export interface PipelineOptions {
  readonly stores: Stores;
  readonly distiller: Distiller;
  readonly pauses: Pauses;
  readonly scope: CaptureScope;
  /** Names the folders of clients; `process.env` if not given. */
  readonly env?: NodeJS.ProcessEnv;
  readonly onCaptured: (
    captured: Pick<Captured, 'turns' | 'memories' | 'redactions'>,
    session: string,
  ) => void;
  /** Called when some turns of a transcript were stored. */
  readonly onProgress?: () => void;
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #captures = new KeyedMutex();
  readonly #priority = new EventPriority();
  /** By event: the size of its transcript when that lacked the turn. It is parsed again only after it has changed. */
  readonly #incomplete = new Map<string, number>();
  /** By transcript: when its unfinished turn began, if it is not stored yet. Missing for a file not read so far. */
  readonly #waiting = new Map<string, string | undefined>();

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** `hurried`: something waits for this event. */
  process(event: SpooledEvent, hurried: boolean): Promise<Processed> {
    const located = withTranscript(event, this.#options.env ?? process.env);
    return this.#priority.first(event.input.session_id, () => this.#process(located, hurried));
  }

  async #process(received: SpooledEvent, hurried: boolean): Promise<Processed> {
    const { stores, scope, pauses } = this.#options;
    const place = await projectOfEvent(stores, received, scope);
    if (place.ignored) return 'done';
    const about = { project: place.project.id, session: received.input.session_id };
    const event = pauses.covers(received.at, about) ? withoutTexts(received) : received;
    if (event.client) noteClient(stores.index, about.session, event.client);
    switch (event.input.hook_event_name) {
      case 'SessionStart':
        await this.#settle(event, place);
        await this.#begin(event, place);
        return 'done';
      case 'UserPromptSubmit':
        await this.#prompt(event, place);
        return this.#read(event, place, {});
      case 'PreCompact':
        return this.#read(event, place, {});
      case 'Stop':
      case 'SubagentStop':
        return this.#stop(event, place, hurried);
      case 'SessionEnd':
        if (!(await waitForTranscript(stores, event))) await this.#storeNoted(event, place);
        await this.#read(event, place, { stoppedAt: event.at });
        await storeLeftNotes(stores, event.input.session_id);
        await closeSession(stores, event.input.session_id, {
          status: 'completed',
          at: event.at,
          ...given({ reason: event.input.reason || undefined }),
        });
        return 'done';
    }
  }

  /** The agent has stopped, but the client may still be writing the turn it stopped after. */
  async #stop(event: SpooledEvent, place: ResolvedProject, hurried: boolean): Promise<Processed> {
    const { stores } = this.#options;
    const { at, id, input } = event;
    const path = stoppedFile(input);
    const size = path === undefined ? undefined : transcriptState(event.agent, path)?.size;
    const exists = size !== undefined;
    const waits = path !== undefined && mayStillWrite(at, hurried, exists);
    if (waits && !exists && !expectsNoTranscript(stores, input.session_id)) return 'too-early';
    if (waits && exists && this.#incomplete.get(id) === size) return 'too-early';
    const extra = {
      stoppedAt: at,
      ...given({
        onlyIfWritten: waits && exists ? given({ promptId: input.prompt_id || undefined }) : undefined,
        lastAnswer: input.last_assistant_message || undefined,
      }),
    };
    const processed =
      input.hook_event_name === 'SubagentStop'
        ? await this.#subagentStop(event, place, exists ? path : undefined, extra)
        : await this.#mainStop(event, place, extra);
    if (processed === 'too-early' && exists) this.#incomplete.set(id, size);
    else this.#incomplete.delete(id);
    return processed;
  }

  async #mainStop(event: SpooledEvent, place: ResolvedProject, extra: ReadExtra): Promise<Processed> {
    const { prompt_id: promptId, transcript_path: path } = event.input;
    if (!path || !transcriptState(event.agent, path)) await noteAnswer(this.#options.stores, event);
    return this.#read(event, place, { ...extra, ...given({ promptId: promptId || undefined }) });
  }

  async #subagentStop(
    event: SpooledEvent,
    place: ResolvedProject,
    path: string | undefined,
    extra: ReadExtra,
  ): Promise<Processed> {
    if (path === undefined) return 'done';
    await this.#begin(event, place);
    const session = { id: event.input.session_id, project: place.project.id, agent: event.agent };
    const { tooEarly } = await this.readSubagent(session, path, extra);
    return tooEarly ? 'too-early' : 'done';
  }

  async #read(event: SpooledEvent, place: ResolvedProject, extra: ReadExtra): Promise<Processed> {
    await this.#begin(event, place);
    const session = this.#options.stores.index.session(event.input.session_id);
    const path = event.input.transcript_path;
    if (!session || !path || !transcriptState(session.agent, path)) return 'done';
    const { tooEarly } = await this.read(session, path, extra);
    return tooEarly ? 'too-early' : 'done';
  }

  /**
   * A client that starts shows what became of the one before: an unfinished turn of a resumed session was interrupted, and
   * sessions of the project whose client was killed are over. The brief then continues from there.
   */
  async #settle({ at, input }: SpooledEvent, { project }: ResolvedProject): Promise<void> {
    const { index } = this.#options.stores;
    const resumed = input.source === 'compact' ? undefined : index.session(input.session_id);
    if (resumed?.transcript && transcriptState(resumed.agent, resumed.transcript))
      await this.read(resumed, resumed.transcript, { stoppedAt: at });
    const active = index.sessions({ status: 'active', project: project.id, limit: MAX_SETTLED });
    for (const session of active) {
      if (session.id === input.session_id || !isClientGone(index, session.id)) continue;
      // As an event of that session: its reads must not wait for this event.
      await this.#priority.first(session.id, () => this.endKilled(session, at));
    }
  }

  /** Ends a session whose client is gone without a word. Its last turn was interrupted unless the file shows its end. */
  async endKilled(session: Session, at: string): Promise<void> {
    const { stores } = this.#options;
    const { transcript } = session;
    if (transcript !== undefined && transcriptState(session.agent, transcript)) {
      await this.read(session, transcript, { stoppedAt: at });
      for (const { path } of await readerOf(session.agent).subagentsOf(transcript))
        await this.readSubagent(session, path, { stoppedAt: at });
    } else await this.storeNoted(session);
    const last = stores.index.turnsIn(session.id).findLast(({ origin }) => origin === 'person');
    const status = last?.outcome === 'interrupted' ? 'interrupted' : 'completed';
    const { lastAt } = stores.index.session(session.id) ?? session;
    await closeSession(stores, session.id, { status, at: lastAt, reason: 'killed' });
  }

  /** Records the session of an event, and how it began if the event says so. */
  async #begin({ at, agent, input }: SpooledEvent, place: ResolvedProject): Promise<void> {
    const { stores } = this.#options;
    const known = stores.index.session(input.session_id);
    const source = input.hook_event_name === 'SessionStart' ? (input.source ?? 'startup') : undefined;
    if (known && (source === undefined || (known.source === source && known.lastAt >= at))) return;
    await recordSession(stores, {
      kind: 'session',
      at,
      session: input.session_id,
      change: CHANGES[source ?? 'startup'] ?? 'started',
      project: known?.project ?? place.project.id,
      agent,
      status: 'active',
      ...given({
        source,
        title: input.session_title,
        branch: place.branch,
        worktree: place.worktree ?? place.root,
        transcript: input.transcript_path,
      }),
    });
  }

  /** While there is no transcript the prompt is noted, in case there never will be one. */
  async #prompt(event: SpooledEvent, place: ResolvedProject): Promise<void> {
    const { stores, pauses } = this.#options;
    const { transcript_path: path, session_id: session } = event.input;
    if (path && transcriptState(event.agent, path)) return;
    const isOver = hasNotedAnswer(stores, session) || hasOtherPrompt(stores, event);
    if (isOver && !(await waitForTranscript(stores, event))) await this.#storeNoted(event, place);
    const isPaused = pauses.covers(event.at, { project: place.project.id, session });
    if (isPaused || isAsideCommand(event.input.prompt ?? '')) dropPrompt(stores, session);
    else await notePrompt(stores, event);
  }

  async #storeNoted(event: SpooledEvent, place: ResolvedProject): Promise<void> {
    await this.#begin(event, place);
    const session = this.#options.stores.index.session(event.input.session_id);
    if (session) await this.storeNoted(session);
  }

  /** Stores a prompt that has had no answer for long as an open turn. For sessions without a transcript. */
  async storeUnanswered(session: Session, openBefore: string): Promise<void> {
    const since = unansweredSince(this.#options.stores, session.id);
    if (since !== undefined && since <= openBefore) await this.storeNoted(session, 'open');
  }

  /** Stores the noted prompt and answer as a turn. For sessions without a transcript. */
  async storeNoted(session: Session, unanswered?: 'open'): Promise<void> {
    const { stores, distiller, pauses } = this.#options;
    const { id, project, worktree: root, branch } = session;
    const noted = notedTurn(stores, session, unanswered);
    const turn = noted && contentOf(noted);
    if (!turn || pauses.covers(turn.startedAt, { project, session: id })) return;
    const stored = await storeTurn(
      stores,
      distiller,
      { ...turn, ...given({ branch }) },
      { project, ...given({ root }) },
    );
    touchSession(stores, id);
    const { memories, redactions } = stored;
    this.#options.onCaptured({ turns: stored.isNew ? 1 : 0, memories, redactions }, id);
  }

  /** Reads the new part of a transcript. Also used by the sweep and the import. */
  async read(session: Session, path: string, extra: ReadExtra): Promise<Captured> {
    const captured = await this.#capture(session, path, session.worktree, extra);
    if (captured.tooEarly) return captured;
    this.#waiting.set(path, captured.waiting);
    touchSession(this.#options.stores, session.id);
    this.#options.onCaptured(captured, session.id);
    return captured;
  }

  /** Whether the file has, or may have, an unfinished turn that began before this time and is not stored. */
  hasOpenTurn(path: string, before: string): boolean {
    const since = this.#waiting.get(path);
    return this.#waiting.has(path) ? since !== undefined && since <= before : true;
  }

  /** Reads a subagent's transcript, a conversation of its own beside the main one. */
  async readSubagent(
    session: Pick<Session, 'id' | 'project' | 'agent'>,
    path: string,
    extra: ReadExtra,
  ): Promise<Captured> {
    const { stores } = this.#options;
    const continues = await parentTurn(stores, session, path);
    const root = stores.index.session(session.id)?.worktree;
    const captured = await this.#capture(session, path, root, { ...extra, ...given({ continues }) });
    if (!captured.tooEarly) this.#options.onCaptured(captured, session.id);
    return captured;
  }

  /** One at a time within a session: an event, the sweep and an import may find the same turn at once. */
  async #capture(
    { id, project, agent }: Pick<Session, 'id' | 'project' | 'agent'>,
    path: string,
    root: string | undefined,
    extra: ReadExtra,
  ): Promise<Captured> {
    const { stores, distiller, pauses, onProgress } = this.#options;
    const request: CaptureRequest = {
      agent,
      path,
      session: id,
      project,
      skip: (turn) => pauses.covers(turn.startedAt, { project, session: id }),
      yieldToEvents: () => {
        onProgress?.();
        return this.#priority.waitFor(id);
      },
      ...given({ root }),
      ...extra,
    };
    return this.#captures.run(id, () => captureTranscript(stores, distiller, request));
  }

  /** For long work beside the events: resolves when no event is being processed. */
  yieldToEvents(): Promise<void> {
    return this.#priority.waitFor('');
  }

  isPaused(at: string, scope: PauseScope): boolean {
    return this.#options.pauses.covers(at, scope);
  }
}

/** Some clients name the transcript only in some of their hooks. */
function withTranscript(event: SpooledEvent, env: NodeJS.ProcessEnv): SpooledEvent {
  const { agent, input } = event;
  if (input.transcript_path) return event;
  const path = readerOf(agent).pathOf?.(input.session_id, env);
  return path === undefined ? event : { ...event, input: { ...input, transcript_path: path } };
}

/**
 * The file that contains the turn the agent stopped after. A compaction sends a SubagentStop without an agent type, and
 * its transcript never exists (docs/claude-code.md).
 */
function stoppedFile(input: HookInput): string | undefined {
  if (input.hook_event_name === 'Stop') return input.transcript_path;
  return input.agent_type ? input.agent_transcript_path : undefined;
}

function mayStillWrite(at: string, hurried: boolean, exists: boolean): boolean {
  const age = Date.now() - Date.parse(at);
  if (age < 0 || age > WRITTEN_WITHIN_MS) return false;
  return !hurried || age <= (exists ? HURRIED_MS : HURRIED_FILE_MS);
}

/** During a pause an event only marks a moment. */
function withoutTexts(event: SpooledEvent): SpooledEvent {
  const { prompt: _, session_title: __, last_assistant_message: ___, ...input } = event.input;
  return { ...event, input };
}

/**
 * Gives events priority over imports: long work waits between its steps while an event is being processed. Work for the
 * session of that event does not wait, because the event may be waiting for it.
 */
export class EventPriority {
  readonly #inProgress = new Map<string, number>();
  #waiting: (() => void)[] = [];

  async first<T>(session: string, work: () => Promise<T>): Promise<T> {
    this.#inProgress.set(session, (this.#inProgress.get(session) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#inProgress.get(session) ?? 1) - 1;
      if (left > 0) this.#inProgress.set(session, left);
      else this.#inProgress.delete(session);
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }

  /** Resolves when no event is being processed, or one of this session is. */
  async waitFor(session: string): Promise<void> {
    while (this.#inProgress.size > 0 && !this.#inProgress.has(session)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
