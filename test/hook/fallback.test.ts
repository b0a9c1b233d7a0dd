/** The fallback when the daemon does not take an event: it is redacted, kept once, and a daemon is started. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { briefFile } from '../../src/core/index.ts';
import { MESSAGES } from '../../src/hook/index.ts';
import { acceptedEvents } from '../support/accepted.ts';
import { waitFor } from '../support/wait-for.ts';
import { answerWith, CONTEXT, IN_BUDGET, input, line, NEVER_ENDING, World, type Ran } from './_world.ts';

const STARTED = `${line('from the started daemon')}\n`;
const SECRET = `sk-ant-api03-${'Ab3dEf6hIj9kLm2nOp5q'.repeat(4)}xyzAA`;

function printed(ran: Ran, stdout: string): void {
  assert.deepEqual(ran, { code: 0, signal: null, stdout, stderr: '' });
}

test('no daemon: the event is kept, redacted, with its id and project', async (t) => {
  const world = await World.open(t);
  const body = input('Stop', {
    last_assistant_message: `the key is ${SECRET}`,
    stop_hook_active: false,
    background_tasks: [{}, {}],
    effort: { level: 'high' },
  });
  printed(await world.hook('Stop', body), '');
  const [event, ...others] = world.kept();
  assert.deepEqual(others, []);
  assert.ok(event);
  const { id, at, ...rest } = event;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.ok(Math.abs(Date.now() - Date.parse(at)) < 60_000);
  assert.equal(rest.agent, 'claude-code');
  assert.equal(rest.projectDir, world.projectDir);
  const { last_assistant_message: said, ...fields } = rest.input;
  assert.match(said ?? '', /^the key is \[redacted:[\w-]+\]/);
  assert.ok(!said?.includes('Ab3dEf'));
  assert.deepEqual(fields, {
    session_id: 'session-1',
    hook_event_name: 'Stop',
    cwd: '/somewhere',
    stop_hook_active: false,
    background_tasks: 2,
  });
});

test('folders are 0700, files 0600', async (t) => {
  const world = await World.open(t);
  const TIDEMARK_HOME = join(world.folder, 'fresh');
  await world.hook('Stop', input('Stop'), { env: { TIDEMARK_HOME } });
  assert.equal(acceptedEvents(TIDEMARK_HOME).length, 1);
  const made = ['', ...readdirSync(TIDEMARK_HOME, { recursive: true, encoding: 'utf8' })];
  for (const name of made) {
    const stat = statSync(join(TIDEMARK_HOME, name));
    assert.equal(stat.mode & 0o777, stat.isDirectory() ? 0o700 : 0o600, name);
  }
});

test('no daemon: it is started, and SessionStart gets its answer with the same id', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  printed(await world.hook('SessionStart', input('SessionStart', { source: 'startup' })), STARTED);
  const [event] = world.kept();
  assert.equal(
    readFileSync(join(world.places.home, 'asked'), 'utf8'),
    `/v1/hook/SessionStart attempt: ${event?.id}\n`,
  );
});

test('Stop starts the daemon but does not wait for it', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  printed(await world.hook('Stop', input('Stop')), '');
  await waitFor('the daemon', () => existsSync(world.places.socketPointer));
  assert.equal(world.kept().length, 1);
});

test('several events while the daemon starts: all kept in order, one daemon started', async (t) => {
  const world = await World.open(t);
  const slow = `require('fs').appendFileSync(process.env.TIDEMARK_HOME + '/started', process.pid + '\\n'); setTimeout(() => {}, 20000)`;
  writeFileSync(join(world.plugin, 'dist', 'daemon.cjs'), slow);
  // For the next hook it was started just now, however slow the machine is.
  const justStarted = () => utimesSync(world.places.starting, new Date(), new Date());
  printed(await world.hook('UserPromptSubmit', input('UserPromptSubmit', { prompt: 'one' })), '');
  justStarted();
  printed(await world.hook('UserPromptSubmit', input('UserPromptSubmit', { prompt: 'two' })), '');
  justStarted();
  printed(await world.hook('Stop', input('Stop')), '');
  await waitFor('the daemon', () => world.started().length > 0);
  const prompts = world.kept().map((event) => event.input.prompt ?? event.input.hook_event_name);
  assert.deepEqual(prompts, ['one', 'two', 'Stop']);
  assert.equal(world.started().length, 1);
});

test('SessionStart twice in a row prints the same answer', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  printed(await world.hook('SessionStart', input('SessionStart')), STARTED);
  printed(await world.hook('SessionStart', input('SessionStart')), STARTED);
  assert.equal(world.kept().length, 1);
});

test('a stale socket counts as no daemon', async (t) => {
  const world = await World.open(t);
  const gone = createServer();
  await new Promise<void>((listening) => gone.listen(join(world.places.run, 'first.sock'), listening));
  // A hard copy of the name survives the close, as a crash would leave it.
  await world.run('ln', [join(world.places.run, 'first.sock'), world.places.socket], '');
  await new Promise((closed) => gone.close(closed));
  world.pointTo(world.places.socket);
  assert.ok(statSync(world.places.socket).isSocket());
  world.installDaemon();
  printed(await world.hook('SessionStart', input('SessionStart')), STARTED);
  assert.equal(world.kept().length, 1);
});

test('a pointer to a file that is not a socket counts as no daemon', async (t) => {
  const world = await World.open(t);
  writeFileSync(world.places.socket, '');
  world.pointTo(world.places.socket);
  printed(await world.hook('Stop', input('Stop')), '');
  assert.equal(world.kept().length, 1);
});

test('a pipe in place of the pointer, of the recorded Node or of the log does not block the hook', async (t) => {
  const world = await World.open(t);
  mkdirSync(dirname(world.places.hookLog));
  execFileSync('mkfifo', [world.places.socketPointer, world.places.node, world.places.hookLog]);
  printed(await world.hook('Stop', input('Stop')), '');
  assert.equal(world.kept().length, 1);
});

test(
  "another user's socket counts as no daemon",
  { skip: process.getuid?.() !== 0 && 'needs root' },
  async (t) => {
    const world = await World.open(t);
    await world.serve();
    await world.run('chown', ['65534', world.places.socket], '');
    printed(
      await world.hook('SessionStart', input('SessionStart')),
      `${JSON.stringify({ systemMessage: MESSAGES['missing-module'] })}\n`,
    );
    assert.deepEqual(world.received, []);
    assert.equal(world.kept().length, 1);
  },
);

test('the pointer leads to a socket whose default path is too long for the kernel', async (t) => {
  const world = await World.open(t);
  const home = join(world.folder, 'a'.repeat(60), 'b'.repeat(60));
  mkdirSync(join(home, 'run'), { recursive: true });
  const socket = join(world.folder, 's.sock');
  await world.serve(answerWith(CONTEXT), socket);
  writeFileSync(join(home, 'run', 'socket'), socket); // no newline at the end: still a line
  printed(await world.hook('SessionStart', '{}', { env: { TIDEMARK_HOME: home } }), `${CONTEXT}\n`);
});

test('a pointer to a path too long for the kernel counts as no daemon', async (t) => {
  const world = await World.open(t);
  world.pointTo(join(world.folder, 'c'.repeat(120), 'd.sock'));
  printed(await world.hook('Stop', input('Stop')), '');
  assert.equal(world.kept().length, 1);
});

for (const [what, reply] of [
  ['503', answerWith('', 503)],
  ['500 with a text', answerWith(CONTEXT, 500)],
] as const) {
  test(`${what}: not delivered, kept with the same id, no second daemon`, async (t) => {
    const world = await World.open(t);
    world.installDaemon();
    await world.serve(reply);
    printed(await world.hook('Stop', input('Stop')), '');
    const [event] = world.kept();
    assert.ok(world.received[0]?.body.toString().startsWith(`attempt: ${event?.id}\n`));
    assert.deepEqual(world.started(), []);
  });
}

test('503 while the daemon starts: SessionStart asks again', async (t) => {
  const world = await World.open(t);
  let calls = 0;
  await world.serve((response, received) => answerWith(CONTEXT, ++calls < 3 ? 503 : 200)(response, received));
  printed(await world.hook('SessionStart', input('SessionStart')), `${CONTEXT}\n`);
  const identities = world.received.map(({ body }) => body.toString().split('\n')[0]);
  assert.equal(identities.length, 3);
  assert.equal(new Set(identities).size, 1);
});

test('an incomplete answer is not printed; the fallback uses the same id', async (t) => {
  const world = await World.open(t);
  await world.serve((response) => {
    response.writeHead(200, { 'content-length': CONTEXT.length });
    response.write(CONTEXT.slice(0, 40), () => response.destroy());
  });
  printed(await world.hook('UserPromptSubmit', input('UserPromptSubmit')), '');
  const [event, ...others] = world.kept();
  assert.deepEqual(others, []);
  assert.ok(world.received[0]?.body.toString().startsWith(`attempt: ${event?.id}\n`));
});

test('no curl: Node delivers the event itself', async (t) => {
  const world = await World.open(t);
  await world.serve();
  const PATH = await world.pathWithout('curl');
  printed(await world.hook('SessionStart', 'a\0b', { env: { PATH } }), `${CONTEXT}\n`);
  assert.match(
    world.received[0]?.body.toString() ?? '',
    /^attempt: [0-9a-f-]{36}\nclient: 9\.9\.9\nproject-dir: .*\nprogram: .*\n\na\0b$/,
  );
  assert.deepEqual(world.kept(), []);
  assert.deepEqual(
    world.log().map((row) => [row['outcome'], row['reason']]),
    [['delivered', 'asked']],
  );
});

test('no curl and an incomplete answer: nothing printed, kept', async (t) => {
  const world = await World.open(t);
  await world.serve((response) => {
    response.writeHead(200, { 'content-length': CONTEXT.length });
    response.write(CONTEXT.slice(0, 40), () => response.destroy());
  });
  const PATH = await world.pathWithout('curl');
  printed(await world.hook('UserPromptSubmit', input('UserPromptSubmit'), { env: { PATH } }), '');
  assert.equal(world.kept().length, 1);
});

test('no Node on the PATH: the recorded one is used', async (t) => {
  const world = await World.open(t);
  writeFileSync(world.places.node, process.execPath);
  const PATH = await world.pathWithout('node');
  printed(await world.hook('Stop', input('Stop'), { env: { PATH } }), '');
  assert.equal(world.kept().length, 1);
});

test('a missing recorded Node: the one on the PATH is used', async (t) => {
  const world = await World.open(t);
  writeFileSync(world.places.node, join(world.folder, 'no', 'node'));
  printed(await world.hook('Stop', input('Stop')), '');
  assert.equal(world.kept().length, 1);
});

test("the user's NODE_OPTIONS are ignored", async (t) => {
  const world = await World.open(t);
  printed(await world.hook('Stop', input('Stop'), { env: { NODE_OPTIONS: '--require=/nowhere.js' } }), '');
  assert.equal(world.kept().length, 1);
});

test('a plugin without its program uses the one last installed', async (t) => {
  const world = await World.open(t);
  const program = join(world.folder, 'program');
  await world.run('mv', [join(world.plugin, 'dist'), program], '');
  writeFileSync(world.places.program, `${program}\n`);
  printed(await world.hook('Stop', input('Stop')), '');
  assert.equal(world.kept().length, 1);
});

for (const [what, body, reason] of [
  ['an empty body', '', 'empty input'],
  ['broken JSON', '{"session_id":', 'input is not a JSON object'],
  ['an array', '[1]', 'input is not a JSON object'],
  ['no session', '{"hook_event_name":"SessionStart"}', 'input has no session_id'],
] as const) {
  test(`${what} leaves a row in the log and nothing else`, async (t) => {
    const world = await World.open(t);
    printed(await world.hook('SessionStart', body), '');
    assert.deepEqual(world.kept(), []);
    const [row] = world.log();
    assert.deepEqual(Object.keys(row ?? {}), ['at', 'event', 'attempt', 'ms', 'outcome', 'reason']);
    assert.deepEqual(
      [row?.['event'], row?.['outcome'], row?.['reason']],
      ['SessionStart', 'ignored', reason],
    );
  });
}

test('an unknown event leaves a log row, with its name only if it is valid', async (t) => {
  const world = await World.open(t);
  await world.serve();
  printed(await world.hook('Notification', '{}'), '');
  printed(await world.hook('../../x y', '{}'), '');
  assert.deepEqual(world.received, []);
  assert.deepEqual(
    world.log().map((row) => [row['event'], row['outcome'], row['reason']]),
    [
      ['Notification', 'ignored', 'unknown event'],
      ['unknown', 'ignored', 'unknown event'],
    ],
  );
});

test('the Node part accepts NULs, CRLF and a byte order mark', async (t) => {
  const world = await World.open(t);
  const body = `\ufeff{\r\n"session_id":"s\0",\r\n"hook_event_name":"Stop"}\r\n\0`;
  printed(await world.node([world.client, 'Stop'], body), '');
  assert.equal(world.kept()[0]?.input.session_id, 's');
});

test('a prompt of 20 MB is cut to the limit of an event', async (t) => {
  const world = await World.open(t);
  const prompt = 'word '.repeat(4_000_000);
  printed(await world.hook('PreCompact', input('PreCompact', { prompt })), '');
  const kept = world.kept()[0]?.input.prompt ?? '';
  assert.ok(kept.startsWith('word word') && kept.length < 70_000);
});

test('a pipe that never ends does not block the agent', async (t) => {
  const world = await World.open(t);
  printed(await world.node([world.client, 'Stop'], NEVER_ENDING, IN_BUDGET), '');
  assert.deepEqual(
    world.log().map((row) => row['reason']),
    ['out of time'],
  );
});

// ---------------------------------------------------------------- the brief of last time

test('a daemon that does not start in time: SessionStart prints the last brief', async (t) => {
  const world = await World.open(t);
  writeFileSync(join(world.plugin, 'dist', 'daemon.cjs'), 'setTimeout(() => {}, 4000)');
  world.keepBrief(briefFile(world.places, world.projectDir), CONTEXT);
  const start = input('SessionStart', { source: 'startup' });
  printed(await world.hook('SessionStart', start, { env: IN_BUDGET }), `${CONTEXT}\n`);
  assert.equal(world.kept().length, 1);
});

test('the last brief of another project, a broken one, or a resumed session: nothing', async (t) => {
  const world = await World.open(t);
  world.pointTo('/nowhere');
  writeFileSync(world.places.leaveAlone, JSON.stringify({ until: Date.now() + 20_000, pid: null })); // no waiting here
  const mine = briefFile(world.places, world.projectDir);
  world.keepBrief(briefFile(world.places, '/elsewhere'), CONTEXT);
  printed(await world.hook('SessionStart', input('SessionStart', { source: 'startup' })), '');
  world.keepBrief(mine, 'plain text');
  printed(await world.hook('SessionStart', input('SessionStart', { source: 'startup' })), '');
  writeFileSync(mine, '{"output":');
  printed(await world.hook('SessionStart', input('SessionStart', { source: 'startup' })), '');
  world.keepBrief(mine, CONTEXT);
  for (const source of ['resume', 'fork']) {
    printed(await world.hook('SessionStart', input('SessionStart', { source })), '');
  }
  for (const source of ['startup', 'clear', 'compact']) {
    printed(await world.hook('SessionStart', input('SessionStart', { source })), `${CONTEXT}\n`);
  }
});

test('a folder in place of a file, or a circular link: still exit 0 and nothing printed', async (t) => {
  const world = await World.open(t);
  mkdirSync(world.places.socketPointer);
  symlinkSync(world.places.leaveAlone, world.places.leaveAlone);
  mkdirSync(world.places.node);
  printed(await world.hook('Stop', input('Stop')), '');
  assert.equal(world.kept().length, 1);
});
