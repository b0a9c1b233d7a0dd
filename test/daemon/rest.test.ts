/** A daemon without events ends its writer's thread. The next event, edit or call finds it as it was. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { filesOf } from '../support/damage.ts';
import { daemonPid } from '../support/daemon.ts';
import { Machine } from '../support/machine.ts';
import { uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

const DECISION = 'We rotate refresh tokens on every use';

test('the writer ends at rest, and the first prompt after it gets its memory', async (t) => {
  const machine = await atRest(t);
  const atRestThreads = threads(machine);
  const { stdout } = await machine.hook('UserPromptSubmit', {
    session_id: uuid('after rest'),
    prompt: 'How often do we rotate refresh tokens?',
  });
  assert.match(stdout, /rotate refresh tokens/);
  assert.ok(threads(machine) > atRestThreads);
});

test('questions at the same time find the index closed at rest, and all are answered', async (t) => {
  const machine = await atRest(t);
  const prompt = 'How often do we rotate refresh tokens?';
  const asked = [1, 2, 3].map((n) =>
    machine.hook('UserPromptSubmit', { session_id: uuid('at once', n), prompt }),
  );
  const found = machine.json<{ hits: unknown[] }>('search', 'refresh tokens');
  for (const { stdout } of await Promise.all(asked)) assert.match(stdout, /rotate refresh tokens/);
  assert.equal((await found).hits.length, 1);
});

test('a change at rest starts the writer, each time', async (t) => {
  const machine = await atRest(t);
  for (const title of ['Lamps are green', 'Pumps run at night']) {
    const before = restsOf(machine);
    assert.equal((await machine.cli(['remember', title])).code, 0);
    await waitFor('the daemon to rest again', () => restsOf(machine) > before);
  }
  assert.equal((await machine.json<{ memories: number }>('stats')).memories, 3);
});

test('a session that starts after the rest gets its brief', async (t) => {
  const machine = await atRest(t);
  const { stdout } = await machine.hook('SessionStart', { session_id: uuid('new'), source: 'startup' });
  assert.match(stdout, /rotate refresh tokens/);
});

test('an edit of a memory by hand during the rest is found', async (t) => {
  const machine = await atRest(t);
  const [file = ''] = filesOf(machine, 'memories');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('refresh tokens', 'zebra tokens'));
  await waitFor(
    'the edit to be taken in',
    () => logOf(machine).includes('journal changed') || isFound(machine),
  );
  await waitFor('the new words to be found', () => isFound(machine));
});

test('the daemon rests again after a call, and stops from there', async (t) => {
  const machine = await atRest(t);
  await machine.ask('stats');
  await waitFor('the daemon to rest again', () => restsOf(machine) >= 2, { explain: () => machine.logs() });
  await machine.stopDaemon();
  assert.deepEqual(machine.daemons(), []);
});

async function atRest(t: TestContext): Promise<Machine> {
  const machine = Machine.open(t, { TIDEMARK_REST_MS: '300', TIDEMARK_LOG_LEVEL: 'debug' });
  await machine.up();
  const { code, stderr } = await machine.cli(['remember', DECISION]);
  assert.equal(code, 0, stderr);
  await waitFor('the daemon to rest', () => restsOf(machine) > 0, { explain: () => machine.logs() });
  return machine;
}

function restsOf(machine: Machine): number {
  return logOf(machine).split('"at rest"').length - 1;
}

function logOf(machine: Machine): string {
  return readFileSync(machine.places.log, 'utf8');
}

async function isFound(machine: Machine): Promise<boolean> {
  const { hits } = await machine.json<{ hits: unknown[] }>('search', 'zebra');
  return hits.length > 0;
}

function threads(machine: Machine): number {
  return readdirSync(join('/proc', String(daemonPid(machine.places)), 'task')).length;
}
