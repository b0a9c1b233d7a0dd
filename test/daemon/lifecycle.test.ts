/** How a daemon comes, lives and goes: one per data folder, nothing left behind, nothing open to others. */
import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { daemonPid, isAlive } from '../support/daemon.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf, stored } from '../support/stored.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

test('of eight daemons started at once one stays, and the others exit silently', async (t) => {
  const machine = Machine.open(t);
  const started = Array.from({ length: 8 }, () => machine.startDaemon());
  const left: unknown[] = [];
  for (const { ended } of started) void ended.then(({ code, stderr }) => left.push([code, stderr]));
  await waitFor('seven to leave', () => left.length === 7, { explain: () => machine.logs() });
  assert.deepEqual(
    left,
    Array.from({ length: 7 }, () => [0, '']),
  );
  const status = await machine.up();
  assert.deepEqual(machine.daemons(), [status.pid]);
  assert.equal(readFileSync(machine.places.log, 'utf8').match(/"daemon up"/g)?.length, 1);
});

test('an idle daemon exits, and the next hook starts another', async (t) => {
  const machine = Machine.open(t, { TIDEMARK_IDLE_MS: '300' });
  await machine.hook('UserPromptSubmit', { session_id: uuid('idle'), prompt: 'Hello there.' });
  await waitFor('the daemon to come', () => existsSync(machine.places.log));
  await waitFor('the daemon to leave', () => machine.processes().length === 0, {
    explain: () => machine.logs(),
  });
  assert.match(readFileSync(machine.places.log, 'utf8'), /"daemon leaves","reason":"idle"/);
  assert.equal(existsSync(machine.places.daemon), false);
  machine.setEnv({ TIDEMARK_IDLE_MS: '600000' });
  const { stdout } = await machine.hook('SessionStart', { session_id: uuid('idle'), source: 'startup' });
  assert.ok(await machine.isUp(), `${stdout}${machine.logs()}`);
});

test('SIGTERM lets the current event finish', async (t) => {
  const machine = Machine.open(t);
  const { pid } = await machine.up();
  const transcript = transcriptOf(machine, 'term');
  const prompt = 'We decided to keep sessions in Redis because restarts lose them.';
  transcript.append({ prompt, answer: 'Half of the answer.', at: new Date().toISOString() });
  // The file lacks the final answer, so the writer waits for it: there is time to be asked to leave.
  const last_assistant_message = 'The whole answer, which the file does not have yet.';
  const session = { session_id: transcript.session, transcript_path: transcript.path };
  const { status } = await machine.deliver('Stop', { ...session, last_assistant_message });
  assert.equal(status, 200);
  await machine.hasBegun();
  process.kill(pid, 'SIGTERM');
  await waitFor('it to leave', () => !isAlive(pid));
  const { turns, memories } = await stored(machine);
  assert.match(turns[0]?.answer ?? '', /The whole answer/);
  assert.equal(memories.length, 1);
  assert.equal((await machine.drained()).waiting, 0);
});

test('a newer client makes the daemon exit once it is idle, and the next hook starts a new one', async (t) => {
  const machine = Machine.open(t);
  const { pid } = await machine.up();
  const fields = { session_id: uuid('newer'), prompt: 'Hello there.' };
  assert.equal((await machine.deliver('UserPromptSubmit', fields, { client: '99.0.0' })).status, 200);
  await waitFor('it to leave', () => !isAlive(pid));
  assert.match(readFileSync(machine.places.log, 'utf8'), /a newer client \(99\.0\.0\) is here/);
  await machine.hook('SessionStart', { session_id: uuid('newer'), source: 'startup' });
  assert.notEqual((await machine.up()).pid, pid);
});

test('files of a killed daemon do not block the next one', async (t) => {
  const machine = Machine.open(t);
  const { pid } = await machine.up();
  await machine.killDaemons();
  assert.ok(lstatSync(machine.places.socket).isSocket(), 'the socket is still there');
  assert.equal((JSON.parse(readFileSync(machine.places.daemon, 'utf8')) as { pid: number }).pid, pid);
  await machine.hook('SessionStart', { session_id: uuid('stale'), source: 'startup' });
  const status = await machine.up();
  assert.notEqual(status.pid, pid);
  assert.equal(daemonPid(machine.places), status.pid);
  assert.deepEqual(
    status.sessions.map(({ event }) => event),
    ['SessionStart'],
    machine.logs(),
  );
});

test(
  'it has no children while it rests, and leaves none',
  { skip: !existsSync('/proc/self/task') },
  async (t) => {
    const machine = Machine.open(t);
    const git = await machine.run('git', ['init', '-q', machine.project]).ended;
    assert.equal(git.code, 0);
    const { pid } = await machine.up();
    const transcript = transcriptOf(machine, 'children');
    transcript.append({ prompt: 'Say hello.', answer: 'Hello.' });
    const session = { session_id: transcript.session, transcript_path: transcript.path };
    for (const name of ['SessionStart', 'Stop', 'SessionEnd'] as const) await machine.hook(name, session);
    await machine.call('hub.link', {});
    await machine.drained();
    await waitFor('no children', () => childrenOf(pid).length === 0, {
      explain: () => childrenOf(pid).join(' '),
    });
    await machine.stopDaemon();
    assert.deepEqual(machine.processes(), []);
  },
);

test('status reports queue, events, sessions, memory and version', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const [one, two] = [uuid('one'), uuid('two')];
  await machine.deliver('UserPromptSubmit', { session_id: one, prompt: 'Hello there.' });
  await machine.deliver('UserPromptSubmit', { session_id: two, prompt: 'Hello there.' });
  await machine.deliver('Stop', { session_id: one, last_assistant_message: 'Hello.' });
  const status = await machine.drained();
  assert.match(status.version, /^\d+\.\d+\.\d+/);
  assert.ok(status.rssMb > 20 && status.rssMb < 500, `${status.rssMb} MB`);
  assert.deepEqual([status.waiting, status.setAside], [0, []]);
  assert.deepEqual(
    status.sessions.map(({ id, event }) => [id, event]).toSorted(),
    [
      [one, 'Stop'],
      [two, 'UserPromptSubmit'],
    ].toSorted(),
  );
  for (const { at } of status.sessions) assert.ok(Date.parse(at) > Date.now() - 60_000);
  assert.deepEqual(Object.keys(status.lastEvent).toSorted(), ['Stop', 'UserPromptSubmit']);
});

test('the log keeps to its level and its size', async (t) => {
  const machine = Machine.open(t);
  mkdirSync(machine.places.home, { recursive: true });
  mkdirSync(dirname(machine.places.log), { recursive: true });
  writeFileSync(machine.places.log, `${'x'.repeat(99)}\n`.repeat(50_000));
  writeFileSync(`${machine.places.log}.1`, 'older\n');
  writeFileSync(`${machine.places.log}.2`, 'oldest\n');
  writeFileSync(machine.places.config, JSON.stringify({ 'log.level': 'debug' }));
  await machine.up();
  const size = () => statSync(machine.places.log, { throwIfNoEntry: false })?.size;
  await waitFor('a log that is too long to be put aside', () => (size() ?? Infinity) < 10_000);
  assert.equal(statSync(`${machine.places.log}.1`).size, 5_000_000);
  assert.equal(readFileSync(`${machine.places.log}.2`, 'utf8'), 'older\n');
  assert.equal(
    readdirSync(dirname(machine.places.log)).filter((name) => name.startsWith('daemon.log')).length,
    3,
  );

  await machine.deliver('UserPromptSubmit', { session_id: uuid('log'), prompt: 'Hello there.' });
  await machine.drained();
  assert.match(readFileSync(machine.places.log, 'utf8'), /"level":"debug".*"event processed"/);
  await machine.stopDaemon();
  writeFileSync(machine.places.config, JSON.stringify({ 'log.level': 'error' }));
  const before = readFileSync(machine.places.log, 'utf8');
  await machine.up();
  await machine.deliver('UserPromptSubmit', { session_id: uuid('log'), prompt: 'Hello there.' });
  await machine.drained();
  assert.equal(readFileSync(machine.places.log, 'utf8'), before);
});

test('every file is readable only by its owner, also under umask 000', async (t) => {
  const machine = Machine.open(t);
  const open = ['sh', '-c', 'umask 000; exec "$@"', 'sh'];
  const hook = join(import.meta.dirname, '..', '..', 'plugin', 'hooks', 'hook.sh');
  const fields = { session_id: uuid('umask'), cwd: machine.project };
  const fire = async (name: string, more: object) => {
    const input = JSON.stringify({ ...fields, hook_event_name: name, ...more });
    await machine.run('sh', [...open.slice(1), 'sh', hook, name], { input }).ended;
  };
  await fire('UserPromptSubmit', { prompt: 'We decided to close every door because thieves try them.' }); // spools, and starts a daemon
  await machine.up();
  await machine.stopDaemon();
  void machine.startDaemon({ before: open }).ended;
  await waitFor('the daemon', () => machine.isUp());
  await fire('Stop', { last_assistant_message: 'Closed.' });
  await fire('SessionEnd', { reason: 'other' });
  await machine.drained();
  assert.ok((await memoriesOf(machine)).length > 0);
  await machine.cli(['config', 'set', 'log.level', 'debug']);
  await machine.cli(['reindex']);
  const wrong = [machine.places.home, ...below(machine.places.home)].filter((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false }); // a draft has its real name by now
    return stat && (stat.mode & 0o777) !== (stat.isDirectory() ? 0o700 : 0o600);
  });
  assert.deepEqual(wrong, []);
  assert.ok(lstatSync(machine.places.socket).isSocket());
});

test(
  'an event that cannot be processed is set aside after three tries, and doctor says why',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const machine = Machine.open(t);
    await machine.up();
    const session_id = uuid('poison');
    // Larger than any transcript: it can never be processed.
    const transcript_path = join(machine.root, 'endless.jsonl');
    writeFileSync(transcript_path, '');
    truncateSync(transcript_path, 8 * 1024 ** 4);
    await machine.deliver('Stop', {
      session_id,
      transcript_path,
      last_assistant_message: 'Hello.',
    });
    await machine.deliver('UserPromptSubmit', {
      session_id,
      prompt: 'We decided to go on because others wait.',
    });
    await machine.deliver('Stop', { session_id, last_assistant_message: 'Going on.' });
    await machine.deliver('SessionEnd', { session_id, reason: 'other' });
    const status = await machine.drained();
    assert.equal(status.setAside.length, 1);
    assert.match(status.setAside[0]?.reason ?? '', /endless\.jsonl is larger than/);
    assert.equal(readFileSync(machine.places.log, 'utf8').match(/"event failed"/g)?.length, 3);
    assert.equal((await memoriesOf(machine)).length, 1, 'what came after it was processed');
    const { stdout, code } = await machine.cli(['doctor']);
    assert.match(stdout, /events set aside +1: .*endless\.jsonl is larger than/);
    assert.notEqual(code, 0);
  },
);

function transcriptOf(machine: Machine, name: string): SyntheticTranscript {
  return new SyntheticTranscript({ config: machine.config, cwd: machine.project, session: uuid(name) });
}

function childrenOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean);
    } catch {
      return []; // a thread that has ended
    }
  });
}

function below(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}
