import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { bash, edit, sampleTurn } from '../../test/support/sample-turn.ts';
import { placesIn, type StoredTurn } from '../core/index.ts';
import { localDistiller, type Distiller } from '../distill/index.ts';
import type { Stores } from '../memory/index.ts';
import { openStores } from './open-stores.ts';
import { storeTurns } from './store-turn.ts';

const PROJECT = 'engine-abc12';

const reported = at(1, {
  prompt: 'two couriers got the same slot, this is wrong',
  answer: 'Fixed. The reservation is now guarded by a `sync.Mutex` in the service.',
  tools: [edit('/home/ada/engine/reserve.go'), { ...bash('go test ./...'), output: 'ok  lockerd 1.2s' }],
});
const rejected = at(2, { prompt: 'nope, still happens with two replicas', answer: 'I will look again.' });

for (const [how, batches] of [
  ['in one import', [[reported, rejected]]],
  ['turn by turn', [[reported], [rejected]]],
] as const) {
  test(`a fix that the user rejects in the next turn is not current, captured ${how}`, async (t) => {
    const stores = await opened(t);
    for (const turns of batches) await storeTurns(stores, localDistiller, turns, { project: PROJECT });
    const states = () =>
      stores.index.memoriesBy({ project: PROJECT, limit: 10 }).map(({ kind, state }) => [kind, state]);
    assert.deepEqual(states(), [['bugfix', 'superseded']]);
    for (const turns of batches) await storeTurns(stores, localDistiller, turns, { project: PROJECT });
    assert.deepEqual(states(), [['bugfix', 'superseded']], 'storing it again changes nothing');
  });
}

test('a failed turn that goes on is distilled again, with its work', async (t) => {
  const stores = await opened(t);
  const failed = { ...reported, outcome: 'failed', answer: 'API Error: overloaded' } as const;
  for (const turn of [failed, reported])
    await storeTurns(stores, localDistiller, [turn], { project: PROJECT });
  assert.deepEqual(
    stores.index.memoriesBy({ project: PROJECT, limit: 10 }).map(({ kind }) => kind),
    ['bugfix'],
  );
});

test('the first turn that ends a memory is the one that ended it, in one import or turn by turn', async (t) => {
  const again = at(3, { prompt: 'nope, it still fails', answer: 'You are right, reverted.' });
  const ended = async (batches: readonly (readonly StoredTurn[])[]) => {
    const stores = await opened(t);
    for (const turns of batches) await storeTurns(stores, endsAll, turns, { project: PROJECT });
    return stores.index.memoriesBy({ project: PROJECT, limit: 10 }).map((memory) => memory.ended);
  };
  const [together, apart] = [
    await ended([[reported], [rejected, again]]),
    await ended([[reported], [rejected], [again]]),
  ];
  assert.deepEqual(together, apart);
  assert.equal(together[0]?.turn, 'turn-2');
});

/** The rules, and a turn after the first ends all that is related to it. */
const endsAll: Distiller = {
  name: localDistiller.name,
  distill: async (input, signal) =>
    input.turn.id === reported.id
      ? localDistiller.distill(input, signal)
      : { operations: input.related.map(({ id }) => ({ op: 'end', id })) },
};

function at(n: number, parts: Partial<StoredTurn>): StoredTurn {
  const startedAt = `2026-03-02T10:0${n}:00.000Z`;
  return sampleTurn({ id: `turn-${n}`, messages: [`turn-${n}`], startedAt, endedAt: startedAt, ...parts });
}

async function opened(t: TestContext): Promise<Stores> {
  const home = mkdtempSync(join(tmpdir(), 'store-turn-'));
  const { stores } = await openStores(placesIn(home));
  t.after(async () => {
    await stores.journal.close();
    await Promise.all([stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
    rmSync(home, { recursive: true, force: true });
  });
  return stores;
}
