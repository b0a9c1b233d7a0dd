import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FIXTURE_MEMORIES, NOW, PROJECT, fixtureIndex, idOf } from '../../../test/support/recall-fixture.ts';
import { timeline } from './timeline.ts';

const index = fixtureIndex();
after(() => index.close());

const titles = FIXTURE_MEMORIES.map(({ title }) => title);

test('around a memory: the memories before and after it, in order', () => {
  const found = timeline(index, { around: idOf('Failed webhook'), now: NOW, before: 2, after: 1 });
  assert.equal(found?.anchor?.title, titles[4]);
  assert.deepEqual(
    found?.before.map(({ title }) => title),
    titles.slice(2, 4),
  );
  assert.deepEqual(
    found?.after.map(({ title }) => title),
    titles.slice(5, 6),
  );
});

test('around a date', () => {
  const found = timeline(index, { around: '2026-11-12', now: NOW, project: PROJECT, before: 1, after: 2 });
  assert.equal(found?.anchor, undefined);
  assert.deepEqual(
    found?.before.map(({ title }) => title),
    titles.slice(2, 3),
  );
  assert.deepEqual(
    found?.after.map(({ title }) => title),
    titles.slice(3, 5),
  );
});

test('if one side has fewer, the other gets more', () => {
  const found = timeline(index, { around: '2020-01-01', now: NOW, project: PROJECT, before: 2, after: 2 });
  assert.deepEqual(found?.before, []);
  assert.equal(found?.after.length, 4);
});

test('undefined for neither a memory nor a date', () => {
  assert.equal(timeline(index, { around: 'zzzz', now: NOW }), undefined);
});
