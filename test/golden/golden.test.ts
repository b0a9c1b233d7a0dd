/**
 * The context that an agent gets in three projects, as files a person can read: at the start of a session, with its first
 * prompt, when an earlier session is resumed, after a compaction, when a file is first read, and before a file is changed
 * unread. The projects are exports (test/fixtures/golden), imported as `tidemark import file` does.
 * `UPDATE_GOLDEN=1` rewrites the files.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import {
  answerHook,
  EVERYWHERE,
  lookUpProject,
  noteInjection,
  openStores,
  type Answer,
  type Question,
} from '../../src/capture/index.ts';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { placesIn } from '../../src/core/index.ts';
import { importExport } from '../../src/exchange/import/index.ts';
import { byNameOnly, tokenCost } from '../../src/recall/index.ts';
import { GitRepo } from '../support/git-repo.ts';

const EXPORTS = join(import.meta.dirname, '..', 'fixtures', 'golden');
const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

interface Story {
  readonly name: string;
  /** The branch of the work tree. */
  readonly branch: string;
  /** Its second and its last session. */
  readonly second: string;
  readonly third: string;
  /** The end of the last one. */
  readonly endedAt: string;
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
    branch: 'main',
    second: '8274b739-ef0a-4913-a5e3-0f9f2fa7b1ea',
    third: 'd7aaddf4-48aa-435b-a0e3-28905374a3d6',
    endedAt: '2026-02-20T09:15:00Z',
    prompt: 'a guest got the booking confirmation mail twice again, can you fix that now',
    file: 'src/jobs/mail-confirmation.ts',
    agent: 'a-subagent',
  },
  {
    name: 'd-07',
    branch: 'main',
    second: '89ed42af-2c71-470f-ad04-87f5989f839e',
    third: 'abed9342-74a9-480b-ac64-bbb3ed91f1d3',
    endedAt: '2026-03-04T13:55:00Z',
    prompt: 'nach dem deploy läuft in der queue wieder alter code, was muss da noch laufen?',
    file: 'app/Services/ZplEtikett.php',
  },
  {
    name: 'e-05',
    branch: 'master',
    second: 'ed4e8194-5c81-402a-a1c8-9dd28ed21da9',
    third: 'bead5e74-879b-4994-ad4c-15ec8399b0fd',
    endedAt: '2026-04-20T18:37:30Z',
    prompt: 'could the uploader be faster with async and tokio, one task per chunk?',
    file: 'src/index.rs',
  },
];

describe('golden contexts', { concurrency: true }, () => {
  for (const story of STORIES)
    test(`the contexts of ${story.name}`, async (t) => {
      const ask = await openProject(t, story);
      const later = (ms: number): Date => new Date(Date.parse(story.endedAt) + ms);
      const golden = (name: string, moment: string, answer: Answer): void =>
        compare(join(import.meta.dirname, story.name, `${name}.txt`), moment, answer);

      golden(
        'compaction',
        'The third session is compacted after its last turn.',
        await ask({ name: 'SessionStart', session: story.third, source: 'compact', at: later(MINUTE_MS) }),
      );
      golden(
        'resume',
        'The second session is resumed a day after the third.',
        await ask({ name: 'SessionStart', session: story.second, source: 'resume', at: later(DAY_MS) }),
      );
      const fresh = { session: 'a-new-session' };
      golden(
        'startup',
        'A new session starts a day after the third.',
        await ask({ name: 'SessionStart', ...fresh, source: 'startup', at: later(DAY_MS) }),
      );
      golden(
        'first-prompt',
        `Its first prompt: ${story.prompt}`,
        await ask({
          name: 'UserPromptSubmit',
          ...fresh,
          prompt: story.prompt,
          at: later(DAY_MS + MINUTE_MS),
        }),
      );
      golden(
        'read',
        `Another session reads ${story.file} first.`,
        await ask({
          name: 'PostToolUse',
          session: 'another-session',
          files: [story.file],
          at: later(DAY_MS + MINUTE_MS),
        }),
      );
      golden(
        'file',
        `${story.agent ? 'A subagent' : 'It'} is about to change ${story.file}.`,
        await ask({
          name: 'PreToolUse',
          ...fresh,
          files: [story.file],
          ...(story.agent ? { agent: story.agent } : {}),
          at: later(DAY_MS + 2 * MINUTE_MS),
        }),
      );
    });
});

type Asked = Pick<Question, 'name'> &
  Partial<Omit<Question, 'session' | 'name'>> & { readonly session: string; readonly at: Date };

/**
 * Imports a project into a data folder of its own, beside a repository with its remote. Returns a function that answers a
 * hook and records the injection, as the daemon does.
 */
async function openProject(
  t: TestContext,
  { name, branch }: Story,
): Promise<(asked: Asked) => Promise<Answer>> {
  const root = mkdtempSync(join(tmpdir(), 'tm-golden-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const repo = GitRepo.init(join(root, name), root);
  repo.git('symbolic-ref', 'HEAD', `refs/heads/${branch}`);
  repo.git('remote', 'add', 'origin', `https://example.com/golden/${name}.git`);
  const places = placesIn(join(root, 'data'));
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  const { stores } = await openStores(places);
  t.after(async () => {
    await stores.pages.flush();
    await stores.journal.close();
    await Promise.all([stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
  });
  const file = join(EXPORTS, `${name}.jsonl`);
  const { skipped } = await importExport(stores, places, file, () => {}, new AbortController().signal);
  assert.deepEqual(skipped, []);
  return async ({ at, ...asked }) => {
    const place = await lookUpProject(stores, repo.root, EVERYWHERE);
    const question = { projectDir: repo.root, already: [], since: '', ...asked };
    const signals = byNameOnly(place.branch);
    const answer = answerHook(stores.index, question, { ...place, signals }, DEFAULT_CONFIG, at);
    const event = `${asked.name} ${at.toISOString()}`;
    await noteInjection(stores, { ...answer, session: asked.session, event, at: at.toISOString() });
    return answer;
  };
}

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
