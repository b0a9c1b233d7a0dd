import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryId } from '../ids.ts';
import { isMeantBy, isWordOrYear, shortId } from './short-id.ts';

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
  for (const text of ['1ja0p3h7k2m9qx', '1ja0p', '7k2m9qx', '7k2m9', '7k2m'])
    assert.ok(isMeantBy('1ja0p3h7k2m9qx', text));
  for (const text of ['', 'k2m9qx', '7k2', '7K2M9QX', '7k2m9qxx'])
    assert.ok(!isMeantBy('1ja0p3h7k2m9qx', text), text);
});

test('where any text is possible, four letters are a word and four digits a year', () => {
  for (const text of ['jest', '2026']) assert.ok(isWordOrYear(text), text);
  for (const text of ['8es5', '7k2m9', 'tests']) assert.ok(!isWordOrYear(text), text);
});
