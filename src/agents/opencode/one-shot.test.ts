import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { oneShot } from './one-shot.ts';

const lines = (...events: readonly object[]): string =>
  events.map((event) => JSON.stringify(event)).join('\n');

test('the texts of the answer and the tokens of all steps', () => {
  const tokens = { total: 150, input: 100, output: 14, reasoning: 6, cache: { write: 10, read: 20 } };
  const stdout = lines(
    { type: 'step_start', part: {} },
    { type: 'text', part: { type: 'text', text: '<memories/>' } },
    { type: 'step_finish', part: { tokens } },
  );
  assert.deepEqual(oneShot.read(stdout), { text: '<memories/>', inputTokens: 130, outputTokens: 20 });
});

test('a failure has the status of the API, or the message of the client', () => {
  const failed = (error: object) => oneShot.read(lines({ type: 'error', error })).error;
  assert.equal(failed({ name: 'APIError', data: { message: 'x', statusCode: 401 } }), 'status 401');
  assert.equal(failed({ name: 'UnknownError', data: { message: 'Unexpected error' } }), 'Unexpected error');
  assert.equal(failed({ name: 'MessageAbortedError' }), 'MessageAbortedError');
  assert.deepEqual(oneShot.read('not json\n'), { inputTokens: 0, outputTokens: 0 });
});

test('the request has no session, plugins, tools or servers', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-one-shot-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'opencode');
  mkdirSync(folder);
  writeFileSync(join(folder, 'opencode.jsonc'), '{ // mine\n "mcp": { "a": {}, "tidemark": {} } }');
  const request = {
    model: 'openai/gpt',
    system: 'Write notes.',
    instructions: '/i.md',
    env: { XDG_CONFIG_HOME: home },
  };
  const args = oneShot.args(request).join(' ');
  for (const part of ['run --pure', '--format json', '--agent tidemark', '--model openai/gpt'])
    assert.ok(args.includes(part), part);
  assert.ok(!oneShot.args({ ...request, model: '' }).includes('--model'));
  const { OPENCODE_DB: database, OPENCODE_CONFIG_CONTENT: content } = oneShot.variables?.(request) ?? {};
  assert.equal(database, ':memory:');
  const { agent, mcp } = JSON.parse(content ?? '') as Record<string, Record<string, object>>;
  assert.deepEqual(agent?.['tidemark'], { mode: 'primary', prompt: '{file:/i.md}', tools: { '*': false } });
  assert.deepEqual(mcp, { a: { enabled: false }, tidemark: { enabled: false } });
});
