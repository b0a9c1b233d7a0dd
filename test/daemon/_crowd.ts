/**
 * Several sessions at work at once, some with a transcript and some without. Each turn becomes exactly one memory, and
 * each event has a known id, so that a test can count which events were lost or doubled.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookName } from '../../src/core/index.ts';
import { DIST, HOOK, type Machine, type Running } from '../support/machine.ts';
import { inventedDecision, SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

/** One run of a hook. */
export interface CrowdEvent {
  readonly id: string;
  readonly name: HookName;
  /** False when the hook was killed. */
  readonly ended: boolean;
}

export interface CrowdTurn {
  readonly session: string;
  readonly hasTranscript: boolean;
  /** Part of the prompt and of the memory's title, and of no other text. */
  readonly word: string;
  readonly promptId: string;
  readonly prompted: CrowdEvent;
  readonly stopped: CrowdEvent;
}

/** The hook reads the id of its event here. */
const ID_SOURCE = '/proc/sys/kernel/random/uuid';
const ID_VARIABLE = 'TIDEMARK_TEST_EVENT_ID';

export class Worker {
  readonly session: string;
  readonly turns: CrowdTurn[] = [];
  readonly #machine: Machine;
  readonly #hook: string;
  readonly #transcript: SyntheticTranscript | undefined;
  #events = 0;

  constructor(machine: Machine, hook: string, name: string, options: { transcript: boolean }) {
    this.#machine = machine;
    this.#hook = hook;
    this.session = uuid('session', name);
    this.#transcript = options.transcript
      ? new SyntheticTranscript({ config: machine.config, cwd: machine.project, session: this.session })
      : undefined;
  }

  start(): Promise<CrowdEvent> {
    return this.#fire('SessionStart', { source: 'startup' });
  }

  /** One prompt and its answer. `onStart` gets every hook as it starts, and may kill it. */
  async turn(onStart: (running: Running) => void): Promise<void> {
    const n = this.turns.length;
    const { word, text: prompt } = inventedDecision(`${this.session} ${n}`);
    const answer = `Done, it is stored there now (step ${n}).`;
    const promptId = uuid(this.session, 'prompt-id', n);
    const prompted = await this.#fire('UserPromptSubmit', { prompt, prompt_id: promptId }, onStart);
    this.#transcript?.append({ prompt, answer, at: new Date().toISOString() });
    const stop = { prompt_id: promptId, last_assistant_message: answer, stop_hook_active: false };
    const stopped = await this.#fire('Stop', stop, onStart);
    const hasTranscript = this.#transcript !== undefined;
    this.turns.push({ session: this.session, hasTranscript, word, promptId, prompted, stopped });
  }

  end(): Promise<CrowdEvent> {
    return this.#fire('SessionEnd', { reason: 'other' });
  }

  async #fire(
    name: HookName,
    fields: Readonly<Record<string, unknown>>,
    onStart: (running: Running) => void = () => {},
  ): Promise<CrowdEvent> {
    const { project, root } = this.#machine;
    const id = uuid(this.session, 'event', this.#events++);
    const idFile = join(root, `event-${id}`);
    writeFileSync(idFile, `${id}\n`);
    const transcript = this.#transcript ? { transcript_path: this.#transcript.path } : {};
    const event = { cwd: project, hook_event_name: name, session_id: this.session, ...transcript, ...fields };
    const running = this.#machine.run('sh', [this.#hook, name], {
      input: JSON.stringify(event),
      env: { CLAUDE_PROJECT_DIR: project, [ID_VARIABLE]: idFile },
      cwd: project,
    });
    onStart(running);
    const { code } = await running.ended;
    return { id, name, ended: code === 0 };
  }
}

/** Copies the plugin with a hook that takes the id of its event from a file of the test. Returns the hook. */
export function hookWithKnownIds(machine: Machine): string {
  const plugin = join(machine.root, 'plugin');
  mkdirSync(join(plugin, 'hooks'), { recursive: true });
  symlinkSync(DIST, join(plugin, 'dist'));
  const text = readFileSync(HOOK, 'utf8');
  assert.ok(text.includes(ID_SOURCE), 'the hook reads its id from the kernel');
  const hook = join(plugin, 'hooks', 'hook.sh');
  writeFileSync(hook, text.replaceAll(ID_SOURCE, `"$${ID_VARIABLE}"`));
  return hook;
}
