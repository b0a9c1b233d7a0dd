/**
 * What each event sets in motion in the writer: sessions begin and end, transcripts are read, turns become memory.
 * Idempotent: the same event processed twice leaves the stores as they were.
 */
import { existsSync } from 'node:fs';
import type { Distiller } from '../distill/index.ts';
import { contentHash, type Session, type SpooledEvent, type Turn } from '../model/index.ts';
import { captureTranscript, type Captured, type CaptureRequest } from './capture.ts';
import { keepTurn } from './keep.ts';
import { parentTurn } from './parent-turn.ts';
import { Pauses } from './pauses.ts';
import { placeEvent } from './place-event.ts';
import type { ResolvedProject } from './projects.ts';
import { beginSession, closeSession, touchSession } from './sessions.ts';
import type { Stores } from './stores.ts';

export interface PipelineOptions {
  readonly stores: Stores;
  readonly distiller: Distiller;
  readonly pauses: Pauses;
  readonly ignore: readonly string[];
  readonly onCaptured: (captured: Captured, session: string) => void;
}

export class Pipeline {
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  async process(event: SpooledEvent): Promise<void> {
    const { stores, ignore } = this.#options;
    const placed = await placeEvent(stores, event, ignore);
    if (placed.ignored) return;
    switch (event.input.hook_event_name) {
      case 'SessionStart':
        return beginSession(stores, event, placed);
      case 'UserPromptSubmit':
        await this.#notePrompt(event, placed);
        return this.#read(event, placed, {});
      case 'PreCompact':
        return this.#read(event, placed, {});
      case 'Stop':
        return this.#stop(event, placed);
      case 'SubagentStop':
        return this.#subagent(event, placed);
      case 'SessionEnd':
        await this.#read(event, placed, { stoppedAt: event.at });
        return closeSession(stores, event.input.session_id, {
          status: 'completed',
          at: event.at,
          ...(event.input.reason ? { reason: event.input.reason } : {}),
        });
    }
  }

  /** Reads whatever a transcript holds that was not read yet. Also the sweep's and the import's way in. */
  async read(
    session: Session,
    path: string,
    extra: { stoppedAt?: string; lastAnswer?: string },
  ): Promise<Captured> {
    const { stores, distiller, pauses } = this.#options;
    const captured = await captureTranscript(stores, distiller, {
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

  /** A session's subagents, each a conversation of its own beside the main transcript. */
  async readSubagents(session: Session, paths: readonly string[], extra: Pick<CaptureRequest, 'stoppedAt'>) {
    let turns = 0;
    let memories = 0;
    for (const path of paths) {
      const captured = await this.#readSubagent(session, path, extra);
      turns += captured.turns;
      memories += captured.memories.length;
    }
    return { turns, memories };
  }

  async #readSubagent(
    session: Pick<Session, 'id' | 'project'>,
    path: string,
    extra: Pick<CaptureRequest, 'stoppedAt' | 'lastAnswer'>,
  ): Promise<Captured> {
    const { stores, distiller, pauses } = this.#options;
    const parent = await parentTurn(stores, session, path);
    const captured = await captureTranscript(stores, distiller, {
      path,
      session: session.id,
      project: session.project,
      skip: (turn) => pauses.covers(turn.startedAt, { project: session.project, session: session.id }),
      ...(parent ? { continues: parent } : {}),
      ...extra,
    });
    this.#options.onCaptured(captured, session.id);
    return captured;
  }

  async #read(
    event: SpooledEvent,
    placed: ResolvedProject,
    extra: { stoppedAt?: string; lastAnswer?: string },
  ): Promise<void> {
    await beginSession(this.#options.stores, event, placed);
    const session = this.#options.stores.index.session(event.input.session_id);
    const path = event.input.transcript_path;
    if (session && path && existsSync(path)) await this.read(session, path, extra);
  }

  async #stop(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    const answer = event.input.last_assistant_message;
    await this.#read(event, placed, { stoppedAt: event.at, ...(answer ? { lastAnswer: answer } : {}) });
    const path = event.input.transcript_path;
    if (!path || !existsSync(path)) await this.#keepFromEvents(event, placed);
  }

  /** Compaction fires SubagentStop with no agent type and a transcript that never exists (FACTS §2). */
  async #subagent(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    const { agent_type: type, agent_transcript_path: path, session_id: id } = event.input;
    if (!type || !path || !existsSync(path)) return;
    await beginSession(this.#options.stores, event, placed);
    const answer = event.input.last_assistant_message;
    await this.#readSubagent({ id, project: placed.project.id }, path, {
      stoppedAt: event.at,
      ...(answer ? { lastAnswer: answer } : {}),
    });
  }

  /** Where no transcript lies yet the prompt is written down, in case none ever will. */
  async #notePrompt(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    const { transcript_path: path, prompt, session_id: session, prompt_id: promptId } = event.input;
    if (prompt === undefined || (path && existsSync(path))) return;
    if (this.#options.pauses.covers(event.at, { project: placed.project.id, session })) return;
    const { stores } = this.#options;
    await stores.ledger.append([
      { kind: 'prompt', at: event.at, session, prompt, ...(promptId ? { promptId } : {}) },
    ]);
    stores.index.setMeta(`prompt:${session}`, JSON.stringify({ at: event.at, prompt, promptId }));
  }

  /** No transcript at all: the prompt and the last answer are the turn. */
  async #keepFromEvents(event: SpooledEvent, placed: ResolvedProject): Promise<void> {
    const { stores, distiller, pauses } = this.#options;
    const noted = stores.index.meta(`prompt:${event.input.session_id}`);
    if (!noted) return;
    const { at, prompt, promptId } = JSON.parse(noted) as { at: string; prompt: string; promptId?: string };
    if (pauses.covers(at, { project: placed.project.id, session: event.input.session_id })) return;
    const turn: Turn = {
      id: `event-${contentHash(`${event.input.session_id}\n${promptId ?? at}`).slice(0, 32)}`,
      agent: event.agent,
      session: event.input.session_id,
      origin: 'person',
      startedAt: at,
      endedAt: event.at,
      outcome: 'answered',
      prompt,
      answer: event.input.last_assistant_message ?? '',
      tools: [],
      messages: [],
      ...(event.input.cwd ? { cwd: event.input.cwd } : {}),
      ...(placed.branch ? { branch: placed.branch } : {}),
    };
    const kept = await keepTurn(stores, distiller, turn, {
      project: placed.project.id,
      root: placed.root,
    });
    touchSession(stores, turn.session);
    this.#options.onCaptured(
      { turns: kept.isNew ? 1 : 0, memories: kept.memories, unfinished: 0, redactions: kept.redactions },
      turn.session,
    );
  }
}
