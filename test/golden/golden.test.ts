/**
 * The contexts that an agent gets in six projects, as files a person can read: at the start of a session, with a prompt,
 * when an earlier session is resumed, after a compaction, when a file is first read, and before a file is changed unread.
 * The projects are exports (test/fixtures/golden), imported as `tidemark import file` does. `UPDATE_GOLDEN=1` rewrites the
 * files. Those in the folder claude-code belong to test/e2e/golden.test.ts.
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
import { DEFAULT_CONFIG, type Config } from '../../src/config/index.ts';
import { placesIn } from '../../src/core/index.ts';
import { importExport } from '../../src/exchange/import/index.ts';
import { byNameOnly, tokenCost } from '../../src/recall/index.ts';
import { GitRepo } from '../support/git-repo.ts';

const EXPORTS = join(import.meta.dirname, '..', 'fixtures', 'golden');
const DAY = 24 * 60;
const FRESH = 'a-new-session';
/** The context alone, without the instruction to note. */
const PLAIN: Partial<Config> = { 'capture.agentNotes': 'off' };

interface Project {
  readonly name: string;
  /** The branch of the work tree. */
  readonly branch: string;
  /** The moments are in minutes after this time. */
  readonly from: string;
  readonly moments: readonly Moment[];
}

interface Moment {
  /** The file with the expected context. */
  readonly file: string;
  readonly title: string;
  readonly after: number;
  readonly question: Pick<Question, 'name' | 'session'> & Partial<Question>;
  readonly config?: Partial<Config>;
}

const PROJECTS: readonly Project[] = [
  {
    name: 'd-01',
    branch: 'main',
    from: '2026-02-20T09:15:00Z',
    moments: afterThreeSessions({
      second: '8274b739-ef0a-4913-a5e3-0f9f2fa7b1ea',
      third: 'd7aaddf4-48aa-435b-a0e3-28905374a3d6',
      prompt: 'a guest got the booking confirmation mail twice again, can you fix that now',
      file: 'src/jobs/mail-confirmation.ts',
      agent: 'a-subagent',
    }),
  },
  {
    name: 'd-07',
    branch: 'main',
    from: '2026-03-04T13:55:00Z',
    moments: afterThreeSessions({
      second: '89ed42af-2c71-470f-ad04-87f5989f839e',
      third: 'abed9342-74a9-480b-ac64-bbb3ed91f1d3',
      prompt: 'nach dem deploy läuft in der queue wieder alter code, was muss da noch laufen?',
      file: 'app/Services/ZplEtikett.php',
    }),
  },
  {
    name: 'e-05',
    branch: 'master',
    from: '2026-04-20T18:37:30Z',
    moments: afterThreeSessions({
      second: 'ed4e8194-5c81-402a-a1c8-9dd28ed21da9',
      third: 'bead5e74-879b-4994-ad4c-15ec8399b0fd',
      prompt: 'could the uploader be faster with async and tokio, one task per chunk?',
      file: 'src/index.rs',
    }),
  },
  {
    name: 'payments',
    branch: 'main',
    from: '2026-11-15T12:00:00Z',
    moments: [
      {
        file: 'startup',
        title: 'A session starts in a project with three sessions.',
        after: 0,
        question: { name: 'SessionStart', session: FRESH, source: 'startup' },
        config: PLAIN,
      },
      {
        file: 'startup-tight',
        title: 'The same with a brief of 400 tokens.',
        after: 0,
        question: { name: 'SessionStart', session: FRESH, source: 'startup' },
        config: { ...PLAIN, 'recall.briefTokens': 400 },
      },
      prompted('first-prompt', 'The first prompt of another session', {
        session: 'another-session',
        prompt: 'The build got slow again, can we look at the esbuild setup and the SVG icons?',
      }),
      prompted('later-prompt', 'A later prompt of the last session', {
        session: '8c1f2e3a-0001-4000-8000-000000000001',
        prompt: 'Why do webhook signatures fail in staging?',
      }),
    ],
  },
  {
    name: 'ledgerly',
    branch: 'main',
    from: '2026-11-15T12:00:00Z',
    moments: [
      {
        file: 'startup',
        title: 'A session starts in a project after months of work.',
        after: 0,
        question: { name: 'SessionStart', session: FRESH, source: 'startup' },
        config: PLAIN,
      },
      {
        file: 'read',
        title: 'Another session reads src/import/csv.ts first.',
        after: 0,
        question: { name: 'PostToolUse', session: 'another-session', files: ['src/import/csv.ts'] },
      },
      {
        file: 'file',
        title: 'A third one is about to change src/import/csv.ts.',
        after: 0,
        question: { name: 'PreToolUse', session: 'a-third-session', files: ['src/import/csv.ts'] },
      },
    ],
  },
  {
    name: 'ferry-tickets',
    branch: 'main',
    from: '2026-11-15T12:00:00Z',
    moments: [
      prompted('first-prompt', 'A prompt that no memory matches, but a conversation does', {
        session: FRESH,
        prompt:
          'Support says a passenger got a refund for a cancelled sailing, but the harbour fee is missing from the amount. Please fix the refund.',
      }),
    ],
  },
];

interface Story {
  /** The ids of the second and the third session. */
  readonly second: string;
  readonly third: string;
  /** The first prompt of the new session. */
  readonly prompt: string;
  /** The file that it changes. */
  readonly file: string;
  /** The subagent that changes it, which has a context of its own. */
  readonly agent?: string;
}

function afterThreeSessions({ second, third, prompt, file, agent }: Story): readonly Moment[] {
  return [
    {
      file: 'compaction',
      title: 'The third session is compacted after its last turn.',
      after: 1,
      question: { name: 'SessionStart', session: third, source: 'compact' },
    },
    {
      file: 'resume',
      title: 'The second session is resumed a day after the third.',
      after: DAY,
      question: { name: 'SessionStart', session: second, source: 'resume' },
    },
    {
      file: 'startup',
      title: 'A new session starts a day after the third.',
      after: DAY,
      question: { name: 'SessionStart', session: FRESH, source: 'startup' },
    },
    prompted('first-prompt', 'Its first prompt', { session: FRESH, prompt }, DAY + 1),
    {
      file: 'read',
      title: `Another session reads ${file} first.`,
      after: DAY + 1,
      question: { name: 'PostToolUse', session: 'another-session', files: [file] },
    },
    {
      file: 'file',
      title: `${agent ? 'A subagent' : 'It'} is about to change ${file}.`,
      after: DAY + 2,
      question: { name: 'PreToolUse', session: FRESH, files: [file], ...(agent ? { agent } : {}) },
    },
  ];
}

function prompted(
  file: string,
  title: string,
  asked: Required<Pick<Question, 'session' | 'prompt'>>,
  after = 0,
): Moment {
  return {
    file,
    title: `${title}: ${asked.prompt}`,
    after,
    question: { name: 'UserPromptSubmit', ...asked },
  };
}

describe('golden contexts', { concurrency: true }, () => {
  for (const project of PROJECTS)
    test(`the contexts of ${project.name}`, async (t) => {
      const ask = await openProject(t, project);
      for (const { file, title, after, question, config } of project.moments) {
        const at = new Date(Date.parse(project.from) + after * 60_000);
        compare(join(project.name, `${file}.txt`), title, await ask(question, at, config));
      }
    });
});

type Ask = (asked: Moment['question'], at: Date, config?: Partial<Config>) => Promise<Answer>;

/**
 * Imports a project into a data folder of its own, beside a repository with its remote. Returns a function that answers a
 * hook and records the injection, as the daemon does.
 */
async function openProject(t: TestContext, { name, branch }: Project): Promise<Ask> {
  const root = mkdtempSync(join(tmpdir(), 'tm-golden-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const repo = GitRepo.init(join(root, name), root);
  repo.git('symbolic-ref', 'HEAD', `refs/heads/${branch}`);
  repo.git('remote', 'add', 'origin', `https://example.com/golden/${name}.git`);
  const places = placesIn(join(root, 'data'));
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  const { stores } = await openStores(places);
  t.after(async () => {
    await stores.journal.close();
    await Promise.all([stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
  });
  const file = join(EXPORTS, `${name}.jsonl`);
  const { skipped } = await importExport(stores, places, file, () => {}, new AbortController().signal);
  assert.deepEqual(skipped, []);
  return async (asked, at, config) => {
    const place = await lookUpProject(stores, repo.root, EVERYWHERE);
    const question = { projectDir: repo.root, already: [], since: '', ...asked };
    const signals = byNameOnly(place.branch);
    const settings = { ...DEFAULT_CONFIG, ...config };
    const answer = answerHook(stores.index, question, { ...place, signals }, settings, at);
    const event = `${asked.name} ${at.toISOString()}`;
    await noteInjection(stores, { ...answer, session: asked.session, event, at: at.toISOString() });
    return answer;
  };
}

function compare(name: string, moment: string, { output, reason }: Answer): void {
  const { hookSpecificOutput, systemMessage } = JSON.parse(output || '{}') as {
    readonly hookSpecificOutput?: { readonly additionalContext: string };
    readonly systemMessage?: string;
  };
  const text = hookSpecificOutput?.additionalContext;
  const injected =
    text === undefined ? [`(nothing: ${reason})`] : [`About ${tokenCost(text)} tokens.`, '', text];
  const shown = systemMessage === undefined ? [] : ['', '--- shown to the user', systemMessage];
  const actual = [moment, ...injected, ...shown, ''].join('\n');
  const file = join(import.meta.dirname, name);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, actual);
  }
  assert.equal(actual, readFileSync(file, 'utf8'), name);
}
