/** A daemon that accepts and never answers: the hook continues, skips the socket, and only that daemon is replaced. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { isAlive } from '../support/daemon.ts';
import { waitFor } from '../support/wait-for.ts';
import { answerWith, CONTEXT, IN_BUDGET, input, line, World, type Ran } from './_world.ts';

function printed(ran: Ran, stdout: string): void {
  assert.deepEqual(ran, { code: 0, signal: null, stdout, stderr: '' });
}

test('a timeout: the event is kept and the socket is skipped', async (t) => {
  const world = await World.open(t);
  await world.serve(() => {});
  // Enough time for the event to arrive, also on a busy machine.
  const env = { TIDEMARK_ANSWER_S: '2' };
  printed(await world.hook('UserPromptSubmit', input('UserPromptSubmit'), { env }), '');
  const { until } = JSON.parse(readFileSync(world.places.leaveAlone, 'utf8')) as { until: number };
  assert.ok(until > Date.now() && until <= Date.now() + 30_000);
  printed(await world.hook('Stop', input('Stop')), '');
  assert.equal(world.received.filter(({ url }) => url.startsWith('/v1/hook/')).length, 1);
  assert.deepEqual(
    world.log().map((row) => row['reason']),
    ['timed-out', 'left alone'],
  );
});

test('no curl and a timeout: the same', async (t) => {
  const world = await World.open(t);
  await world.serve(() => {});
  const PATH = await world.pathWithout('curl');
  printed(await world.hook('Stop', input('Stop'), { env: { ...IN_BUDGET, PATH } }), '');
  assert.ok(existsSync(world.places.leaveAlone));
  assert.equal(world.kept().length, 1);
});

for (const [what, text] of [
  ['that is over', JSON.stringify({ until: 1, pid: null })],
  ['from a clock that ran ahead', JSON.stringify({ until: Date.now() + 9e9, pid: null })],
  ['that is broken', '{'],
] as const) {
  test(`a leave-alone marker ${what} is removed, and the daemon is asked at once`, async (t) => {
    const world = await World.open(t);
    await world.serve();
    writeFileSync(world.places.leaveAlone, text);
    printed(await world.hook('SessionStart', input('SessionStart')), `${CONTEXT}\n`);
    assert.ok(!existsSync(world.places.leaveAlone));
    assert.equal(world.received.length, 1);
  });
}

test('a daemon that was slow once is kept and used again', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  await world.serve((response, received) => {
    if (received.url === '/v1/hook/Stop') return;
    answerWith(CONTEXT)(response, received);
  });
  await world.hook('Stop', input('Stop'), { env: IN_BUDGET });
  const row = await waitFor('the all-clear', () => world.log().find((entry) => entry['event'] === 'replace'));
  assert.equal(row['outcome'], 'alive');
  assert.ok(!existsSync(world.places.leaveAlone));
  assert.deepEqual(world.started(), []);
});

test('a hung daemon that ignores SIGTERM is killed, and a new one answers', async (t) => {
  const world = await World.open(t);
  world.installDaemon();
  await world.hook('Stop', input('Stop'), { env: { TIDEMARK_TEST_DAEMON: 'hang' } });
  await waitFor('the hung daemon', () => existsSync(world.places.socketPointer));
  const [hung = 0] = world.started();
  await world.hook('Stop', input('Stop'), { env: IN_BUDGET });
  const row = await waitFor('the replacement', () =>
    world.log().find((entry) => entry['event'] === 'replace'),
  );
  assert.deepEqual([row['outcome'], row['reason']], ['replaced', 'killed']);
  assert.ok(!isAlive(hung));
  assert.equal(world.started().length, 2);
  assert.ok(!existsSync(world.places.leaveAlone));
  printed(await world.hook('SessionStart', input('SessionStart')), `${line('from the started daemon')}\n`);
});

for (const [what, startTime] of [
  ['another start time', '1'],
  ['no start time', null],
] as const) {
  test(`a process with the recorded pid but ${what} is never ended`, async (t) => {
    const world = await World.open(t);
    const bystander = spawn('sleep', ['60']);
    t.after(() => bystander.kill());
    await world.serve(() => {});
    writeFileSync(world.places.daemon, JSON.stringify({ pid: bystander.pid, startTime }));
    await world.hook('Stop', input('Stop'), { env: IN_BUDGET });
    const row = await waitFor('the end of the replacer', () =>
      world.log().find((entry) => entry['event'] === 'replace'),
    );
    assert.equal(row['reason'], 'missing-module');
    assert.equal(bystander.exitCode, null);
    assert.equal(bystander.signalCode, null);
    assert.ok(isAlive(bystander.pid ?? 0));
  });
}
