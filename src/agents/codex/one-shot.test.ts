import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { oneShot } from './one-shot.ts';

const lines = (...events: readonly object[]): string =>
  events.map((event) => JSON.stringify(event)).join('\n');
const USAGE = { type: 'turn.completed', usage: { input_tokens: 1024, output_tokens: 41 } };

test('the last message is the answer', () => {
  const message = (text: string) => ({ type: 'item.completed', item: { type: 'agent_message', text } });
  const stdout = lines({ type: 'turn.started' }, message('thinking'), message('<memories/>'), USAGE);
  assert.deepEqual(oneShot.read(stdout), { text: '<memories/>', inputTokens: 1024, outputTokens: 41 });
});

test('a failure has the message of the client', () => {
  const failed = { type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized' } };
  assert.deepEqual(oneShot.read(lines({ type: 'error', message: 'Reconnecting' }, failed)), {
    error: 'unexpected status 401 Unauthorized',
    inputTokens: 0,
    outputTokens: 0,
  });
  assert.deepEqual(oneShot.read('not json\n'), { inputTokens: 0, outputTokens: 0 });
});

test('the request has no session, hooks or servers', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-one-shot-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(
    join(home, 'config.toml'),
    '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\n[mcp_servers.b-2]\n',
  );
  const args = oneShot
    .args({ model: 'gpt', system: 'Write notes.', instructions: '/i.md', env: { CODEX_HOME: home } })
    .join(' ');
  for (const part of [
    '--ephemeral',
    '--sandbox read-only',
    '-c features.hooks=false',
    '-c mcp_servers.a.enabled=false -c mcp_servers.b-2.enabled=false',
    '-c model_instructions_file="/i.md"',
    '--model gpt -',
  ])
    assert.ok(args.includes(part), part);
  const own = oneShot.args({
    model: '',
    system: 'Write notes.',
    instructions: '/i.md',
    env: { CODEX_HOME: join(home, 'absent') },
  });
  assert.ok(!own.includes('--model'));
});
