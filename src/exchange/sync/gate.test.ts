import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edit, entry, team } from '../../../test/support/played-team.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-15T10:00:00.000Z');
const RULES = { delayMs: 30 * MINUTE };

function waitingTeam() {
  const { server, ada, bob } = team();
  ada.rules = RULES;
  return { server, ada, bob, onServer: () => server.standIn.entries() };
}

test('a new entry waits, and leaves after the delay', async () => {
  const { ada, onServer } = waitingTeam();
  const made = entry('1');
  ada.store.write(made);
  const first = await ada.exchange(START);
  assert.deepEqual(first.local, {
    delayed: [{ id: made.id, until: '2026-11-15T10:30:00.000Z' }],
    held: [],
  });
  assert.deepEqual([first.sent, first.waiting, onServer().length], [0, 0, 0]);
  assert.equal((await ada.exchange(START + 29 * MINUTE)).sent, 0);
  const last = await ada.exchange(START + 30 * MINUTE);
  assert.deepEqual([last.sent, onServer().length, last.local?.delayed], [1, 1, []]);
});

test('the wait begins when the entry is noticed; an edit does not start it again', async () => {
  const { ada } = waitingTeam();
  const made = entry('1');
  ada.store.write(made);
  await ada.exchange(START);
  edit(ada.store, made.id, 'A better title');
  const { local } = await ada.exchange(START + 20 * MINUTE);
  assert.equal(local?.delayed[0]?.until, '2026-11-15T10:30:00.000Z');
  assert.equal((await ada.exchange(START + 31 * MINUTE)).sent, 1);
});

test('a shorter delay takes effect for entries that wait', async () => {
  const { ada } = waitingTeam();
  ada.store.write(entry('1'));
  await ada.exchange(START);
  ada.rules = { ...RULES, delayMs: MINUTE };
  assert.equal((await ada.exchange(START + 2 * MINUTE)).sent, 1);
});

test('an edit of a shared entry, and forgetting it, do not wait', async () => {
  const { ada, onServer } = waitingTeam();
  const made = entry('1');
  ada.store.write(made);
  ada.rules = { ...RULES, delayMs: 0 };
  await ada.exchange(START);
  ada.rules = RULES;
  edit(ada.store, made.id, 'Edited');
  assert.equal((await ada.exchange(START + 1)).sent, 1);
  ada.store.forget(made.id, 'erased');
  assert.equal((await ada.exchange(START + 2)).sent, 1);
  assert.equal(onServer()[0]?.op, 'tombstone');
});

test('an entry that is forgotten while it waits never leaves', async () => {
  const { ada, onServer } = waitingTeam();
  const made = entry('1');
  ada.store.write(made);
  await ada.exchange(START);
  ada.store.forget(made.id, 'hidden');
  assert.equal((await ada.exchange(START + 60 * MINUTE)).sent, 0);
  assert.deepEqual(onServer(), []);
});

test('an entry that the user holds back stays; one that the team has is withdrawn', async () => {
  const { ada, onServer } = waitingTeam();
  const [kept, taken] = [entry('1'), entry('2')];
  ada.rules = { ...RULES, delayMs: 0 };
  ada.store.write(taken);
  await ada.exchange(START);
  ada.store.write(kept);
  for (const { id } of [kept, taken])
    ada.store.choices.set(id, { state: 'held', at: new Date(START).toISOString() });
  const { local, sent } = await ada.exchange(START + MINUTE);
  assert.deepEqual(
    local?.held.map(({ why }) => why),
    ['held back by you', 'held back by you'],
  );
  assert.equal(sent, 1);
  assert.deepEqual(
    onServer().map(({ op }) => op),
    ['withdraw'],
  );
  assert.equal((await ada.exchange(START + 2 * MINUTE)).sent, 0, 'it is withdrawn once');
  ada.store.choices.set(taken.id, { state: 'released', at: new Date(START).toISOString() });
  assert.equal((await ada.exchange(START + 3 * MINUTE)).sent, 1);
  assert.deepEqual(
    onServer().map(({ op }) => op),
    ['put'],
  );
});

test('an entry that the user shares leaves at once, without a wait', async () => {
  const { ada } = waitingTeam();
  const made = entry('1');
  ada.store.write(made);
  ada.store.choices.set(made.id, { state: 'released', at: new Date(START).toISOString() });
  assert.equal((await ada.exchange(START + 1)).sent, 1);
});

test('entries of a confirmed preview do not wait, also when the server was away', async () => {
  const { server, ada, onServer } = waitingTeam();
  ada.store.write(entry('1'));
  ada.rules = { ...RULES, confirmed: true };
  server.isAway = true;
  await assert.rejects(ada.exchange(START));
  server.isAway = false;
  ada.rules = RULES;
  ada.store.write(entry('2'));
  const { sent, local } = await ada.exchange(START + MINUTE);
  assert.deepEqual([sent, local?.delayed.length, onServer().length], [1, 1, 1]);
});

test('a wait that began offline counts', async () => {
  const { server, ada } = waitingTeam();
  ada.store.write(entry('1'));
  server.isAway = true;
  await assert.rejects(ada.exchange(START));
  server.isAway = false;
  assert.equal((await ada.exchange(START + 30 * MINUTE)).sent, 1);
});

test('entries of others are not held up', async () => {
  const { ada, bob } = waitingTeam();
  const made = entry('1', 'Fact');
  bob.store.write(made);
  bob.store.choices.set(made.id, { state: 'released', at: new Date(START).toISOString() });
  await bob.exchange(START);
  await ada.exchange(START + 1);
  edit(ada.store, made.id, 'Fact, edited');
  assert.equal((await ada.exchange(START + 2)).sent, 1);
});

test('kinds that the team never gets stay, even if the user shares them', async () => {
  const { ada, onServer } = waitingTeam();
  ada.rules = { ...RULES, delayMs: 0, neverKinds: ['decision'] };
  const made = entry('1');
  ada.store.write(made);
  ada.store.choices.set(made.id, { state: 'released', at: new Date(START).toISOString() });
  const { local, sent } = await ada.exchange(START);
  assert.deepEqual(local?.held, [{ id: made.id, why: 'your team shares no entries of the kind decision' }]);
  assert.deepEqual([sent, onServer().length], [0, 0]);
});
