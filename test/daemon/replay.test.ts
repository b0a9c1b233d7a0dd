/** The same input gives the same memory, however often and in whatever order it comes. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { randomFrom } from '../support/random.ts';
import { stored } from '../support/stored.ts';
import { deliverAll, makeHistory } from './_history.ts';

const REPLAYS = 4;

test('the same events in any order give byte-identical exports with the same turns', async (t) => {
  const machine = Machine.open(t);
  const { events } = makeHistory(machine);
  const random = randomFrom(7);
  const takes = [];
  for (let i = 0; i <= REPLAYS; i++) {
    rmSync(machine.places.home, { recursive: true, force: true });
    await deliverAll(machine, i === 0 ? events : random.shuffle(events));
    takes.push(await stored(machine));
    await machine.stopDaemon();
  }
  const [first, ...others] = takes;
  assert.ok(first && first.memories.length >= 5, 'there is something to compare');
  assert.equal(first.turns.length, 6);
  for (const { text } of others) assert.equal(text, first.text);
});

test('the same events again into the same memory change nothing', async (t) => {
  const machine = Machine.open(t);
  const { events } = makeHistory(machine);
  await deliverAll(machine, events);
  const before = await stored(machine);
  const random = randomFrom(11);
  for (let i = 0; i < REPLAYS; i++) await deliverAll(machine, random.shuffle(events));
  const imported = await machine.json<{ turns: number }>('import', 'history');
  assert.equal(imported.turns, 0, 'an import finds nothing new');
  assert.equal((await stored(machine)).text, before.text);
});
