import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edit, entry, PROJECT, team, type Machine } from '../../../test/support/played-team.ts';
import { CLOCK_MARGIN_MS, clockStoredAt, latestClock } from './clocks.ts';
import { nextVersion } from './outbox.ts';

const HUGE = Number.MAX_SAFE_INTEGER;
const NOW = Date.parse('2026-11-15T10:00:00.000Z');
const { id } = entry('1');

test('a clock is valid up to a day ahead, and always a safe integer', () => {
  assert.equal(latestClock(NOW), NOW + CLOCK_MARGIN_MS);
  assert.equal(latestClock(HUGE), HUGE);
  assert.equal(clockStoredAt(NOW + CLOCK_MARGIN_MS, NOW), NOW + CLOCK_MARGIN_MS);
  assert.equal(clockStoredAt(NOW + CLOCK_MARGIN_MS + 1, NOW), NOW);
  assert.equal(clockStoredAt(2 ** 53, NOW), NOW);
});

test('a new version follows every valid version and ignores clocks out of bounds', () => {
  const at = (clock: number) => ({ version: { clock, machine: 'a' } });
  const clock = { machine: 'b', now: () => new Date(NOW) };
  assert.equal(nextVersion(at(NOW + 5), undefined, clock).clock, NOW + 6);
  assert.equal(nextVersion(at(HUGE), at(HUGE), clock).clock, NOW);
  assert.equal(nextVersion(at(HUGE), at(NOW + 7), clock).clock, NOW + 8);
});

test('a machine that is years ahead sends its edits with the time of the server', async () => {
  const { ada, bob, server } = team();
  server.latest = latestClock(NOW);
  const ahead = Date.parse('2093-01-01T00:00:00.000Z');
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange(ahead);
  assert.deepEqual(clocksOf(server), [NOW]);
  await bob.exchange(NOW);
  edit(bob.store, id, 'by Bob, later');
  await bob.exchange(NOW + 1000);
  await ada.exchange(ahead);
  assert.equal(titleAt(ada), 'by Bob, later');
});

test('a machine that is years behind can still change entries of others', async () => {
  const { ada, bob, server } = team();
  server.latest = latestClock(NOW);
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange(NOW);
  await bob.exchange(1_000);
  edit(bob.store, id, 'by Bob');
  assert.equal((await bob.exchange(2_000)).sent, 1);
  await ada.exchange(NOW + 1000);
  assert.equal(titleAt(ada), 'by Bob');
});

test('a server that does not bound clocks does not stop the exchange, and later edits replace the text', async () => {
  const { ada, bob, server } = team();
  const { standIn, remote } = server;
  const mallory = standIn.member('mallory');
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange(NOW);
  const [known] = standIn.entries();
  assert.ok(known?.op === 'put');
  const hostile = { ...known.entry, title: 'hostile', version: { clock: HUGE, machine: 'm' } };
  const own = { ...hostile, id: entry('2').id };
  const changes = [hostile, own].map((one) => ({ op: 'put' as const, entry: one }));
  standIn.push(mallory, remote, { changes, idempotencyKey: 'hostile-1' });
  standIn.withdrawAll(mallory, remote); // stored with 2^53, as the delete route of such a server does
  ada.store.write(entry('3', 'Cookies are strict'));
  await ada.exchange(NOW + 1000);
  await bob.exchange(NOW + 1000);
  for (const one of [ada, bob])
    assert.deepEqual(
      [...one.store.here.values()].map(({ memory }) => memory.title).toSorted(),
      ['Cookies are strict', 'hostile'],
      one.name,
    );

  // The server is updated: it sends the time it stored the row.
  standIn.rewrites = (change) =>
    change.op === 'put' && change.entry.version.clock === HUGE
      ? { ...change, entry: { ...change.entry, version: { clock: NOW + 500, machine: 'm' } } }
      : change;
  for (const one of [ada, bob]) one.store.loseCursor();
  edit(bob.store, id, 'by Bob, later');
  await bob.exchange(NOW + 2000);
  await ada.exchange(NOW + 2000);
  assert.equal(titleAt(bob), 'by Bob, later');
  const version = bob.store.isOnItsWay(remote, id)?.version ?? bob.store.agreedOn(remote, id)?.version;
  assert.equal(version?.clock, NOW + 2000, 'a version that an updated server accepts');
});

test('a machine that recorded clocks out of bounds recovers with its next exchange', async () => {
  const { ada, bob, server } = team();
  server.latest = latestClock(NOW + 10_000);
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange(NOW);
  await bob.exchange(NOW);
  const poison = { version: { clock: HUGE, machine: 'm' }, memory: id, hash: '' };
  for (const { store } of [ada, bob]) {
    const known = store.agreedOn(server.remote, id);
    assert.ok(known);
    await store.note(server.remote, [{ kind: 'agreed', ...known, version: poison.version }]);
  }
  edit(ada.store, id, 'by Ada');
  await ada.store.note(server.remote, [{ kind: 'on its way', ...poison, action: 'put', hash: 'other' }]);
  await ada.exchange(NOW + 1000);
  await bob.exchange(NOW + 2000);
  edit(bob.store, id, 'by Bob, later');
  await bob.exchange(NOW + 3000);
  await ada.exchange(NOW + 4000);
  assert.deepEqual([titleAt(ada), titleAt(bob)], ['by Bob, later', 'by Bob, later']);
  assert.deepEqual(clocksOf(server), [NOW + 3000]);
});

test('an unreadable change is recorded, skipped, and taken in once it can be read', async () => {
  const { ada, bob, server } = team();
  for (const n of ['1', '2', '3', '4']) ada.store.write(entry(n, `Fact ${n}`));
  await ada.exchange(NOW);
  const broken: Readonly<Record<string, (change: object) => unknown>> = {
    [entry('1').id]: (change) => ({ ...change, op: 'paint' }),
    [entry('2').id]: (change) => ({ ...change, entry: { id: entry('2').id, kind: 'vision' } }),
    [entry('3').id]: () => 'no row at all',
  };
  server.standIn.rewrites = (change) =>
    change.op === 'put' ? (broken[change.entry.id]?.(change) ?? change) : change;
  const first = await bob.exchange(NOW);
  assert.deepEqual([...bob.store.here.keys()], [entry('4').id]);
  assert.equal(first.newlySkipped.length, 3);
  assert.match(first.newlySkipped[1]?.reason ?? '', /kind/);
  assert.equal(bob.store.cursor(), 4, 'the cursor goes on');
  assert.equal((await bob.exchange(NOW)).newlySkipped.length, 0, 'and each is new once');
  assert.equal(bob.store.skipped().length, 3);

  edit(ada.store, entry('1').id, 'Fact 1, changed'); // comes with a new number
  await ada.exchange(NOW + 1000);
  server.standIn.rewrites = undefined; // the others are readable under their old numbers
  await bob.exchange(NOW + 2000);
  assert.deepEqual(bob.store.skipped(), []);
  assert.deepEqual([...bob.store.here.values()].map(({ memory }) => memory.title).toSorted(), [
    'Fact 1, changed',
    'Fact 2',
    'Fact 3',
    'Fact 4',
  ]);
});

test('every unreadable change is asked for again in turn', async () => {
  const { ada, bob, server } = team();
  const all = Array.from({ length: 25 }, (_, n) => `${n}`);
  for (const n of all) ada.store.write(entry(n));
  await ada.exchange(NOW);
  server.standIn.rewrites = ({ seq }) => ({ seq });
  await bob.exchange(NOW);
  assert.equal(bob.store.skipped().length, all.length);
  await bob.exchange(NOW); // ten were retried and go to the end of the list
  server.standIn.rewrites = undefined;
  for (const left of [15, 5, 0]) {
    await bob.exchange(NOW);
    assert.equal(bob.store.skipped().length, left);
  }
  assert.equal(bob.store.here.size, all.length);
});

function titleAt({ store }: Machine): string | undefined {
  return store.entry(PROJECT, id)?.memory.title;
}

function clocksOf({ standIn }: ReturnType<typeof team>['server']): readonly number[] {
  return standIn.entries().map((one) => (one.op === 'put' ? one.entry.version.clock : one.version.clock));
}
