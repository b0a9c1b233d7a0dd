import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolCall, Turn } from '../core/index.ts';
import { redactTurn } from './redact-turn.ts';

const tool = (fields: Partial<ToolCall>): ToolCall => ({
  id: 'tool-1',
  name: 'Bash',
  status: 'ok',
  errors: [],
  read: [],
  edited: [],
  ...fields,
});

const turn = (fields: Partial<Turn>): Turn => ({
  id: '123e4567-e89b-12d3-a456-426614174000',
  agent: 'claude-code',
  session: '123e4567-e89b-12d3-a456-426614174001',
  origin: 'person',
  startedAt: '2026-11-15T12:00:00Z',
  endedAt: '2026-11-15T12:01:00Z',
  outcome: 'answered',
  prompt: '',
  answer: '',
  tools: [],
  messages: ['123e4567-e89b-12d3-a456-426614174000'],
  ...fields,
});

test('every text of a turn is redacted, its ids stay', () => {
  const given = turn({
    prompt: 'PASSWORD=hunter2',
    answer: 'I set PASSWORD=hunter2',
    cwd: '/srv/app',
    tools: [
      tool({
        target: 'https://a:hunter2@h/',
        command: 'export PASSWORD=hunter2',
        output: 'PASSWORD=hunter2',
        errors: ['bad PASSWORD=hunter2'],
        read: ['/srv/app/a.ts'],
      }),
    ],
  });
  const { turn: clean, counts } = redactTurn(given);
  assert.ok(!JSON.stringify(clean).includes('hunter2'));
  assert.deepEqual(counts, { password: 5, 'connection-password': 1 });
  assert.equal(clean.id, given.id);
  assert.deepEqual(clean.messages, given.messages);
  assert.deepEqual(clean.tools[0]?.read, ['/srv/app/a.ts']);
});

test('a private span opened in the prompt hides what follows until it is closed', () => {
  const { turn: clean } = redactTurn(
    turn({
      prompt: 'look <private>at this',
      tools: [
        tool({ command: 'cat a', output: 'alpha', read: ['/a'], errors: ['beta'] }),
        tool({ output: 'gamma</private> delta', read: ['/b'] }),
      ],
      answer: 'done',
    }),
  );
  assert.equal(clean.prompt, 'look [redacted:private]');
  assert.equal(clean.tools[0]?.command, '[redacted:private]');
  assert.equal(clean.tools[0]?.output, '[redacted:private]');
  assert.deepEqual(clean.tools[0]?.errors, ['[redacted:private]']);
  assert.deepEqual(clean.tools[0]?.read, []);
  assert.equal(clean.tools[1]?.output, '[redacted:private] delta');
  assert.deepEqual(clean.tools[1]?.read, ['/b']);
  assert.equal(clean.answer, 'done');
});

test('a private span nobody closes hides the answer too', () => {
  const { turn: clean } = redactTurn(turn({ tools: [tool({ output: 'a <PRIVATE> b' })], answer: 'b again' }));
  assert.equal(clean.tools[0]?.output, 'a [redacted:private]');
  assert.equal(clean.answer, '[redacted:private]');
});

test('an error line taken out of a private span is hidden, another stays', () => {
  const { turn: clean } = redactTurn(
    turn({
      tools: [
        tool({
          output: 'Error: one\n<private>\nError: two\n</private>',
          errors: ['Error: one', 'Error: two'],
        }),
      ],
    }),
  );
  assert.deepEqual(clean.tools[0]?.errors, ['Error: one', '[redacted:private]']);
});

test('redacting a turn twice is redacting it once', () => {
  const once = redactTurn(
    turn({ prompt: 'x <private>y', tools: [tool({ output: 'z' })], answer: 'TOKEN=abc123def' }),
  );
  assert.deepEqual(redactTurn(once.turn), { turn: once.turn, counts: {} });
});

test('a secret in the name of a tool is redacted, its words stay', () => {
  const name = `mcp__mailer_${'a4f0'.repeat(8)}__run`;
  const { turn: clean } = redactTurn(
    turn({ tools: [tool({ name }), tool({ name: 'mcp__plugin_tidemark_tidemark__search' })] }),
  );
  assert.equal(clean.tools[0]?.name, 'mcp__mailer_[redacted:high-entropy]__run');
  assert.equal(clean.tools[1]?.name, 'mcp__plugin_tidemark_tidemark__search');
});
