/**
 * A clock far ahead of the time, or a row that cannot be read, does not stop the exchange. Uses real members and the real
 * server on PostgreSQL, and the stand-in as an older or newer server.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type { Change, ProjectPage, PushAnswer } from '../../src/exchange/sync/index.ts';
import { filesOf, indexFile } from '../support/damage.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { TeamServerStandIn } from '../support/team-stand-in.ts';
import { entryOf, put } from '../support/team.ts';
import { Member } from './_member.ts';
import { RealTeam } from './_real-team.ts';

const HUGE = Number.MAX_SAFE_INTEGER;
/** The clock that the delete route of an older server stored. */
const BEYOND = '9007199254740992';

const { skip } = postgresql;
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});

after(() => postgres?.remove());

test('a hostile clock does not stop the exchange of other members', { skip }, async (t) => {
  const server = await RealTeam.open(t, postgres);
  const [ada, bob, cy] = await members(t, server, ['Ada', 'Bob', 'Cy']);
  const shared = await ada.remember('Pages are cached');
  const doomed = await ada.remember('Ropes are coiled');
  for (const one of [ada, bob, cy]) await one.share();

  const mallory = await server.member('Mallory');
  const remote = await onlyProject(server, mallory.key);
  const pushed = (changes: readonly Change[], idempotencyKey: string) =>
    server.raw<PushAnswer>(mallory.key, 'POST', `/v1/projects/${remote}/changes`, {
      changes,
      idempotencyKey,
    });
  const theirs = (await server.entries()).find((one) => one.op === 'put' && one.entry.id === shared.id);
  assert.ok(theirs?.op === 'put');
  const hostile = { ...theirs.entry, title: 'Pages are hostile' };
  const own = entryOf('Mallory was here', { at: new Date().toISOString() });
  const now = Date.now();
  await pushed([put({ ...hostile, version: { clock: now, machine: 'm' } }), put(own)], 'hostile-push-1');
  // As an older server stored it: the clock of a push as it was sent, and one more by its delete route.
  await server.sql('UPDATE tidemark.memory SET clock = $1 WHERE id = $2', [HUGE, shared.id]);
  await server.raw(mallory.key, 'DELETE', `/v1/projects/${remote}/entries?mine=true`);
  await server.sql('UPDATE tidemark.tombstone SET clock = $1 WHERE id = $2', [BEYOND, own.id]);
  const said = await ada.remember('Notes still arrive');
  await ada.machine.call('forget', { ids: [doomed.id], now: true });
  await ada.exchange();
  await bob.exchange();
  await healthy(ada);
  await healthy(bob);
  assert.equal((await bob.entry(said.id))?.title, 'Notes still arrive');
  assert.equal(await bob.entry(doomed.id), undefined);
  assert.equal((await bob.entry(shared.id))?.title, 'Pages are hostile');
  await bob.edit(shared.id, { title: 'Pages are cached again' });
  for (const one of [bob, ada, cy]) await one.exchange();
  await agree([ada, bob, cy], ['Notes still arrive', 'Pages are cached again']);
  const late = put({ ...hostile, id: own.id, version: { clock: HUGE, machine: 'm' } });
  assert.deepEqual(
    (await pushed([late], 'hostile-push-2')).results.map(({ outcome }) => outcome),
    ['refused'],
  );
  for (const one of await server.entries())
    assert.ok(clockOf(one) < Date.now() + 2 * 24 * 60 * 60_000, `${one.op} ${clockOf(one)}`);
});

test('a machine that recorded such a clock recovers with its next exchange', { skip }, async (t) => {
  const server = await RealTeam.open(t, postgres);
  const [ada, bob] = await members(t, server, ['Ada', 'Bob']);
  const made = await ada.remember('Pages are cached');
  const other = await ada.remember('Ropes are coiled');
  for (const one of [ada, bob]) await one.share();
  await server.sql('UPDATE tidemark.memory SET clock = $1', [HUGE]);
  for (const one of [ada, bob]) await poison(one);
  await bob.edit(made.id, { title: 'Pages are cached by Bob' });
  await ada.edit(other.id, { title: 'Ropes are coiled by Ada' });
  for (const one of [bob, ada, bob]) await one.exchange();
  for (const one of [ada, bob]) await healthy(one);
  await agree([ada, bob], ['Pages are cached by Bob', 'Ropes are coiled by Ada']);

  // Again without the index, so that everything comes from the ledger.
  for (const one of [ada, bob]) await poison(one, { rebuilt: true });
  await ada.edit(made.id, { title: 'Pages are cached by Ada' });
  for (const one of [ada, bob, ada]) await one.exchange();
  await agree([ada, bob], ['Pages are cached by Ada', 'Ropes are coiled by Ada']);
});

test('unshare and share again does not spread such a clock', { skip }, async (t) => {
  const server = await RealTeam.open(t, postgres);
  const [ada, bob] = await members(t, server, ['Ada', 'Bob']);
  const made = await ada.remember('Pages are cached');
  for (const one of [ada, bob]) await one.share();
  await server.sql('UPDATE tidemark.memory SET clock = $1', [HUGE]);
  await poison(ada);
  assert.match((await ada.machine.cli(['unshare', '.', '--yes'])).stdout, /no longer shared/);
  const [row] = await server.sql('SELECT clock FROM tidemark.tombstone WHERE id = $1', [made.id]);
  assert.ok(Number(row?.['clock']) < Date.now() + 60_000, String(row?.['clock']));
  await bob.exchange();
  await healthy(bob);
  assert.equal(await bob.entry(made.id), undefined);
  await ada.share();
  await bob.exchange();
  await agree([ada, bob], ['Pages are cached']);
});

test('an unreadable change is shown, skipped, and taken in once it can be read', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const [ada, bob] = await members(t, server, ['Ada', 'Bob']);
  const broken = await ada.remember('Of a newer version');
  await ada.share();
  await ada.remember('Readable');
  await ada.exchange();
  server.rewrites = (change) =>
    change.op === 'put' && change.entry.id === broken.id
      ? { ...change, entry: { ...change.entry, kind: 'vision' } }
      : change;
  await bob.share();
  await healthy(bob);
  assert.deepEqual(await titles(bob), ['Readable']);
  assert.deepEqual(
    (await bob.team()).projects[0]?.skipped.map(({ id }) => id),
    [broken.id],
  );
  const shown = await bob.machine.cli(['team']);
  assert.match(shown.stdout, /1 change from the team skipped/);
  assert.match(shown.stdout, new RegExp(`${broken.id}: entry\\.kind`));
  assert.match((await bob.machine.cli(['doctor'])).stdout, /1 change from the team skipped/);
  assert.match(bob.machine.logs(), /changes of the team cannot be read/);

  server.rewrites = undefined;
  await bob.exchange();
  await agree([ada, bob], ['Of a newer version', 'Readable']);
  assert.doesNotMatch((await bob.machine.cli(['team'])).stdout, /skipped/);
});

async function members<const N extends readonly string[]>(
  t: Parameters<typeof Member.open>[0],
  server: RealTeam | TeamServerStandIn,
  names: N,
): Promise<{ [K in keyof N]: Member }> {
  const made: Member[] = [];
  for (const name of names) made.push(await Member.open(t, server, await server.member(name)));
  return made as { [K in keyof N]: Member }; // one for each name
}

async function onlyProject(server: RealTeam, key: string): Promise<string> {
  const { projects } = await server.raw<ProjectPage>(key, 'GET', '/v1/projects');
  assert.equal(projects.length, 1);
  return projects[0]?.id ?? '';
}

/** Sets every recorded clock out of bounds, and records an outgoing edit with a clock too large to read. */
async function poison(member: Member, { rebuilt = false } = {}): Promise<void> {
  const { machine } = member;
  await machine.killDaemons();
  for (const path of filesOf(machine, 'records')) {
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean).map(poisoned);
    writeFileSync(path, `${lines.join('\n')}\n`);
  }
  if (rebuilt) rmSync(indexFile(machine));
  else {
    const index = new DatabaseSync(indexFile(machine));
    index.exec(`UPDATE exchanged SET clock = ${HUGE};
      INSERT OR REPLACE INTO outgoing SELECT remote, memory, 'put', ${BEYOND}, machine, hash FROM exchanged`);
    index.close();
  }
  await machine.up();
}

function poisoned(line: string): string {
  const record = JSON.parse(line) as { kind: string };
  if (record.kind === 'exchanged') return JSON.stringify({ ...record, clock: HUGE });
  return record.kind === 'outbox' ? JSON.stringify({ ...record, clock: Number(BEYOND) }) : line;
}

async function healthy(member: Member): Promise<void> {
  const { problem, waiting, projects } = await member.team();
  assert.equal(problem, null, member.name);
  assert.deepEqual([waiting, projects.flatMap(({ refused }) => refused)], [0, []], member.name);
}

async function agree(all: readonly Member[], wanted: readonly string[]): Promise<void> {
  for (const one of all) {
    await healthy(one);
    assert.deepEqual(await titles(one), [...wanted].toSorted(), one.name);
  }
}

async function titles(member: Member): Promise<readonly string[]> {
  return (await member.memories()).map(({ title }) => title).toSorted();
}

function clockOf(change: Change): number {
  return change.op === 'put' ? change.entry.version.clock : change.version.clock;
}
