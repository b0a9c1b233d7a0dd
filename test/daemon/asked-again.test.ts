/** A call to a daemon that is stopping is repeated at the next one, unless the first may have carried it out. */
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { mkdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

test('a call waits for a daemon that finishes its work before it stops', async (t) => {
  const machine = Machine.open(t);
  const { pid } = await machine.up();
  const place = { config: machine.config, cwd: machine.project };
  const transcript = new SyntheticTranscript({ ...place, session: uuid('leaving') });
  transcript.append({ prompt: 'Say hello.', answer: 'Half of the answer.', at: new Date().toISOString() });
  // The file lacks the final answer: the writer waits for it, and with it the daemon that is asked to leave.
  const session = { session_id: transcript.session, transcript_path: transcript.path };
  await machine.deliver('Stop', { ...session, last_assistant_message: 'The whole answer.' });
  await machine.hasBegun();
  process.kill(pid, 'SIGTERM');
  await waitFor('it to take no more calls', async () => !(await machine.isUp()));
  const { code, stderr } = await machine.cli(['stats']);
  assert.equal(code, 0, stderr + machine.logs());
  assert.notEqual((await machine.up()).pid, pid);
});

test('a session that starts while the daemon stops is answered by the next daemon', async (t) => {
  const machine = Machine.open(t, { TIDEMARK_ANSWER_S: '40' });
  mkdirSync(machine.places.run, { recursive: true });
  const lock = new DatabaseSync(machine.places.lock); // held as by a daemon that no longer answers
  lock.exec('BEGIN EXCLUSIVE');
  const start = machine.startHook('SessionStart', { session_id: uuid('next'), source: 'startup' });
  const turnedAway = new Set<number>();
  await waitFor('more than one to be started', () => {
    for (const pid of machine.daemons()) turnedAway.add(pid);
    return turnedAway.size > 1;
  });
  lock.close();
  assert.equal((await start.ended).code, 0);
  assert.match(readFileSync(machine.places.hookLog, 'utf8'), /"outcome":"delivered","reason":"waited"/);
});

test('a call is repeated when the daemon died before it began', async (t) => {
  const machine = Machine.open(t);
  const asked = await dyingDaemon(t, machine, (socket) => socket.destroy());
  const { code, stdout, stderr } = await machine.cli(['remember', 'Deploy on Tuesdays']);
  assert.equal(code, 0, stdout + stderr + machine.logs());
  assert.equal(asked(), 1);
});

test('a call is not repeated when the daemon died after it began, and the user gets an error', async (t) => {
  const machine = Machine.open(t);
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const asked = await dyingDaemon(t, machine, (socket) => socket.write(head, () => socket.destroy()));
  const { code, stderr } = await machine.cli(['remember', 'Deploy on Tuesdays']);
  assert.notEqual(code, 0);
  assert.match(stderr, /the daemon stopped in the middle of its answer/);
  assert.equal(asked(), 1);
  assert.deepEqual(machine.daemons(), []);
});

/** Accepts one call, treats the caller as the test asks, and stops. Returns how many calls it got. */
async function dyingDaemon(
  t: TestContext,
  { places }: Machine,
  end: (socket: Socket) => void,
): Promise<() => number> {
  let asked = 0;
  mkdirSync(places.run, { recursive: true });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      asked++;
      server.close();
      end(socket);
    });
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(places.socket, resolve));
  return () => asked;
}
