/** Failures that the user can fix: shown once at SessionStart, never to the model, and nothing breaks. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { briefFile } from '../../src/core/index.ts';
import { MESSAGES, type MessageCode } from '../../src/hook/index.ts';
import { answerWith, CONTEXT, IN_BUDGET, input, World, type Ran } from './_world.ts';

const START = input('SessionStart', { source: 'startup' });

function printed(ran: Ran, stdout: string): void {
  assert.deepEqual(ran, { code: 0, signal: null, stdout, stderr: '' });
}

function said(code: MessageCode, output: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ ...output, systemMessage: MESSAGES[code] })}\n`;
}

/** A program called `node` that claims to be of another version. */
function disguise(world: World, version: string): string {
  const lie = join(world.folder, 'lie.cjs');
  writeFileSync(
    lie,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  const script = `#!/bin/sh\nexec '${process.execPath}' -r '${lie}' "$@"\n`;
  writeFileSync(join(world.bin, 'node'), script, { mode: 0o755 });
  return `${world.bin}:${world.env['PATH']}`;
}

test('no Node', async (t) => {
  const world = await World.open(t);
  const PATH = await world.pathWithout('node');
  printed(await world.hook('SessionStart', START, { env: { PATH } }), said('no-node'));
  printed(await world.hook('Stop', input('Stop'), { env: { PATH } }), '');
});

test('no Node while a daemon closes the connection: only the message', async (t) => {
  const world = await World.open(t);
  await world.serve(answerWith('', 503));
  const PATH = await world.pathWithout('node');
  printed(await world.hook('SessionStart', START, { env: { PATH } }), said('no-node'));
});

test('a Node too old to run the hook', async (t) => {
  const world = await World.open(t);
  const PATH = disguise(world, '16.20.2');
  printed(await world.hook('SessionStart', START, { env: { PATH } }), said('broken-node'));
  printed(await world.hook('Stop', input('Stop'), { env: { PATH } }), '');
});

test('a Node that cannot even read the hook', async (t) => {
  const world = await World.open(t);
  writeFileSync(join(world.bin, 'node'), '#!/bin/sh\necho "SyntaxError" >&2\nexit 1\n', { mode: 0o755 });
  const PATH = `${world.bin}:${world.env['PATH']}`;
  printed(await world.hook('SessionStart', START, { env: { PATH } }), said('broken-node'));
});

test('a Node too old for the daemon: message shown, event stored', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  const PATH = disguise(world, '20.19.0');
  printed(await world.hook('SessionStart', START, { env: { PATH } }), said('old-node'));
  assert.equal(world.kept().length, 1);
});

test('the program is missing', async (t) => {
  const world = await World.open(t);
  rmSync(world.client);
  printed(await world.hook('SessionStart', START), said('missing-program'));
  printed(await world.hook('UserPromptSubmit', input('UserPromptSubmit')), '');
});

test('the daemon is not built: message shown, event stored', async (t) => {
  const world = await World.open(t);
  printed(await world.hook('SessionStart', START), said('missing-module'));
  assert.equal(world.kept().length, 1);
});

test('the daemon cannot start: message shown with the last brief, event stored', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  world.keepBrief(briefFile(world.places, world.projectDir), CONTEXT);
  const env = { TIDEMARK_TEST_DAEMON: 'crash' };
  printed(
    await world.hook('SessionStart', START, { env }),
    said('daemon-cannot-start', JSON.parse(CONTEXT) as Record<string, unknown>),
  );
  assert.equal(world.kept().length, 1);
});

test('a recorded Node that cannot be started: the daemon cannot start', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  writeFileSync(join(world.bin, 'old'), '#!/nowhere/interpreter\n', { mode: 0o755 });
  writeFileSync(world.places.node, join(world.bin, 'old'));
  printed(await world.node([world.client, 'SessionStart'], START), said('daemon-cannot-start'));
  assert.equal(world.kept().length, 1);
});

test('the daemon refuses: message shown, event stored', async (t) => {
  const world = await World.open(t);
  await world.serve(answerWith('', 403));
  printed(await world.hook('SessionStart', START), said('refused'));
  assert.equal(world.kept().length, 1);
});

test('the daemon times out: message shown with the last brief, event stored', async (t) => {
  const world = await World.open(t);
  await world.serve(() => {});
  world.keepBrief(briefFile(world.places, world.projectDir), CONTEXT);
  printed(
    await world.hook('SessionStart', START, { env: IN_BUDGET }),
    said('timed-out', JSON.parse(CONTEXT) as Record<string, unknown>),
  );
  assert.equal(world.kept().length, 1);
});

test('a data folder that is a file: message at every SessionStart, other events are silent', async (t) => {
  const world = await World.open(t);
  const TIDEMARK_HOME = join(world.folder, 'file');
  writeFileSync(TIDEMARK_HOME, '');
  for (const _ of [1, 2]) {
    printed(await world.hook('SessionStart', START, { env: { TIDEMARK_HOME } }), said('not-permitted'));
    printed(await world.hook('Stop', input('Stop'), { env: { TIDEMARK_HOME } }), '');
  }
});

test('a data folder that cannot be created', async (t) => {
  const world = await World.open(t);
  printed(
    await world.hook('SessionStart', START, { env: { TIDEMARK_HOME: '/proc/tidemark' } }),
    said('not-permitted'),
  );
});

test('a message is shown once a day', async (t) => {
  const world = await World.open(t);
  printed(await world.hook('SessionStart', START), said('missing-module'));
  printed(await world.hook('SessionStart', START), '');
  assert.deepEqual(readdirSync(world.places.told), ['missing-module']);
  const yesterday = Date.now() / 1000 - 25 * 60 * 60;
  utimesSync(join(world.places.told, 'missing-module'), yesterday, yesterday);
  printed(await world.hook('SessionStart', START), said('missing-module'));
});

// ---------------------------------------------------------------- disks, in a mount namespace of their own

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
const skip = !canMount && 'needs the right to mount (unshare -m)';

/** Runs the hook with the data folder on a tmpfs made by `prepare`, which sees it as $DATA; then lists files with a part of the event. */
async function onDisk(world: World, prepare: string, event: string, body: string): Promise<Ran> {
  const DATA = join(world.folder, 'disk');
  mkdirSync(DATA, { recursive: true });
  const hook = join(world.plugin, 'hooks', 'hook.sh');
  const script = `${prepare}
sh '${hook}' ${event}; code=$?; grep -rls session-1 "$DATA/data"; exit $code`;
  return world.run('unshare', ['-m', 'sh', '-c', script], body, { DATA, TIDEMARK_HOME: join(DATA, 'data') });
}

const FULL = `mount -t tmpfs -o size=64k tmpfs "$DATA" && mkdir "$DATA/data"
cat /dev/zero >"$DATA/filler" 2>/dev/null`;
const READ_ONLY = `mount -t tmpfs tmpfs "$DATA" && mkdir -p "$DATA/data/run" && mount -o remount,ro "$DATA"`;

for (const [what, prepare, code] of [
  ['a full disk', FULL, 'disk-full'],
  ['a read-only home', READ_ONLY, 'not-permitted'],
] as const) {
  test(`${what}: message at SessionStart, other events are silent`, { skip }, async (t) => {
    const world = await World.open(t);
    printed(await onDisk(world, prepare, 'SessionStart', START), said(code));
    printed(await onDisk(world, prepare, 'UserPromptSubmit', input('UserPromptSubmit')), '');
    printed(await onDisk(world, prepare, 'Stop', input('Stop')), '');
  });
}

test('a disk that fills up while writing leaves no partial event', { skip }, async (t) => {
  const world = await World.open(t);
  // Two pages are left: enough for the folders and an empty file, not for the event.
  const prepare = `mount -t tmpfs -o size=64k tmpfs "$DATA" && mkdir "$DATA/data"
cat /dev/zero >"$DATA/filler" 2>/dev/null; truncate -s -8192 "$DATA/filler"`;
  const body = input('SessionStart', { source: 'startup', prompt: 'x '.repeat(20_000) });
  printed(await onDisk(world, prepare, 'SessionStart', body), said('disk-full'));
});

test(
  'a home of another user: message shown, and nothing breaks',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  async (t) => {
    const world = await World.open(t, '/tmp');
    await world.run('chmod', ['-R', 'a+rX', world.folder], '');
    const args = [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      'sh',
      join(world.plugin, 'hooks', 'hook.sh'),
      'SessionStart',
    ];
    printed(await world.run('setpriv', args, START), said('not-permitted'));
  },
);
