/** The same input gives the same memory, however often and in whatever order it comes. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { randomFrom } from '../support/random.ts';
import { readJournal, readTurnStore } from '../support/stores.ts';
import { makeHistory, spoolEvents } from './_history.ts';

const REPLAYS = 5;

test('the same events replayed in any order give byte-identical journals and the same turns', async (t) => {
  const machine = Machine.open(t);
  const { events } = makeHistory(machine);
  const random = randomFrom(7);
  const takes = [];
  for (let i = 0; i <= REPLAYS; i++) {
    rmSync(machine.places.home, { recursive: true, force: true });
    spoolEvents(machine, i === 0 ? events : random.shuffle(events));
    await machine.drained();
    takes.push({ journal: readJournal(machine.places), turns: turnsOf(machine) });
    await machine.stopDaemon();
  }
  const [first, ...others] = takes;
  assert.ok(first && first.journal.memories.length >= 5, 'there is something to compare');
  assert.equal(first.turns.length, 6);
  for (const take of others) {
    assert.deepEqual(take.turns, first.turns);
    assert.deepEqual([...take.journal.files], [...first.journal.files]);
  }
});

test('the same events again into the same stores change nothing', async (t) => {
  const machine = Machine.open(t);
  const { events } = makeHistory(machine);
  spoolEvents(machine, events);
  await machine.drained();
  const before = { journal: readJournal(machine.places).files, turns: readTurnStore(machine.places) };
  const random = randomFrom(11);
  for (let i = 0; i < REPLAYS; i++) {
    // New identities: the spool itself would drop the old ones.
    spoolEvents(machine, random.shuffle(events.map((event) => ({ ...event, id: `${event.id}-${i}` }))));
    await machine.drained();
  }
  const imported = await machine.cli(['import', 'history', '--json']);
  assert.equal((JSON.parse(imported.stdout) as { turns: number }).turns, 0, 'an import finds nothing new');
  assert.deepEqual([...readJournal(machine.places).files], [...before.journal]);
  assert.deepEqual(readTurnStore(machine.places), before.turns);
});

function turnsOf(machine: Machine): readonly string[] {
  return [...new Set(readTurnStore(machine.places).map(({ id }) => id))].toSorted();
}
