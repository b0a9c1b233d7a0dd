/** Events of many sessions in a row, as a user's agent sends them: each session has a transcript that grows turn by turn. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HookName } from '../src/core/index.ts';
import type { HookFields, Machine } from '../test/support/machine.ts';
import { randomFrom } from '../test/support/random.ts';
import { SyntheticTranscript, uuid } from '../test/support/synthetic-transcript.ts';
import { turnOf, vocabulary } from './_past.ts';

const PROJECTS = 4;
const TURNS_PER_SESSION = 10;

export interface SentEvent {
  readonly name: HookName;
  readonly fields: HookFields;
  readonly project: string;
  /** Writes to the transcript what the client would have written by now. */
  readonly prepare: () => void;
}

/** Yields exactly `count` events. */
export function* eventsOf(machine: Machine, count: number): Generator<SentEvent> {
  let sent = 0;
  for (let session = 0; sent < count; session++) {
    for (const event of sessionOf(machine, session)) {
      if (sent++ === count) return;
      yield event;
    }
  }
}

export function projectOf(machine: Machine, session: number): string {
  return join(machine.root, `project-${session % PROJECTS}`);
}

function* sessionOf(machine: Machine, session: number): Generator<SentEvent> {
  const project = projectOf(machine, session);
  mkdirSync(project, { recursive: true });
  const random = randomFrom(session);
  const words = vocabulary(randomFrom(1));
  const start = new Date().toISOString();
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: project,
    session: uuid('resources', session),
    start,
  });
  const fields = { session_id: transcript.session, transcript_path: transcript.path, cwd: project };
  const event = (name: HookName, more: object, prepare = () => {}): SentEvent => ({
    name,
    fields: { ...fields, ...more },
    project,
    prepare,
  });
  yield event('SessionStart', { source: 'startup' });
  for (let n = 0; n < TURNS_PER_SESSION; n++) {
    const turn = { ...turnOf(random, words), at: new Date().toISOString() };
    const prompt_id = uuid(transcript.session, 'prompt-id', n);
    yield event('UserPromptSubmit', { prompt: turn.prompt, prompt_id });
    yield event('Stop', { last_assistant_message: turn.answer, prompt_id }, () => transcript.append(turn));
  }
  yield event('SessionEnd', { reason: 'other' }, () => transcript.finish());
}
