import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atToolCall } from './at-tool-call.ts';
import type { ToolContext } from './tool.ts';

const ANSWER = '{"hookSpecificOutput":{"hookEventName":"x","additionalContext":"known"}}';

/** Returns the questions to the daemon, and the text for the client. */
async function asked(args: Readonly<Record<string, unknown>>, more: Partial<ToolContext> = {}) {
  const questions: Record<string, unknown>[] = [];
  const context: ToolContext = {
    call: () => Promise.reject(new Error('not used')),
    callIfUp: (name, question) => {
      const { limitMs: _, ...rest } = question as Record<string, unknown>;
      questions.push({ name, ...rest });
      return Promise.resolve({ output: ANSWER } as never); // the three calls of this tool answer in this form
    },
    dir: '/started',
    session: '',
    agent: 'codex',
    thread: 's1',
    toolUse: '',
    now: new Date(),
    stopsOnce: () => false,
    ...more,
  };
  return { questions, text: await atToolCall.run(args, context) };
}

const shell = (command: string) => ({
  tool: 'Bash',
  input: { command },
  cwd: '/app',
  session: 's1',
  call: 'c1',
});

test('a command that prints a file asks about it, in the form of the agent', async () => {
  const { questions, text } = await asked({ hook: 'PostToolUse', ...shell('cat src/a.ts') });
  assert.deepEqual(questions, [
    { name: 'after-read', session: 's1', agent: '', call: 'c1', dir: '/app', files: ['/app/src/a.ts'] },
  ]);
  assert.equal(text, '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"known"}}');
});

test('a patch asks about its file', async () => {
  const input = { command: '*** Begin Patch\n*** Update File: a.ts\n-x\n+y\n*** End Patch' };
  const { questions } = await asked({ hook: 'PreToolUse', ...shell(''), tool: 'apply_patch', input });
  assert.deepEqual(questions, [
    { name: 'before-edit', session: 's1', agent: '', call: 'c1', dir: '/app', file: '/app/a.ts' },
  ]);
});

test('a subagent has its own context', async () => {
  const { questions } = await asked({ hook: 'PostToolUse', ...shell('cat a') }, { thread: 't2' });
  assert.equal(questions[0]?.['agent'], 't2');
});

test('other calls do not reach the daemon', async () => {
  for (const args of [
    { hook: 'PostToolUse', ...shell('npm test') },
    { hook: 'PreToolUse', ...shell('npm test') },
    { hook: 'PostToolUse', ...shell('x'), tool: 'mcp__x__y' },
  ])
    assert.deepEqual(await asked(args), { questions: [], text: '' });
  assert.deepEqual(await asked({ hook: 'PostToolUse', ...shell('cat a') }, { agent: 'unknown' }), {
    questions: [],
    text: '',
  });
});

test('with recall.stopOnce a command is asked about before it runs', async () => {
  const { questions } = await asked({ hook: 'PreToolUse', ...shell('npm test') }, { stopsOnce: () => true });
  assert.deepEqual(
    questions.map(({ name, command }) => [name, command]),
    [['before-command', 'npm test']],
  );
});
