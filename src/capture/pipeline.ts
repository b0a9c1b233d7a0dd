/**
 * What each event sets in motion in the writer: sessions begin and end, transcripts are read, turns become memory.
 * Idempotent: the same event processed twice leaves the stores as they were.
 */
import type { HookInput, Session, SpooledEvent } from '../core/index.ts';
import type { Distiller } from '../distill/index.ts';
import { isRegularFile } from '../files/index.ts';
import { closeSession, touchSession, dropPrompt, type Stores } from '../memory/index.ts';
import { beginSession } from './begin-session.ts';
import { EventPriority } from './event-priority.ts';
import { captureTranscript, type Captured, type CaptureRequest } from './follow-transcript.ts';
import { parentTurn } from './parent-turn.ts';
import type { Pauses, PauseScope } from './pauses.ts';
import { projectOfEvent, type CaptureScope } from './projects/project-of-event.ts';
import type { ResolvedProject } from './projects/projects.ts';
import { isWrittenDown } from './stopped-turn.ts';
import { storeTurn } from './store-turn.ts';
import {
  isAnswered,
  neverComes,
  noteAnswer,
  notedTurn,
  notePrompt,
  transcriptIsThere,
} from './without-transcript.ts';

/**
 * How long a Stop waits for the client to write down the turn it tells of. Seen: 0.7 s on a machine with four times more
 * to do than it can; beyond this the client was killed, and what Stop itself says is all there will be.
 */
const WRITTEN_WITHIN_MS = 20_000;
/** The same while something waits for it: the next event of its session, a person who asks. */
const HURRIED_MS = 1200;
/** And where there is no file at all, which is how clients told to keep none are known. */
const HURRIED_FILE_MS = 500;

/** `too-early`: nothing was done that doing it again would not do; ask again in a moment. */
export type Processed = 'done' | 'too-early';

export interface PipelineOptions {
  readonly stores: Stores;
  readonly distiller: Distiller;
  readonly pauses: Pauses;
  readonly scope: CaptureScope;
  readonly onCaptured: (
    captured: Pick<Captured, 'turns' | 'memories' | 'redactions'>,
    session: string,
  ) => void;
  /** Called when some turns of a transcript were kept. */
  readonly onProgress?: () => void;
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #capturing = new Map<string, Promise<void>>();
  readonly #way = new EventPriority();

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** `hurried`: something waits for this event. */
  process(event: SpooledEvent, hurried: boolean): Promise<Processed> {
    return this.#way.first(event.input.session_id, () => this.#process(event, hurried));
  }

  async #process(given: SpooledEvent, hurried: boolean): Promise<Processed> {
    const { stores, scope, pauses } = this.#options;
    const placed = await projectOfEvent(stores, given, scope);
    if (placed.ignored) return 'done';
    const about = { project: placed.project.id, session: given.input.session_id };
    const event = pauses.covers(given.at, about) ? withoutWords(given) : given;
    if (await this.#isTooEarly(event, hurried)) return 'too-early';
    await this.#take(event, placed);
    return 'done';
  }

  async #take(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    const { stores } = this.#options;
    switch (event.input.hook_event_name) {
      case 'SessionStart':
        return beginSession(stores, event, placed);
      case 'UserPromptSubmit':
        await this.#prompt(event, placed);
        return this.#read(event, placed, {});
      case 'PreCompact':
        return this.#read(event, placed, {});
      case 'Stop':
        return this.#stop(event, placed);
      case 'SubagentStop':
        return this.#subagent(event, placed);
      case 'SessionEnd':
        if (!(await transcriptIsThere(stores, event))) await this.#keepNoted(event, placed);
        await this.#read(event, placed, { stoppedAt: event.at });
        return closeSession(stores, event.input.session_id, {
          status: 'completed',
          at: event.at,
          ...(event.input.reason ? { reason: event.input.reason } : {}),
        });
    }
  }

  /** The agent has stopped, and the client is about to write down what it stopped after. */
  async #isTooEarly({ at, input }: SpooledEvent, hurried: boolean): Promise<boolean> {
    const { stores } = this.#options;
    const path = stoppedFile(input);
    const age = Date.now() - Date.parse(at);
    if (path === undefined || age < 0 || age > WRITTEN_WITHIN_MS) return false;
    const isThere = isRegularFile(path);
    if (hurried && age > (isThere ? HURRIED_MS : HURRIED_FILE_MS)) return false;
    if (!isThere) return !neverComes(stores, input.session_id);
    const { last_assistant_message: lastAnswer, prompt_id: promptId } = input;
    return !(await isWrittenDown(stores, {
      path,
      stoppedAt: at,
      ...(lastAnswer ? { lastAnswer } : {}),
      ...(promptId ? { promptId } : {}),
    }));
  }

  /** For long work beside the events: resolves when none is under way. */
  giveWay(): Promise<void> {
    return this.#way.giveWay('');
  }

  isPaused(at: string, scope: PauseScope): boolean {
    return this.#options.pauses.covers(at, scope);
  }

  /** Reads whatever a transcript holds that was not read yet. Also the sweep's and the import's way in. */
  async read(
    session: Session,
    path: string,
    extra: Pick<CaptureRequest, 'stoppedAt' | 'lastAnswer' | 'promptId' | 'signal'>,
  ): Promise<Captured> {
    const { stores, pauses } = this.#options;
    const captured = await this.#capture({
      path,
      session: session.id,
      project: session.project,
      skip: (turn) => pauses.covers(turn.startedAt, { project: session.project, session: session.id }),
      ...(session.worktree ? { root: session.worktree } : {}),
      ...extra,
    });
    touchSession(stores, session.id);
    this.#options.onCaptured(captured, session.id);
    return captured;
  }

  /** Where no transcript ever came, the prompt and the last answer are the turn. */
  async keepNoted(session: Session): Promise<void> {
    const { stores, distiller, pauses } = this.#options;
    const { id, project, worktree, branch } = session;
    const turn = notedTurn(stores, session);
    if (!turn || pauses.covers(turn.startedAt, { project, session: id })) return;
    const options = { project, ...(worktree ? { root: worktree } : {}) };
    const kept = await storeTurn(stores, distiller, { ...turn, ...(branch ? { branch } : {}) }, options);
    touchSession(stores, id);
    const { memories, redactions } = kept;
    this.#options.onCaptured({ turns: kept.isNew ? 1 : 0, memories, redactions }, id);
  }

  /** A session's subagents, each a conversation of its own beside the main transcript. */
  async readSubagents(session: Session, paths: readonly string[], extra: Pick<CaptureRequest, 'stoppedAt'>) {
    let turns = 0;
    let memories = 0;
    for (const path of paths) {
      const captured = await this.readSubagent(session, path, extra);
      turns += captured.turns;
      memories += captured.memories.length;
    }
    return { turns, memories };
  }

  async readSubagent(
    session: Pick<Session, 'id' | 'project'>,
    path: string,
    extra: Pick<CaptureRequest, 'stoppedAt' | 'lastAnswer' | 'signal'>,
  ): Promise<Captured> {
    const { stores, pauses } = this.#options;
    const parent = await parentTurn(stores, session, path);
    const root = stores.index.session(session.id)?.worktree;
    const captured = await this.#capture({
      path,
      session: session.id,
      project: session.project,
      skip: (turn) => pauses.covers(turn.startedAt, { project: session.project, session: session.id }),
      ...(parent ? { continues: parent } : {}),
      ...(root ? { root } : {}),
      ...extra,
    });
    this.#options.onCaptured(captured, session.id);
    return captured;
  }

  /** One after the other within a session: an event, the sweep and an import may come upon the same turn at once. */
  async #capture(request: CaptureRequest): Promise<Captured> {
    const { stores, distiller } = this.#options;
    const before = this.#capturing.get(request.session) ?? Promise.resolve();
    const giveWay = (): Promise<void> => {
      this.#options.onProgress?.();
      return this.#way.giveWay(request.session);
    };
    const capturing = before.then(() => captureTranscript(stores, distiller, { ...request, giveWay }));
    const settled = capturing.then(
      () => {},
      () => {},
    );
    this.#capturing.set(request.session, settled);
    try {
      return await capturing;
    } finally {
      if (this.#capturing.get(request.session) === settled) this.#capturing.delete(request.session);
    }
  }

  async #read(
    event: SpooledEvent,
    placed: ResolvedProject,
    extra: Pick<CaptureRequest, 'stoppedAt' | 'lastAnswer' | 'promptId'>,
  ): Promise<void> {
    await beginSession(this.#options.stores, event, placed);
    const session = this.#options.stores.index.session(event.input.session_id);
    const path = event.input.transcript_path;
    if (session && path && isRegularFile(path)) await this.read(session, path, extra);
  }

  async #stop(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    const { stores } = this.#options;
    const { last_assistant_message: answer, prompt_id: promptId, transcript_path: path } = event.input;
    if (!path || !isRegularFile(path)) await noteAnswer(stores, event);
    await this.#read(event, placed, {
      stoppedAt: event.at,
      ...(answer ? { lastAnswer: answer } : {}),
      ...(promptId ? { promptId } : {}),
    });
  }

  async #subagent(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    const path = stoppedFile(event.input);
    const { session_id: id } = event.input;
    if (path === undefined || !isRegularFile(path)) return;
    await beginSession(this.#options.stores, event, placed);
    const answer = event.input.last_assistant_message;
    await this.readSubagent({ id, project: placed.project.id }, path, {
      stoppedAt: event.at,
      ...(answer ? { lastAnswer: answer } : {}),
    });
  }

  async #keepNoted(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    await beginSession(this.#options.stores, event, placed);
    const session = this.#options.stores.index.session(event.input.session_id);
    if (session) await this.keepNoted(session);
  }

  /** Where no transcript lies yet the prompt is written down, in case none ever will. */
  async #prompt(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    const { stores, pauses } = this.#options;
    const { transcript_path: path, session_id: session } = event.input;
    if (path && isRegularFile(path)) return;
    if (isAnswered(stores, session) && !(await transcriptIsThere(stores, event)))
      await this.#keepNoted(event, placed);
    if (pauses.covers(event.at, { project: placed.project.id, session })) dropPrompt(stores, session);
    else await notePrompt(stores, event);
  }
}

/**
 * Where what the agent stopped after is written down. Compaction fires SubagentStop with no agent type and a transcript
 * that never exists (docs/claude-code.md).
 */
function stoppedFile(input: HookInput): string | undefined {
  if (input.hook_event_name === 'Stop') return input.transcript_path;
  if (input.hook_event_name === 'SubagentStop' && input.agent_type) return input.agent_transcript_path;
  return undefined;
}

/** During a pause an event only marks a moment. */
function withoutWords(event: SpooledEvent): SpooledEvent {
  const { prompt: _, session_title: __, last_assistant_message: ___, ...input } = event.input;
  return { ...event, input };
}
