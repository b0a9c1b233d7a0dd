/**
 * Several sessions at work at once, some with a transcript and some without. Each turn says something that becomes
 * exactly one memory, so that what was lost or doubled can be counted afterwards.
 */
import type { Machine, Running } from '../support/machine.ts';
import { inventedDecision, SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

export interface CrowdTurn {
  readonly session: string;
  /** Stands in the prompt and thus in the memory's title, and nowhere else. */
  readonly word: string;
  /** Each of its hooks ended by itself, so each of its events was accepted. */
  accepted: boolean;
}

export class Worker {
  readonly session: string;
  readonly turns: CrowdTurn[] = [];
  readonly #machine: Machine;
  readonly #transcript: SyntheticTranscript | undefined;

  constructor(machine: Machine, name: string, options: { transcript: boolean }) {
    this.#machine = machine;
    this.session = uuid('session', name);
    this.#transcript = options.transcript
      ? new SyntheticTranscript({ config: machine.config, cwd: machine.project, session: this.session })
      : undefined;
  }

  get hasTranscript(): boolean {
    return this.#transcript !== undefined;
  }

  start(): Promise<boolean> {
    return this.#fire('SessionStart', { source: 'startup' });
  }

  /** One prompt and its answer. `under` gets every hook as it starts, and may kill it. */
  async turn(under: (running: Running) => void): Promise<void> {
    const n = this.turns.length;
    const { word, text: prompt } = inventedDecision(`${this.session} ${n}`);
    const answer = `Done, it lies there now (step ${n}).`;
    const turn: CrowdTurn = { session: this.session, word, accepted: false };
    this.turns.push(turn);
    const prompt_id = uuid(this.session, 'prompt-id', n);
    const asked = await this.#fire('UserPromptSubmit', { prompt, prompt_id }, under);
    this.#transcript?.append({ prompt, answer, at: new Date().toISOString() });
    const stopped = await this.#fire(
      'Stop',
      { prompt_id, last_assistant_message: answer, stop_hook_active: false },
      under,
    );
    turn.accepted = asked && stopped;
  }

  end(): Promise<boolean> {
    return this.#fire('SessionEnd', { reason: 'other' });
  }

  /** Whether the hook ended by itself. */
  async #fire(
    name: 'SessionStart' | 'UserPromptSubmit' | 'Stop' | 'SessionEnd',
    fields: Readonly<Record<string, unknown>>,
    under: (running: Running) => void = () => {},
  ): Promise<boolean> {
    const transcript = this.#transcript ? { transcript_path: this.#transcript.path } : {};
    const running = this.#machine.startHook(name, { session_id: this.session, ...transcript, ...fields });
    under(running);
    const { code } = await running.ended;
    return code === 0;
  }
}
