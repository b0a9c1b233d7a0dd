/**
 * Answers the client's questions at a tool call: after a read, before an edit, before a shell command. They are no events:
 * nothing is stored but what was injected.
 */
import type { Answer, PendingAction } from '../../capture/index.ts';
import type { ArgsOf, FileQuestion } from '../api/table.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { HookActivity, SessionState } from './hook-activity.ts';

/** Permission modes in which the client asks its user. In the others a question would be a denial or unwanted. */
const ASKING_MODES = new Set(['default', 'acceptEdits', 'plan', 'auto']);

export interface ToolCallHooksOptions {
  readonly workers: WorkerPool;
  readonly activity: HookActivity;
  readonly onInjected: (injected: Injected) => void;
}

export interface Injected {
  readonly at: string;
  readonly session: string;
  readonly project: string;
  readonly where: Answer['where'];
  readonly recalled: Answer['memories'];
}

export function injectedAt(at: string, session: string, { project, where, memories }: Answer): Injected {
  return { at, session, project, where, recalled: memories };
}

/** The hook that asks: session, subagent, tool call, project, and its time. */
type FileCall = Omit<ArgsOf<'after-read'>, 'files'>;

export class ToolCallHooks {
  readonly #options: ToolCallHooksOptions;

  constructor(options: ToolCallHooksOptions) {
    this.#options = options;
  }

  /** Returns memories about files that were read, as hook JSON. */
  afterRead({ files: paths, ...from }: ArgsOf<'after-read'>): Promise<string> {
    return this.#oneAtATime(from, (state) => this.#answerFile('PostToolUse', paths, from, state));
  }

  /** Returns memories about a file that is about to be changed, or the stop of the edit, as hook JSON. */
  beforeEdit({ file, change, mode = '', ...from }: ArgsOf<'before-edit'>): Promise<string> {
    const stop = change ? { change, call: this.#callOf(from, mode) } : {};
    return this.#oneAtATime(from, (state) => this.#answerFile('PreToolUse', [file], from, state, stop));
  }

  /** Returns the stop of a shell command that a memory forbids, as hook JSON; empty for all others. */
  beforeCommand({ command, cwd, mode, ...from }: ArgsOf<'before-command'>): Promise<string> {
    return this.#oneAtATime(from, async (state) => {
      const { session, agent, dir, limitMs } = from;
      const question = {
        name: 'PreToolUse' as const,
        session,
        projectDir: dir,
        command,
        cwd,
        call: this.#callOf(from, mode),
        already: [...state.injected],
        since: state.since,
        ...(agent ? { agent } : {}),
      };
      const answer = await this.#options.workers.read('answer.command', question, limitMs);
      return this.#injected(answer, from, state);
    });
  }

  /** Whether the call may be stopped, and how. A subagent works in the background, where no one is asked. */
  #callOf({ session, agent }: FileCall, mode: string): Omit<PendingAction, 'action'> {
    const { talk, stopped, attended } = this.#options.activity.session(session);
    return { ...talk, stopped: [...stopped], asks: attended && !agent && ASKING_MODES.has(mode) };
  }

  /** One question about files at a time in a session, so that no memory is injected twice. */
  #oneAtATime(
    { session, agent }: Pick<FileCall, 'session' | 'agent'>,
    work: (state: SessionState) => Promise<string>,
  ): Promise<string> {
    const state = this.#options.activity.session(agent ? `${session}/${agent}` : session);
    const answer = state.files.then(() => work(state));
    state.files = answer.catch(() => '');
    return answer;
  }

  async #answerFile(
    name: 'PreToolUse' | 'PostToolUse',
    paths: readonly string[],
    from: FileCall,
    state: SessionState,
    stop: Pick<FileQuestion, 'change' | 'call'> = {},
  ): Promise<string> {
    const { session, agent, dir, limitMs } = from;
    const question = {
      name,
      session,
      projectDir: dir,
      paths,
      answered: [...state.read],
      readTokens: state.readTokens,
      already: [...state.injected],
      since: state.since,
      ...(agent ? { agent } : {}),
      ...stop,
    };
    const answer = await this.#options.workers.read('answer.file', question, limitMs);
    // What no tokens were left for may still be injected before an edit.
    if (name === 'PostToolUse' && !answer.isSpent) for (const file of answer.files) state.read.add(file);
    return this.#injected(answer, from, state);
  }

  /** Records what an answer injects. A memory stops once in a session, also if two subagents call at the same time. */
  #injected(answer: Answer, { session, agent, call }: FileCall, state: SessionState): string {
    if (answer.memories.length === 0) return '';
    const { stopped } = this.#options.activity.session(session);
    if (answer.where === 'stop' && answer.memories.some(({ id }) => stopped.has(id))) return '';
    const at = new Date().toISOString();
    for (const { id } of answer.memories) {
      if (!answer.isAsked) state.injected.add(id);
      if (answer.where === 'stop') stopped.add(id);
    }
    state.readTokens += answer.tokens ?? 0;
    const about = { session, event: call || at, at, ...(agent ? { agent } : {}) };
    this.#options.workers.writeLater('injected', { ...answer, ...about });
    this.#options.onInjected(injectedAt(at, session, answer));
    return answer.output;
  }
}
