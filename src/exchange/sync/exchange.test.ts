import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlayedStore } from '../../../test/support/played-store.ts';
import { edit, entry, Machine, Played, PROJECT, team } from '../../../test/support/played-team.ts';
import { randomFrom, type Random } from '../../../test/support/random.ts';

const RUNS = process.env['TIDEMARK_TEST_LONG'] === '1' ? 1000 : 20;

test('an entry reaches the other members with its author, and their edit comes back', async () => {
  const { ada, bob } = team();
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange();
  await bob.exchange();
  const there = bob.store.entry(PROJECT, entry('1').id);
  assert.equal(there?.memory.author, 'ada');
  assert.equal(there?.home, 'ada-machine');
  bob.store.write({ ...there.memory, title: 'Tokens rotate on every use' });
  await bob.exchange();
  await ada.exchange();
  const back = ada.store.entry(PROJECT, entry('1').id);
  assert.equal(back?.memory.title, 'Tokens rotate on every use');
  assert.equal(back?.memory.author, undefined);
  assert.deepEqual(ada.store.replaced, []);
});

test('nothing is sent twice, and nothing comes back as a change', async () => {
  const { ada, bob } = team();
  ada.store.write(entry('1', 'Tokens rotate'));
  assert.equal((await ada.exchange()).sent, 1);
  await bob.exchange();
  for (const one of [ada, bob, ada, bob]) {
    const { sent, waiting } = await one.exchange();
    assert.deepEqual({ sent, waiting }, { sent: 0, waiting: 0 });
  }
});

test('of two concurrent edits the later wins, and the other text is recorded', async () => {
  const { ada, bob } = team();
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange();
  await bob.exchange();
  const { id } = entry('1');
  edit(ada.store, id, 'by Ada');
  edit(bob.store, id, 'by Bob');
  await ada.exchange(1_000);
  await bob.exchange(2_000);
  await ada.exchange(3_000);
  assert.equal(ada.store.here.get(id)?.memory.title, 'by Bob');
  assert.equal(bob.store.here.get(id)?.memory.title, 'by Bob');
  assert.deepEqual(
    bob.store.replaced.map(({ lost, text }) => [lost, text.title]),
    [['theirs', 'by Ada']],
  );
});

test('an edit that was noticed earlier is replaced by a later one that arrived first', async () => {
  const { ada, bob, server } = team();
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange();
  await bob.exchange();
  const { id } = entry('1');
  edit(bob.store, id, 'by Bob, offline');
  server.isAway = true;
  await assert.rejects(bob.exchange(1_000));
  server.isAway = false;
  edit(ada.store, id, 'by Ada, later');
  await ada.exchange(2_000);
  await bob.exchange(9_000);
  assert.equal(bob.store.here.get(id)?.memory.title, 'by Ada, later');
  assert.deepEqual(
    bob.store.replaced.map(({ lost, text, machine }) => [lost, text.title, machine]),
    [['ours', 'by Bob, offline', 'ada-machine']],
  );
});

test('a forgotten entry stays forgotten after any edit on another machine', async () => {
  const { ada, bob } = team();
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange();
  await bob.exchange();
  const { id } = entry('1');
  ada.store.forget(id, 'erased');
  await ada.exchange(1_000);
  edit(bob.store, id, 'by Bob, much later');
  await bob.exchange(99_000);
  await ada.exchange(100_000);
  assert.equal(ada.store.here.has(id), false);
  assert.equal(bob.store.here.has(id), false);
});

test('a hidden entry is withdrawn from the team and shared again when it is restored', async () => {
  const { ada, bob } = team();
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange();
  await bob.exchange();
  const { id } = entry('1');
  ada.store.forget(id, 'hidden');
  await ada.exchange(1_000);
  await bob.exchange(1_000);
  assert.equal(bob.store.here.has(id), false);
  ada.store.forgotten.delete(id);
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange(2_000);
  await bob.exchange(2_000);
  assert.equal(bob.store.here.get(id)?.memory.title, 'Tokens rotate');
});

test('a lost answer changes nothing, and a version is used for one text only', async () => {
  const { ada, bob, server } = team();
  const { id } = entry('1');
  ada.store.write(entry('1', 'Tokens rotate'));
  server.losesAnswers = true;
  await assert.rejects(ada.exchange(1_000));
  server.losesAnswers = false;
  edit(ada.store, id, 'Tokens rotate on every use');
  await ada.exchange(1_000);
  await bob.exchange(1_000);
  assert.equal(bob.store.here.get(id)?.memory.title, 'Tokens rotate on every use');
  assert.deepEqual(ada.store.replaced, []);
});

test('a lost cursor brings nothing back and changes nothing', async () => {
  const { ada, bob } = team();
  ada.store.write(entry('1', 'Tokens rotate'));
  ada.store.write(entry('2', 'Cookies are strict'));
  await ada.exchange();
  await bob.exchange();
  bob.store.here.delete(entry('2').id); // out of the file by hand
  bob.store.loseCursor();
  await bob.exchange();
  await ada.exchange();
  assert.deepEqual([...bob.store.here.keys()], [entry('1').id]);
  assert.equal(ada.store.here.size, 2);
});

test('an entry that the server refuses does not block the others', async () => {
  const { ada, server } = team();
  server.standIn.refuses = /unwanted/;
  for (const n of ['1', '2', '3', '4', '5']) ada.store.write(entry(n, n === '3' ? 'unwanted' : `Fact ${n}`));
  const { sent, refused, waiting } = await ada.exchange();
  assert.deepEqual([sent, waiting, refused.map(({ id }) => id)], [4, 1, [entry('3').id]]);
});

test('an entry that is being edited comes again and does not block the others', async () => {
  const { ada, bob } = team();
  for (const n of ['1', '2', '3']) ada.store.write(entry(n, `Fact ${n}`));
  await ada.exchange();
  bob.store.busy.add(entry('2').id);
  await bob.exchange();
  assert.equal(bob.store.here.size, 2);
  bob.store.busy.clear();
  await bob.exchange();
  assert.equal(bob.store.here.size, 3);
});

test('a reader receives entries and sends nothing', async () => {
  const { ada, bob, server } = team();
  ada.store.write(entry('1', 'Tokens rotate'));
  await ada.exchange();
  bob.store.write(entry('2', 'mine'));
  server.refusesWriting = true;
  for (const access of [undefined, 'read'] as const) {
    server.access = access;
    server.pushes = 0;
    const { mayNotWrite, waiting, sent } = await bob.exchange(1_000);
    assert.deepEqual({ mayNotWrite, waiting, sent }, { mayNotWrite: true, waiting: 1, sent: 0 });
    assert.equal(server.pushes, access === 'read' ? 0 : 1, 'only an older server has to refuse it');
  }
  assert.equal(bob.store.here.size, 2);
  assert.equal(server.standIn.entries().length, 1);
});

test(`five machines end with the same entries after random changes (${RUNS} runs)`, async () => {
  for (let seed = 1; seed <= RUNS; seed++) await converge(seed);
});

async function converge(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const server = new Played();
  const machines = ['ada', 'bob', 'cy', 'dee', 'eve'].map((name) => new Machine(name, server));
  let now = 1;
  let made = 0;
  for (let step = 0; step < 60; step++) {
    const machine = machines[random.below(machines.length)]!;
    now += random.below(3); // clocks may agree
    act(machine, random, () => `${++made}`);
    server.losesAnswers = random.below(10) === 0;
    if (random.below(3) === 0) await machine.exchange(now).catch(() => {});
    if (random.below(20) === 0) machine.store.loseCursor();
  }
  server.losesAnswers = false;
  for (let round = 0; round < 3; round++) {
    for (const machine of random.shuffle(machines)) await machine.exchange(++now);
  }
  const [first, ...others] = machines.map(({ store }) => picture(store));
  for (const other of others) assert.deepEqual(other, first, `seed ${seed}`);
}

function act({ store, name }: Machine, random: Random, next: () => string): void {
  const ids = [...store.here.keys()].toSorted();
  const [id] = random.shuffle(ids);
  if (id === undefined || random.below(3) === 0) {
    const n = next();
    return store.write(entry(n, `Fact ${n} by ${name}`));
  }
  if (random.below(5) === 0) return store.forget(id, 'erased');
  edit(store, id, `edited by ${name} ${random.below(1000)}`);
}

function picture(store: PlayedStore): readonly unknown[] {
  return [...store.here.values()]
    .map(({ memory: entry }) => {
      const { author: _, ...memory } = entry;
      return memory;
    })
    .toSorted((a, b) => a.id.localeCompare(b.id));
}
