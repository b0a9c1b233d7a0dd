import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredTurn, ToolCall } from '../../core/index.ts';
import { measuresOf } from './session-measures.ts';

test('a session is measured by its turns', () => {
  const measures = measuresOf([
    turn('Why does the login fail on Safari?', [
      tool({ read: ['src/login.ts'] }),
      tool({ command: 'npm test', status: 'error' }),
      tool({ command: 'npm test' }),
    ]),
    turn('why does the login fail on Safari', [tool({ read: ['src/login.ts', 'src/app.ts'] })]),
    turn('go on', []),
    turn('go on', []),
  ]);
  assert.deepEqual(measures, {
    turns: 4,
    toolCalls: 1,
    failedCommands: 0.25,
    filesReadAgain: 0.25,
    promptsAskedAgain: 0.25,
  });
});

test('prompts of the client and of subagents do not count as turns', () => {
  const work = { ...turn('Look through all files of the login', [tool({})]), origin: 'subagent' as const };
  assert.deepEqual(measuresOf([turn('Why does the login fail?', []), work]).turns, 1);
  assert.equal(measuresOf([]).toolCalls, 0);
});

function turn(prompt: string, tools: readonly ToolCall[]): StoredTurn {
  return {
    id: prompt,
    agent: 'claude-code',
    session: 's',
    origin: 'person',
    startedAt: '2026-11-15T10:00:00.000Z',
    endedAt: '2026-11-15T10:01:00.000Z',
    outcome: 'answered',
    prompt,
    answer: 'Done.',
    tools,
    messages: [],
    project: 'p',
  };
}

function tool(fields: Partial<ToolCall>): ToolCall {
  return { id: 't', name: 'Bash', status: 'ok', errors: [], read: [], edited: [], ...fields };
}
