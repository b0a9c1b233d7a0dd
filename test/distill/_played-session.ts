/** A session on a machine whose model is the stand-in: turns with a transcript, told to a real daemon. */
import type { TestContext } from 'node:test';
import { Machine, type Env } from '../support/machine.ts';
import { readLedger } from '../support/stores.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';
import type { ApiStandIn } from './_api-stand-in.ts';

export const DECISION =
  'We decided to keep the parser cache on disk because memory runs out on small machines.';
export const ANSWER = 'Done, the parser cache lies on disk now, in .cache/parser, and survives a restart.';

const TURN_MS = 50;

/** A machine that may ask the stand-in. */
export function machineAsking(t: TestContext, api: ApiStandIn, env: Env = {}): Machine {
  return Machine.open(t, {
    TIDEMARK_DISTILL_DRIVER: 'api',
    TIDEMARK_DISTILL_CONSENT: 'true',
    TIDEMARK_DISTILL_API_URL: `${api.url}/v1`,
    TIDEMARK_DISTILL_MODEL: 'claude-haiku-4-5',
    ...env,
  });
}

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
    return this.fire('SessionStart', { source: 'startup' });
  }

  /** One prompt and its answer; gives the id of the turn and what the Stop hook said. */
  async turn(prompt = DECISION, answer = ANSWER): Promise<{ readonly id: string; readonly said: string }> {
    const n = this.#turns++;
    const prompt_id = uuid(this.id, 'prompt-id', n);
    await this.fire('UserPromptSubmit', { prompt, prompt_id });
    // No turn is over within the millisecond it began in.
    this.transcript.append({ prompt, answer, at: new Date(Date.now() - TURN_MS).toISOString() });
    const said = await this.fire('Stop', {
      prompt_id,
      last_assistant_message: answer,
      stop_hook_active: false,
    });
    return { id: this.transcript.turnId(n), said };
  }

  end(): Promise<unknown> {
    return this.fire('SessionEnd', { reason: 'other' });
  }

  async fire(
    name: 'SessionStart' | 'UserPromptSubmit' | 'Stop' | 'SessionEnd',
    fields: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { body } = await this.#machine.deliver(name, {
      session_id: this.id,
      transcript_path: this.transcript.path,
      ...fields,
    });
    return body;
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
