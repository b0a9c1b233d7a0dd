/** The small model reads every turn on this machine, after the rules: through the real daemon, with the shipped files. */
import assert from 'node:assert/strict';
import { cpSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DIST, Machine, type Env } from '../support/machine.ts';
import { readJournal, readLedger } from '../support/stores.ts';
import { waitFor } from '../support/wait-for.ts';
import { PlayedSession, recorded } from './_played-session.ts';

const RULE = 'From now on always run the linter before you commit.';
const ANSWER = 'Understood, I run the linter before every commit from now on.';

const open = (t: TestContext, env: Env = {}) => Machine.open(t, { TIDEMARK_EMBED_DRIVER: 'local', ...env });
const readBySmall = (machine: Machine, turn: string) =>
  recorded(machine, 'distilled', (record) => record['by'] === 'small' && record['turn'] === turn);
const marks = (machine: Machine) =>
  readLedger(machine.places).flatMap(({ kind, by }) => (kind === 'distilled' ? [by] : []));

test('a captured turn is distilled by rules at once, and then by the small model', async (t) => {
  const machine = open(t);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  const { id } = await session.turn(RULE, ANSWER);
  await readBySmall(machine, id);
  assert.deepEqual(marks(machine), ['local', 'small']);
  const { memories, problems } = readJournal(machine.places);
  assert.deepEqual(problems, []);
  const kept = memories.filter(({ state }) => state === 'current');
  assert.deepEqual(
    kept.map(({ kind, provenance }) => [kind, provenance.by, provenance.turn]),
    [['preference', 'small', id]],
    machine.logs(),
  );

  await t.test('the source is named everywhere', async () => {
    const [entry] = kept;
    const shown = await machine.cli(['show', entry?.id ?? '']);
    assert.match(shown.stdout, /source: the small model on this machine/);
    assert.match((await machine.cli(['status'])).stdout, /small-5 reads every turn on this machine/);
    assert.match((await machine.cli(['doctor'])).stdout, /small model.*small-5.*none waiting/);
  });

  await t.test('the turn is not read again by itself, also after a rebuild of the index', async () => {
    await machine.call('reindex', {});
    await machine.call('sweep', {});
    const { waiting } = await machine.call('keep.health', {});
    assert.equal(waiting, 0);
    assert.deepEqual(marks(machine), ['local', 'small']);
  });
});

test('a daemon that is killed loses no turn: the next one reads it', async (t) => {
  const machine = open(t);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  const turns: string[] = [];
  for (const what of ['linter', 'type checker', 'formatter']) {
    const { id } = await session.turn(RULE.replace('linter', what), ANSWER.replace('linter', what));
    turns.push(id);
    await recorded(machine, 'distilled', (record) => record['turn'] === id);
    await machine.killDaemons();
    await machine.up();
  }
  for (const turn of turns) await readBySmall(machine, turn);
  const { memories, problems } = readJournal(machine.places);
  assert.deepEqual(problems, []);
  assert.equal(new Set(memories.map(({ id }) => id)).size, memories.length, 'no memory is stored twice');
  // The ledger has the mark before the index.
  await waitFor('no turn to wait', async () => (await machine.call('keep.health', {})).waiting === 0);
});

test('without the model the rules serve, and status says so', async (t) => {
  const machine = open(t);
  const plugin = join(machine.root, 'plugin');
  cpSync(DIST, join(plugin, 'dist'), { recursive: true });
  const daemon = machine.run(process.execPath, [join(plugin, 'dist', 'daemon.cjs')], { timeout: 0 });
  t.after(daemon.kill);
  await waitFor('the daemon', () => machine.isUp());
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn(RULE, ANSWER);
  await machine.drained();
  assert.deepEqual(marks(machine), ['local']);
  const { model, waiting } = await machine.call('keep.health', {});
  assert.deepEqual([model, waiting], [null, 1]);
  assert.match((await machine.cli(['status'])).stdout, /only rules make memories.*small-5 is missing/s);
});

const TURNS = 8;

test('an import says how many turns the small model still reads, and the daemon reads them before it ends', async (t) => {
  const machine = open(t, { TIDEMARK_IDLE_MS: '500', TIDEMARK_REST_MS: '50' });
  const { transcript } = new PlayedSession(machine);
  const at = '2026-03-01T10:00:00.000Z';
  // So many that some are waiting when the import has ended.
  for (let n = 0; n < TURNS; n++)
    transcript.append({ prompt: RULE.replace('linter', `linter ${n}`), answer: ANSWER, at });
  utimesSync(transcript.path, new Date(at), new Date(at)); // the session has ended
  const { stdout, stderr } = await machine.cli(['import', 'history']);
  assert.match(
    stdout,
    /The small model on this machine is still reading \d+ turns?, in the background/,
    stderr,
  );
  for (let n = 0; n < TURNS; n++) await readBySmall(machine, transcript.turnId(n));
  await waitFor('the daemon and the process of its model to be gone', () => machine.processes().length === 0);
});
