/** A small past: two projects, three sessions with a transcript each, and the events their hooks fired. All times are fixed. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookName, SpooledEvent } from '../../src/core/index.ts';
import { toSpooledEvent } from '../../src/privacy/index.ts';
import type { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid, type SyntheticTurn } from '../support/synthetic-transcript.ts';

export interface History {
  readonly transcripts: readonly SyntheticTranscript[];
  readonly projects: readonly string[];
  readonly events: readonly SpooledEvent[];
}

const SESSIONS: readonly {
  readonly name: string;
  readonly project: 'shop' | 'site';
  readonly start: string;
  readonly turns: readonly SyntheticTurn[];
}[] = [
  {
    name: 'tokens',
    project: 'shop',
    start: '2026-03-02T09:00:00.000Z',
    turns: [
      {
        prompt:
          'We decided to rotate refresh tokens on every use because stolen tokens must die at first reuse.',
        answer: 'Done: auth.ts rotates refresh tokens on every use now.',
        tools: [
          {
            name: 'Edit',
            input: { file_path: 'src/auth.ts', old_string: 'never', new_string: 'always' },
            output: 'rotation = never',
          },
          {
            name: 'Bash',
            input: { command: 'npm test' },
            output: 'Error: 2 tests failed\nexit 1',
            failed: true,
          },
          { name: 'Bash', input: { command: 'npm test' }, output: '14 passed' },
        ],
      },
      {
        prompt: 'Always run the linter before you commit.',
        answer: 'Understood. The linter runs before every commit from now on.',
      },
      {
        prompt: 'What is still open?',
        answer:
          'Still open:\n- The logout button is broken on Safari.\n- Sessions of deleted users are not revoked.',
      },
    ],
  },
  {
    name: 'pages',
    project: 'site',
    start: '2026-03-03T10:00:00.000Z',
    turns: [
      {
        prompt: 'We agreed to render the catalogue on the server because crawlers see no scripts.',
        answer: 'The catalogue is rendered on the server.',
        tools: [
          {
            name: 'Write',
            input: { file_path: 'src/catalogue.ts', content: 'export {}' },
            output: 'created',
          },
        ],
      },
      {
        prompt: 'Try the edge cache too.',
        answer: 'I tried the edge cache, but it served stale prices, so I reverted it.',
      },
    ],
  },
  {
    name: 'prices',
    project: 'shop',
    start: '2026-03-03T15:00:00.000Z',
    turns: [
      {
        prompt: 'We decided to keep prices in cents because floats lose them.',
        answer: 'All prices are integers of cents now.',
        tools: [{ name: 'Read', input: { file_path: 'src/price.ts' }, output: 'const price = 9.99' }],
      },
    ],
  },
];

/** Writes the transcripts and gives the events, as they were when everything happened. */
export function makeHistory(machine: Machine): History {
  const transcripts: SyntheticTranscript[] = [];
  const events: SpooledEvent[] = [];
  const projects = ['shop', 'site'].map((name) => join(machine.root, name));
  for (const folder of projects) mkdirSync(folder, { recursive: true });
  for (const { name, project, start, turns } of SESSIONS) {
    const cwd = join(machine.root, project);
    const transcript = new SyntheticTranscript({
      config: machine.config,
      cwd,
      session: uuid('session', name),
      start,
    });
    let time = Date.parse(start);
    const fire = (hook: HookName, fields: Readonly<Record<string, unknown>>): void => {
      const input = {
        session_id: transcript.session,
        transcript_path: transcript.path,
        cwd,
        hook_event_name: hook,
      };
      const attempt = uuid(name, events.length);
      const stdin = JSON.stringify({ ...input, ...fields });
      const parsed = toSpooledEvent(stdin, hook, { attempt, projectDir: cwd }, new Date(time));
      if (!parsed.ok) throw new Error(parsed.reason);
      events.push(parsed.event);
    };
    fire('SessionStart', { source: 'startup' });
    for (const turn of turns) {
      time += 60_000;
      fire('UserPromptSubmit', { prompt: turn.prompt });
      transcript.append(turn);
      time += 30_000;
      fire('Stop', { last_assistant_message: turn.answer, stop_hook_active: false });
    }
    transcript.finish();
    fire('SessionEnd', { reason: 'other' });
    transcripts.push(transcript);
  }
  return { transcripts, projects, events };
}

/** Puts events where hooks put them when no daemon answers, and as hooks do: whole. The names give the order. */
export function spoolEvents(machine: Machine, events: readonly SpooledEvent[]): void {
  mkdirSync(machine.places.inbox, { recursive: true, mode: 0o700 });
  for (const [i, event] of events.entries()) {
    const file = join(machine.places.inbox, `${String(i).padStart(15, '0')}-${event.id}.json`);
    writeFileSync(`${file}.tmp`, JSON.stringify(event), { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  }
}

/** Takes the whole history in, and waits until it is. */
export async function takeIn(machine: Machine, history: History): Promise<void> {
  spoolEvents(machine, history.events);
  await machine.drained();
}
