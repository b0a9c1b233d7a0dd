/** An event is kept completely or not at all; the environment is never written. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { answerWith, input, World } from './_world.ts';

/** Makes hook.cjs die by SIGKILL just before the named call of node:fs. */
function dieBefore(world: World, call: string): string {
  const file = join(world.folder, 'die.cjs');
  writeFileSync(file, `require('node:fs').${call} = () => process.kill(process.pid, 'SIGKILL');`);
  return file;
}

/** The calls of node:fs with which an event can be written. */
const CALLS = ['openSync', 'writeFileSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync'];

test('SIGKILL before any call of the file system leaves the complete event or none', async (t) => {
  const world = await World.open(t);
  let killed = 0;
  for (const call of CALLS) {
    const ran = await world.node(
      ['-r', dieBefore(world, call), world.client, 'Stop', `attempt-${call}`],
      input('Stop'),
    );
    killed += ran.signal === 'SIGKILL' ? 1 : 0;
    const own = world.kept().filter(({ id }) => id === `attempt-${call}`);
    assert.ok(own.length <= 1, call);
    if (ran.signal === null) assert.equal(own.length, 1, `${call}: the hook ended, and its event is kept`);
    for (const { input: kept } of own) assert.equal(kept.session_id, 'session-1', call);
  }
  assert.ok(killed >= 3, `killed ${killed} times`);
});

test('SIGKILL before the row of the log leaves the complete event', async (t) => {
  const world = await World.open(t);
  const ran = await world.node(
    ['-r', dieBefore(world, 'appendFileSync'), world.client, 'Stop'],
    input('Stop'),
  );
  assert.equal(ran.signal, 'SIGKILL');
  assert.equal(world.kept()[0]?.input.session_id, 'session-1');
});

test('two deliveries of one attempt have one id', async (t) => {
  const world = await World.open(t);
  const attempt = 'attempt-0123456789';
  await world.node([world.client, 'Stop', attempt, '22'], input('Stop'));
  await world.node([world.client, 'Stop', attempt, '22'], input('Stop'));
  assert.deepEqual(
    world.kept().map((event) => event.id),
    [attempt, attempt],
  );
});

test('an id that could be a path is refused', async (t) => {
  const world = await World.open(t);
  await world.node([world.client, 'Stop', '../../../etc/passwd', '22'], input('Stop'));
  assert.match(world.kept()[0]?.id ?? '', /^[0-9a-f-]{36}$/);
});

test('API keys in the environment reach no file and no daemon', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  const key = 'key-value-that-must-not-be-written-0123456789';
  const env = {
    ...Object.fromEntries(
      [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_AUTH_TOKEN',
        'OPENAI_API_KEY',
        'AWS_SECRET_ACCESS_KEY',
        'GITHUB_TOKEN',
        'npm_config__auth',
      ].map((name) => [name, key]),
    ),
    LANG: 'C.UTF-8',
    CLAUDE_CONFIG_DIR: '/config',
  };
  await world.hook('SessionStart', input('SessionStart'), { env });
  await world.hook('Stop', '{broken', { env });
  const passed = JSON.parse(readFileSync(join(world.places.home, 'daemon-env.json'), 'utf8')) as object;
  const inherited = ['CLAUDE_CONFIG_DIR', 'HOME', 'LANG', 'PATH', 'TIDEMARK_ANSWER_S', 'TIDEMARK_HOME'];
  const allocator = ['ARENA_MAX', 'MMAP_THRESHOLD_', 'TRIM_THRESHOLD_'];
  const ours = [...allocator.map((name) => `MALLOC_${name}`), 'NODE_COMPILE_CACHE'];
  assert.deepEqual(Object.keys(passed).sort(), [...inherited, ...ours].sort());
  assert.deepEqual(filesHolding(world.folder, key), []);
});

test('the log contains no content and no secret', async (t) => {
  const world = await World.open(t);
  await world.hook(
    'UserPromptSubmit',
    input('UserPromptSubmit', { prompt: 'the-content', session_title: 'the-title' }),
  );
  await world.hook('UserPromptSubmit', '{"prompt":"the-content"');
  const log = readFileSync(world.places.hookLog, 'utf8');
  assert.equal(log.trimEnd().split('\n').length, 2);
  assert.ok(!/the-content|the-title|session-1/.test(log));
});

test('the log rotates at 1 MB and keeps one older file', async (t) => {
  const world = await World.open(t);
  await world.hook('Stop', input('Stop'));
  writeFileSync(world.places.hookLog, 'x'.repeat(1024 * 1024));
  await world.hook('Stop', input('Stop'));
  assert.equal(world.log().length, 1);
  assert.equal(statSync(`${world.places.hookLog}.1`).size, 1024 * 1024);
});

test('a bug in the hook is a row in the log: no stack trace, exit 0', async (t) => {
  const world = await World.open(t);
  const file = join(world.folder, 'bug.cjs');
  writeFileSync(file, `require('node:net').connect = () => { throw new TypeError('secret path /x'); };`);
  await world.serve(answerWith(''));
  const ran = await world.node(['-r', file, world.client, 'Stop'], input('Stop'));
  assert.deepEqual(ran, { code: 0, signal: null, stdout: '', stderr: '' });
  assert.deepEqual(
    world.log().map((row) => [row['outcome'], row['reason']]),
    [['failed', 'TypeError']],
  );
});

test('a daemon started by a hook does not keep its pipes open', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  // `run` waits until every process has closed stdout and stderr.
  await world.hook('Stop', input('Stop'));
  await waitFor('the daemon', () => world.started().length === 1);
});

function filesHolding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'latin1').includes(text));
}
