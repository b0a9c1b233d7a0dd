import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fakeSmallModel } from '../../../test/support/fake-small-model.ts';
import { sampleTurn } from '../../../test/support/sample-turn.ts';
import { openStores, storeTurn } from '../../capture/index.ts';
import { placesIn, SMALL_MAKER, type StoredTurn } from '../../core/index.ts';
import type { Stores } from '../../memory/index.ts';
import { localDistiller } from '../rules/local.ts';
import { keepTurn, prepareKeep, storeKept } from './keep-turn.ts';

const MODEL = fakeSmallModel({ Memcached: 'decision' });
const TURN = sampleTurn({
  prompt: 'we no longer use Redis for sessions, Memcached instead',
  answer: 'I will look at the export.',
});
const SIGNAL = new AbortController().signal;

async function withTurn(t: TestContext, turn: StoredTurn): Promise<Stores> {
  const home = mkdtempSync(join(tmpdir(), 'keep-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { stores } = await openStores(placesIn(home));
  t.after(() => stores.index.close());
  await storeTurn(stores, localDistiller, turn, { project: 'engine-abc12' });
  return stores;
}

test('a kept turn has the memories of the small model, and keeping it again changes nothing', async (t) => {
  const stores = await withTurn(t, TURN);
  for (const _ of [1, 2]) {
    const kept = await keepTurn(stores, MODEL, TURN.id, new Date(), SIGNAL);
    assert.equal(kept.kind, 'kept');
    assert.equal(stores.index.distilledBy(TURN.id), SMALL_MAKER);
    const live = stores.index.memoriesBy({ turn: TURN.id, state: ['current', 'open'], limit: 9 });
    assert.deepEqual(
      live.map(({ kind, provenance }) => [kind, provenance.by]),
      [['decision', SMALL_MAKER]],
    );
  }
});

test('a trivial turn is marked, so that it is not read again', async (t) => {
  const turn = sampleTurn({ prompt: 'thanks!', answer: 'You are welcome.' });
  const stores = await withTurn(t, turn);
  const kept = await keepTurn(stores, MODEL, turn.id, new Date(), SIGNAL);
  assert.deepEqual(kept, { kind: 'passed', reason: 'trivial' });
  assert.equal(stores.index.distilledBy(turn.id), SMALL_MAKER);
});

test('a turn that another tool made memories of is left alone', async (t) => {
  const stores = await withTurn(t, TURN);
  stores.index.markDistilled(TURN.id, 'claude-mem');
  const kept = await keepTurn(stores, MODEL, TURN.id, new Date(), SIGNAL);
  assert.deepEqual(kept, { kind: 'passed', reason: 'other' });
});

test('nothing is stored for a turn that changed while the model read it', async (t) => {
  const stores = await withTurn(t, TURN);
  const prepared = await prepareKeep(stores, TURN.id, new Date());
  assert.ok(prepared.kind === 'ask');
  const longer = { ...TURN, answer: `${TURN.answer} It streams its rows now.` };
  await storeTurn(stores, localDistiller, longer, { project: 'engine-abc12' });
  const stored = await storeKept(stores, prepared, { operations: [] }, new Date());
  assert.deepEqual(stored, { kind: 'passed', reason: 'changed' });
});
