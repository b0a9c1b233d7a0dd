import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneShot } from './one-shot.ts';

const USED = {
  haiku: { inputTokens: 10, cacheReadInputTokens: 900, cacheCreationInputTokens: 90, outputTokens: 41 },
};
const TOKENS = { inputTokens: 1000, outputTokens: 41 };
const RESULT = { type: 'result', subtype: 'success', is_error: false, modelUsage: USED };

test('the result is the answer, also at the end of a list of events', () => {
  const result = { ...RESULT, result: 'Noted (decision): Use pg-boss.' };
  const answer = { text: 'Noted (decision): Use pg-boss.', ...TOKENS };
  assert.deepEqual(oneShot.read(JSON.stringify(result)), answer);
  assert.deepEqual(oneShot.read(JSON.stringify([{ type: 'system' }, result])), answer);
});

test('a failure has the status of the API, or the message of the client', () => {
  const failed = { ...RESULT, subtype: 'error_during_execution', is_error: true };
  const read = (more: object) => oneShot.read(JSON.stringify({ ...failed, ...more })).error;
  assert.equal(read({ api_error_status: 529, result: 'overloaded' }), 'status 529');
  assert.equal(read({ api_error_status: null, result: 'Please run /login' }), 'Please run /login');
  assert.equal(read({}), 'error_during_execution');
  assert.deepEqual(oneShot.read('not json'), { inputTokens: 0, outputTokens: 0 });
});

test('the request has no session, settings, tools or servers', () => {
  const request = { model: 'haiku', system: 'Write notes.', instructions: '/i.md', env: {} };
  const args = oneShot.args(request).join(' ');
  for (const part of [
    '-p',
    '--strict-mcp-config --no-session-persistence --disable-slash-commands',
    '--model haiku',
    '--tools  --setting-sources  --system-prompt Write notes.',
  ])
    assert.ok(args.includes(part), part);
  assert.ok(!oneShot.args({ ...request, model: '' }).includes('--model'));
});

test('variables of the session that started the daemon are removed', () => {
  const env = { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli', CLAUDE_CONFIG_DIR: '/c', PATH: '/bin' };
  const changed = oneShot.variables?.({ model: '', system: '', instructions: '', env }) ?? {};
  const removed = Object.keys(changed).filter((name) => changed[name] === undefined);
  assert.deepEqual(removed, ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT']);
});
