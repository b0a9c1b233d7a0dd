import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryId } from '../ids.ts';
import { isMeantBy, shortId } from './short-id.ts';

test('short ids of the same second differ in their first characters', () => {
  const ids = Array.from({ length: 20 }, (_, i) => memoryId('2026-11-15T14:32:05Z', `t${i}`, 'decision', 0));
  const starts = new Set(ids.map((id) => shortId(id).slice(0, 3)));
  assert.equal(starts.size, ids.length);
});

test('a text that is no memory id has no short form', () => {
  assert.equal(shortId('1ja0p3h7k2m9qx'), '7k2m9qx');
  assert.equal(shortId('fresh'), 'fresh');
});

test('an id is meant by the full id, the short id, and a beginning of either', () => {
  for (const text of ['1ja0p3h7k2m9qx', '1ja0p', '7k2m9qx', '7k2m9'])
    assert.ok(isMeantBy('1ja0p3h7k2m9qx', text));
  for (const text of ['', 'k2m9qx', '7k2m', '7K2M9QX', '7k2m9qxx'])
    assert.ok(!isMeantBy('1ja0p3h7k2m9qx', text), text);
});
