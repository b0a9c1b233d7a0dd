/** Sessions that Qwen Code 0.24.4 recorded, with expectations written by hand. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fence } from '../../../privacy/index.ts';
import { checkReading, summary, turnsOf } from '../../../../test/support/reader-checks.ts';
import { describeTranscript, findTranscripts } from './find.ts';
import { readTurns } from './qwen.ts';
import { mainOf, subagentsOf } from './subagents.ts';

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/agents/qwen');
/** Prompts of the recordings end with what the stand-in for the model had to do. */
const SCRIPT = / \[\[[\s\S]*?\]\](?=\n\n|$)/g;

interface Expected {
  readonly id: string;
  readonly origin?: 'task' | 'subagent';
  readonly outcome?: 'interrupted' | 'failed';
  readonly prompt: string;
  readonly answer: string;
  readonly tools?: readonly string[];
}

const FIRST: Expected = {
  id: '9de17e91',
  prompt: 'do it',
  answer: 'reading\n\nall done',
  tools: [
    'Read: /tmp/w/app/jobs.ts → ok',
    'Bash: echo hi; exit 3 → error 3',
    'Edit: /tmp/w/app/jobs.ts → ok',
    'mcp__tidemark__search: x → ok',
  ],
};
const SECOND: Expected = {
  id: '3b0c663a',
  prompt: 'Second prompt',
  answer: 'second done',
  tools: ['Bash: rm -rf none → denied'],
};

const EXPECTED: Readonly<Record<string, readonly Expected[]>> = {
  edit: [
    {
      id: '464d22ab',
      prompt: 'edit it',
      answer: 'Writing now\n\nwritten and checked',
      tools: [
        'Write: /tmp/w/app/d.txt → ok',
        'Edit: /tmp/w/app/d.txt → ok',
        'Bash: cat d.txt; exit 3 → error 3',
      ],
    },
  ],
  resumed: [FIRST, SECOND],
  forked: [FIRST, SECOND, { id: 'bffa135e', prompt: 'Forked prompt', answer: 'fork done' }],
  // A prompt that was cancelled before an answer, and words of the user while the agent answered.
  steered: [
    {
      id: 'b7e7d545',
      prompt: 'Please interrupt me here',
      answer: 'I start now\n\nnever said',
      tools: ['Bash: sleep 30 # intentional-sleep: test → error'],
    },
    { id: '7bf24198', outcome: 'interrupted', prompt: 'Slow now', answer: '' },
    { id: '0bbe5579', prompt: 'Go on then\n\nsteer this way', answer: 'slow answer\n\nOK: steer this way' },
  ],
  cancelled: [
    {
      id: '1d2f594a',
      outcome: 'interrupted',
      prompt: 'Please interrupt me here',
      answer: 'I start now',
      tools: ['Bash: for i in 1 2 3 4 5 6 7 8; do sleep 4; done → interrupted'],
    },
    { id: 'cf3b54dc', prompt: 'Deny it', answer: 'never said' },
  ],
  // `!echo` and `/compress` are no turns.
  compressed: [
    {
      id: '93dafb34',
      prompt: 'Please interrupt me here',
      answer: 'I start now\n\nnever said',
      tools: ['Bash: sleep 30 → error'],
    },
    { id: '7550a7c1', prompt: 'Go on then', answer: 'going on' },
  ],
  delegated: [
    { id: '70c79d6b', prompt: 'Delegate it', answer: 'main done', tools: ['Agent: Look around → ok'] },
    {
      id: '9315c2b8',
      origin: 'task',
      prompt: 'Background agent "general-purpose: Look around" completed.',
      answer:
        'OK: <task-notification> <task-id>general-purpose-call_6affc074c03d11a0</task-id> <tool-use-id>call_6affc074c03d11a0</tool-us',
    },
  ],
  subagent: [
    {
      id: 'a73f25bc',
      origin: 'subagent',
      prompt: 'Find things',
      answer: 'sub done',
      tools: ['Write: /tmp/w/app/subq.ts → ok'],
    },
  ],
  failed: [{ id: '736caef9', outcome: 'failed', prompt: 'Fail now', answer: '401 stand-in error 401' }],
};

for (const [name, expected] of Object.entries(EXPECTED)) {
  test(`${name}.jsonl gives the turns of the session, however it is read`, async (t) => {
    const reads = await checkReading(t, { readTurns }, join(FIXTURES, `${name}.jsonl`));
    assert.deepEqual(
      reads.map(({ turn }) => ({ ...summary(turn), prompt: turn.prompt.replace(SCRIPT, '') })),
      expected.map(({ origin = 'person', outcome = 'answered', tools = [], ...rest }) => ({
        ...rest,
        origin,
        outcome,
        tools,
      })),
    );
    for (const { turn, complete } of reads) {
      assert.equal(complete, name !== 'failed', 'after a failure the client may try again');
      assert.deepEqual(
        [turn.agent, turn.cwd, turn.branch, turn.clientVersion],
        ['qwen', '/tmp/w/app', 'main', '0.24.4'],
      );
      assert.doesNotMatch(JSON.stringify([turn.prompt, turn.answer]), /CTX-|INJECTED|<qwen:/);
    }
  });
}

test('the turns of a fork are those of its parent, with ids and session', async () => {
  const [parent, fork] = await Promise.all(
    ['resumed', 'forked'].map((name) => turnsOf({ readTurns }, join(FIXTURES, `${name}.jsonl`))),
  );
  assert.deepEqual(
    fork?.slice(0, 2).map(({ turn }) => turn),
    parent?.map(({ turn }) => turn),
  );
  assert.equal(fork?.[2]?.turn.session, '8c092c48-8e26-452c-94b5-aa2c499d00b7');
});

test('turns name the prompts as hooks do', async () => {
  const [first, second] = await turnsOf({ readTurns }, join(FIXTURES, 'delegated.jsonl'));
  const id = '4c1d401e-67d7-4d8e-aa8e-66486a68dd5a########0';
  assert.deepEqual([first?.promptIds, second?.promptIds], [[id], [id]]);
  assert.equal(second?.turn.continues, first?.turn.id);
});

test('text that we injected into a result is no output', async (t) => {
  const folder = openFolder(t);
  const injected = `Remembered (\`tidemark show <id>\` gives more):\n\n${fence('a secret of another session')}`;
  const base = { sessionId: 's', timestamp: '2026-11-17T00:00:00.000Z', cwd: '/tmp/w/app' };
  const lines = [
    { ...base, uuid: 'u1', type: 'user', message: { parts: [{ text: 'Look for it' }] } },
    {
      ...base,
      uuid: 'u2',
      type: 'assistant',
      message: { parts: [{ functionCall: { id: 'c1', name: 'grep_search', args: { pattern: 'x' } } }] },
    },
    {
      ...base,
      uuid: 'u3',
      type: 'tool_result',
      message: {
        parts: [{ functionResponse: { id: 'c1', response: { output: `a.ts:1:x\n\n${injected}` } } }],
      },
    },
  ];
  const path = join(folder, 's.jsonl');
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const [read] = await turnsOf({ readTurns }, path);
  assert.equal(read?.turn.tools[0]?.output, 'a.ts:1:x');
  assert.equal(read?.turn.outcome, 'open');
});

test('sessions are found and described with their subagents; links and empty files are not', async (t) => {
  const runtime = openFolder(t);
  const project = join(runtime, 'projects', '-tmp-w-app');
  const session = '4c1d401e-67d7-4d8e-aa8e-66486a68dd5a';
  const agent = 'agent-general-purpose-call_6affc074c03d11a0';
  const subagents = join(project, 'subagents', session);
  for (const folder of [join(project, 'chats'), subagents]) mkdirSync(folder, { recursive: true });
  const path = join(project, 'chats', `${session}.jsonl`);
  cpSync(join(FIXTURES, 'delegated.jsonl'), path);
  cpSync(join(FIXTURES, 'subagent.jsonl'), join(subagents, `${agent}.jsonl`));
  writeFileSync(join(subagents, `${agent}.meta.json`), '{"toolUseId":"call_6affc074c03d11a0"}');
  writeFileSync(join(project, 'chats', 'empty.jsonl'), '');
  writeFileSync(join(project, 'chats', `${session}.runtime.json`), '{}');
  symlinkSync(path, join(project, 'chats', 'link.jsonl'));
  symlinkSync(project, join(runtime, 'projects', 'link'));

  const { files, refused } = findTranscripts(runtime);
  assert.deepEqual(
    files.map((file) => file.path),
    [path],
  );
  assert.equal(refused.length, 3);
  const [found] = await Promise.all(files.map(describeTranscript));
  assert.ok(typeof found === 'object');
  const { projectDir, branch, startedAt, subagents: paths } = found;
  assert.deepEqual(
    { session: found.session, projectDir, branch, startedAt },
    { session, projectDir: '/tmp/w/app', branch: 'main', startedAt: '2026-11-17T02:37:30.542Z' },
  );
  assert.deepEqual(paths, [join(subagents, `${agent}.jsonl`)]);
  const [subagent] = await subagentsOf(path);
  assert.deepEqual(subagent, {
    id: 'general-purpose-call_6affc074c03d11a0',
    path: paths[0],
    toolUseId: 'call_6affc074c03d11a0',
  });
  assert.equal(mainOf(subagent.path), path);
});

function openFolder(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'qwen-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
