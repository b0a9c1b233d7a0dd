/** Simulates a user at work: in each round one session starts, and another gets a prompt, an answer and a stop. */
import { join } from 'node:path';
import type { Machine } from '../test/support/machine.ts';
import { randomFrom } from '../test/support/random.ts';
import { SyntheticTranscript, uuid } from '../test/support/synthetic-transcript.ts';
import { turnOf, vocabulary } from './_past.ts';

export const HOOKS = ['SessionStart', 'UserPromptSubmit', 'Stop'] as const;
export type Hook = (typeof HOOKS)[number];

export class LiveSession {
  turns = 0;
  readonly #machine: Machine;
  readonly #random = randomFrom(99);
  readonly #words = vocabulary(this.#random);
  readonly #transcript: SyntheticTranscript;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#transcript = new SyntheticTranscript({
      config: join(machine.root, 'live'), // not where the import looks
      cwd: machine.project,
      session: uuid('live'),
    });
  }

  async round(times: Map<Hook, number[]>): Promise<void> {
    const turn = { ...turnOf(this.#random, this.#words), at: new Date().toISOString() };
    const session = { session_id: this.#transcript.session, transcript_path: this.#transcript.path };
    await this.#fire('SessionStart', { session_id: uuid('other', this.turns), source: 'startup' }, times);
    await this.#fire('UserPromptSubmit', { ...session, prompt: turn.prompt }, times);
    this.#transcript.append(turn);
    this.turns++;
    await this.#fire('Stop', { ...session, last_assistant_message: turn.answer }, times);
  }

  async #fire(
    hook: Hook,
    fields: Readonly<Record<string, unknown>> & { session_id: string },
    times: Map<Hook, number[]>,
  ): Promise<void> {
    const started = performance.now();
    const { code } = await this.#machine.hook(hook, fields);
    if (code !== 0) throw new Error(`${hook} exited with ${code}`);
    times.set(hook, [...(times.get(hook) ?? []), performance.now() - started]);
  }
}
