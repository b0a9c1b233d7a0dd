import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openStores } from '../capture/index.ts';
import { memoryId, placesIn, type Memory } from '../core/index.ts';
import { addMemories } from './add-memories.ts';
import { forgetMemories, sweepForgotten, unforget } from './forget.ts';
import { listTrash } from './trash.ts';

const NOON = new Date('2026-11-16T12:00:00.000Z');
const hoursLater = (hours: number): Date => new Date(NOON.getTime() + hours * 3_600_000);

const TITLES = [
  'Invoices are numbered without gaps',
  'Uploads over 50 MB go to the object store',
  'The nightly report runs at four',
];

async function open(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'trash-'));
  const places = placesIn(home);
  const { stores } = await openStores(places);
  t.after(async () => {
    await stores.journal.close();
    await Promise.all([stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
    rmSync(home, { recursive: true, force: true });
  });
  const memories = TITLES.map((title, i): Memory => {
    const at = `2026-11-16T10:0${i}:00.000Z`;
    return {
      id: memoryId(at, `turn-${i}`, 'decision', 0),
      kind: 'decision',
      title,
      body: '',
      facts: [],
      concepts: [],
      files: [],
      project: 'shop-abc12',
      at,
      state: 'current',
      provenance: { agent: 'claude-code', session: 's1', turn: `turn-${i}`, messages: [], by: 'local' },
    };
  });
  await addMemories(stores, memories, []);
  return { stores, places, ids: memories.map(({ id }) => id) };
}

test('the trash lists what was forgotten in the last 24 hours, newest first, with the time of erasure', async (t) => {
  const { stores, places, ids } = await open(t);
  for (const [i, id] of ids.entries()) await forgetMemories(stores, places, [id], { at: hoursLater(i) });
  const trash = await listTrash(stores.index, places, { now: hoursLater(3), limit: 2 });
  assert.deepEqual([trash.total, trash.memories.length], [3, 2]);
  const [newest] = trash.memories;
  assert.equal(newest?.memory.title, TITLES[2]);
  assert.deepEqual(
    [newest?.forgottenAt, newest?.erasedAt],
    [hoursLater(2).toISOString(), hoursLater(26).toISOString()],
  );
});

test('a memory that was restored, erased or is a day old is not in the trash', async (t) => {
  const { stores, places, ids } = await open(t);
  const [restored = '', erased = '', old = ''] = ids;
  await forgetMemories(stores, places, [restored, old], { at: NOON });
  await forgetMemories(stores, places, [erased], { at: NOON, erase: true });
  await unforget(stores, places, [restored], hoursLater(1));
  const titles = async (now: Date) =>
    (await listTrash(stores.index, places, { now, limit: 10 })).memories.map(({ memory }) => memory.title);
  assert.deepEqual(await titles(hoursLater(2)), [TITLES[2]]);
  assert.deepEqual(await titles(hoursLater(24)), []);
  await sweepForgotten(stores, places, hoursLater(24));
  await assert.rejects(unforget(stores, places, [old], hoursLater(24)), { code: 'not-found' });
});
