/** A small past: two projects, three sessions with a transcript each, and what their hooks said. All times are fixed. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HookName } from '../../src/core/index.ts';
import type { HookFields, Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid, type SyntheticTurn } from '../support/synthetic-transcript.ts';

export interface History {
  readonly transcripts: readonly SyntheticTranscript[];
  readonly projects: readonly string[];
  readonly events: readonly PastEvent[];
}

interface PastEvent {
  readonly hook: HookName;
  readonly fields: HookFields;
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

/** Writes the transcripts and gives the events, in the order in which everything happened. */
export function makeHistory(machine: Machine): History {
  const transcripts: SyntheticTranscript[] = [];
  const events: PastEvent[] = [];
  const projects = ['shop', 'site'].map((name) => join(machine.root, name));
  for (const folder of projects) mkdirSync(folder, { recursive: true });
  for (const { name, project, start, turns } of SESSIONS) {
    const cwd = join(machine.root, project);
    const session = uuid('session', name);
    const transcript = new SyntheticTranscript({ config: machine.config, cwd, session, start });
    const fire = (hook: HookName, more: Readonly<Record<string, unknown>>): void => {
      const fields = { session_id: session, transcript_path: transcript.path, cwd, ...more };
      events.push({ hook, fields });
    };
    fire('SessionStart', { source: 'startup' });
    for (const turn of turns) {
      fire('UserPromptSubmit', { prompt: turn.prompt });
      transcript.append(turn);
      fire('Stop', { last_assistant_message: turn.answer, stop_hook_active: false });
    }
    transcript.finish();
    fire('SessionEnd', { reason: 'other' });
    transcripts.push(transcript);
  }
  return { transcripts, projects, events };
}

/** Delivers events as hooks do, each as a new one and all at once: no order changes what is remembered. */
export async function deliverAll(machine: Machine, events: readonly PastEvent[]): Promise<void> {
  await machine.up();
  const answers = await Promise.all(
    events.map(({ hook, fields }) =>
      machine.deliver(hook, fields, { attempt: randomUUID(), 'project-dir': String(fields['cwd']) }),
    ),
  );
  for (const { status } of answers) if (status !== 200) throw new Error(`an event was answered ${status}`);
  await machine.drained();
}

/** Takes the whole history in, and waits until it is. */
export function takeIn(machine: Machine, { events }: History): Promise<void> {
  return deliverAll(machine, events);
}
