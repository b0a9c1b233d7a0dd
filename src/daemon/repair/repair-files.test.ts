import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeSmallModel } from '../../../test/support/fake-small-model.ts';
import { sampleTurn } from '../../../test/support/sample-turn.ts';
import { openStores, storeTurn } from '../../capture/index.ts';
import { placesIn } from '../../core/index.ts';
import { keepTurn, localDistiller } from '../../distill/index.ts';
import { rebuildEntries } from './repair-files.ts';

/** Another kind than that of the rules, so that the memory has another id. */
const MODEL = fakeSmallModel({ linter: 'decision' });

test('a lost day is rebuilt by rules, and the small model reads its turns again', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'repair-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const places = placesIn(home);
  const { stores } = await openStores(places);
  t.after(() => stores.index.close());
  const { index, journal } = stores;
  const turn = sampleTurn({ prompt: 'From now on always run the linter before you commit.', answer: 'Ok.' });
  const { memories } = await storeTurn(stores, localDistiller, turn, { project: 'engine-abc12' });
  const ids = memories.map(({ id }) => id);
  assert.equal(ids.length, 1);
  const read = await keepTurn(stores, MODEL, turn.id, new Date(), AbortSignal.timeout(10_000));
  assert.ok(read.kind === 'kept' && read.memories.length === 1);
  const lost = read.memories.map(({ id }) => id);
  assert.notDeepEqual(lost, ids);
  const files = journal.files().filter(({ path }) => path.includes('2026-03-01'));
  for (const { path } of files) rmSync(join(places.journal, path));
  index.removeMemories([...ids, ...lost]);

  await rebuildEntries(stores, files);
  assert.deepEqual(
    ids.map((id) => index.memory(id)?.provenance.by),
    [localDistiller.name],
  );
  assert.deepEqual(index.keepable(9), [turn.id]);

  const kept = await keepTurn(stores, MODEL, turn.id, new Date(), AbortSignal.timeout(10_000));
  assert.deepEqual(kept.kind === 'kept' && kept.memories.map(({ id }) => id), lost, 'none counts as deleted');
});
