/**
 * The context that an agent gets in three projects, as files a person can read: at the start of a session, with its first
 * prompt, when an earlier session is resumed, after a compaction, when a file is first read, and before a file is changed
 * unread. The memories behind them come from import and distilling with the recorded replies of a language model (test/support/golden-project.ts).
 * `UPDATE_GOLDEN=1` rewrites the files.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Answer } from '../../src/capture/index.ts';
import { tokenCost } from '../../src/recall/index.ts';
import { GoldenProject } from '../support/golden-project.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

interface Story {
  readonly name: string;
  /** The first prompt of the new session. */
  readonly prompt: string;
  /** The file that it changes. */
  readonly file: string;
  /** The subagent that changes it, which has a context of its own. */
  readonly agent?: string;
}

const STORIES: readonly Story[] = [
  {
    name: 'd-01',
    prompt: 'a guest got the booking confirmation mail twice again, can you fix that now',
    file: 'src/jobs/mail-confirmation.ts',
    agent: 'a-subagent',
  },
  {
    name: 'd-07',
    prompt: 'nach dem deploy läuft in der queue wieder alter code, was muss da noch laufen?',
    file: 'app/Services/ZplEtikett.php',
  },
  {
    name: 'e-05',
    prompt: 'could the uploader be faster with async and tokio, one task per chunk?',
    file: 'src/index.rs',
  },
];

describe('golden contexts', { concurrency: true }, () => {
  for (const story of STORIES)
    test(`the contexts of ${story.name}`, async (t) => {
      const project = await GoldenProject.open(t, story.name);
      const { endedAt } = project;
      const later = (ms: number): Date => new Date(endedAt.getTime() + ms);
      const golden = (name: string, moment: string, answer: Answer): void =>
        compare(join(import.meta.dirname, story.name, `${name}.txt`), moment, answer);

      const compacted = { session: project.session('s3'), source: 'compact', at: later(MINUTE_MS) };
      golden(
        'compaction',
        'The third session is compacted after its last turn.',
        await project.ask({ name: 'SessionStart', ...compacted }),
      );
      const resumed = { session: project.session('s2'), source: 'resume', at: later(DAY_MS) };
      golden(
        'resume',
        'The second session is resumed a day after the third.',
        await project.ask({ name: 'SessionStart', ...resumed }),
      );
      const fresh = { session: 'a-new-session' };
      golden(
        'startup',
        'A new session starts a day after the third.',
        await project.ask({ name: 'SessionStart', ...fresh, source: 'startup', at: later(DAY_MS) }),
      );
      golden(
        'first-prompt',
        `Its first prompt: ${story.prompt}`,
        await project.ask({
          name: 'UserPromptSubmit',
          ...fresh,
          prompt: story.prompt,
          at: later(DAY_MS + MINUTE_MS),
        }),
      );
      golden(
        'read',
        `Another session reads ${story.file} first.`,
        await project.ask({
          name: 'PostToolUse',
          session: 'another-session',
          files: [story.file],
          at: later(DAY_MS + MINUTE_MS),
        }),
      );
      golden(
        'file',
        `${story.agent ? 'A subagent' : 'It'} is about to change ${story.file}.`,
        await project.ask({
          name: 'PreToolUse',
          ...fresh,
          files: [story.file],
          ...(story.agent ? { agent: story.agent } : {}),
          at: later(DAY_MS + 2 * MINUTE_MS),
        }),
      );
    });
});

function compare(file: string, moment: string, { output, reason }: Answer): void {
  const { hookSpecificOutput, systemMessage } = JSON.parse(output || '{}') as {
    readonly hookSpecificOutput?: { readonly additionalContext: string };
    readonly systemMessage?: string;
  };
  const text = hookSpecificOutput?.additionalContext;
  const injected =
    text === undefined ? [`(nothing: ${reason})`] : [`About ${tokenCost(text)} tokens.`, '', text];
  const shown = systemMessage === undefined ? [] : ['', '--- shown to the user', systemMessage];
  const actual = [moment, ...injected, ...shown, ''].join('\n');
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, actual);
  }
  assert.equal(actual, readFileSync(file, 'utf8'));
}
