import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleTurn } from '../../test/support/sample-turn.ts';
import { openStores, storeTurn } from '../capture/index.ts';
import { placesIn, type StoredTurn } from '../core/index.ts';
import { admissionOf, prepareTurn, storeImproved } from './improve.ts';
import { localDistiller } from './rules/local.ts';

test('a reply about a turn that changed meanwhile is not stored', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'improve-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { stores } = await openStores(placesIn(home));
  t.after(() => stores.index.close());
  const turn = sampleTurn({
    prompt: 'we no longer use Redis for sessions, Memcached instead',
    answer: 'I will look at the export.',
  });
  await storeTurn(stores, localDistiller, turn, { project: 'engine-abc12' });
  const prepared = await prepareTurn(stores, turn.id);
  assert.ok(prepared.kind === 'ask');
  const longer = { ...turn, answer: `${turn.answer} It streams its rows now.` };
  await storeTurn(stores, localDistiller, longer, { project: 'engine-abc12' });
  assert.equal(await storeImproved(stores, prepared, [], 'claude', new Date()), undefined);
  assert.equal(stores.index.distilledBy(turn.id), localDistiller.name);
});

test('a short prompt is asked about if it answers a question or makes a choice', () => {
  const asked = sampleTurn({ prompt: 'Which level?', answer: 'Level 9 or level 19?' });
  const compared = sampleTurn({ prompt: 'whats 9', answer: 'Level 9 takes 23 s, level 19 takes 213 s.' });
  const admitted = (prompt: string, previous: StoredTurn): boolean =>
    admissionOf(sampleTurn({ prompt, answer: 'Good.' }), previous).admitted;
  assert.ok(admitted('the first', asked));
  assert.ok(admitted('9 it is', compared));
  assert.ok(admitted('threads stay', compared));
  assert.ok(!admitted('thanks', compared));
});
