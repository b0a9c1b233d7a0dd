/** A session on a machine: turns with a transcript, reported to a real daemon. */
import type { Machine } from '../support/machine.ts';
import { readLedger } from '../support/stores.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

const TURN_MS = 50;

export class PlayedSession {
  readonly id: string;
  readonly transcript: SyntheticTranscript;
  readonly #machine: Machine;
  #turns = 0;

  constructor(machine: Machine, name = 'one') {
    this.#machine = machine;
    this.id = uuid('session', name);
    this.transcript = new SyntheticTranscript({
      config: machine.config,
      cwd: machine.project,
      session: this.id,
    });
  }

  start(): Promise<unknown> {
    return this.#fire('SessionStart', { source: 'startup' });
  }

  /** Plays one prompt and its answer. Returns the id of the turn. */
  async turn(prompt: string, answer: string): Promise<{ readonly id: string }> {
    const n = this.#turns++;
    const prompt_id = uuid(this.id, 'prompt-id', n);
    await this.#fire('UserPromptSubmit', { prompt, prompt_id });
    // No turn is over within the millisecond it began in.
    this.transcript.append({ prompt, answer, at: new Date(Date.now() - TURN_MS).toISOString() });
    await this.#fire('Stop', {
      prompt_id,
      last_assistant_message: answer,
      stop_hook_active: false,
    });
    return { id: this.transcript.turnId(n) };
  }

  async #fire(
    name: 'SessionStart' | 'UserPromptSubmit' | 'Stop',
    fields: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#machine.deliver(name, {
      session_id: this.id,
      transcript_path: this.transcript.path,
      ...fields,
    });
  }
}

/** Waits until the ledger holds a record that fits. */
export function recorded(
  machine: Machine,
  kind: string,
  fits: (record: Readonly<Record<string, unknown>>) => boolean = () => true,
): Promise<Readonly<Record<string, unknown>>> {
  return waitFor(
    `a ${kind} record`,
    () => readLedger(machine.places).find((record) => record['kind'] === kind && fits(record)),
    { explain: () => machine.logs() },
  );
}
