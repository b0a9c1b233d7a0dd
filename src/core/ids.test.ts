import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ID_PATTERN, memoryId, timeOfId } from './ids.ts';

const AT = '2026-11-15T14:32:05.123Z';

test('the same turn, kind and ordinal give the same id', () => {
  assert.equal(memoryId(AT, 'turn', 'decision', 0), memoryId(AT, 'turn', 'decision', 0));
  assert.match(memoryId(AT, 'turn', 'decision', 0), ID_PATTERN);
});

test('another turn, kind or ordinal gives another id', () => {
  const ids = [
    memoryId(AT, 'turn', 'decision', 0),
    memoryId(AT, 'other', 'decision', 0),
    memoryId(AT, 'turn', 'bugfix', 0),
    memoryId(AT, 'turn', 'decision', 1),
  ];
  assert.equal(new Set(ids).size, ids.length);
});

test('ids sort by time and tell it to the second', () => {
  const early = memoryId('2026-11-15T14:32:05Z', 'a', 'issue', 0);
  const late = memoryId('2026-11-15T14:32:06Z', 'a', 'issue', 0);
  assert.ok(early < late);
  assert.equal(timeOfId(early).toISOString(), '2026-11-15T14:32:05.000Z');
});

test('what is no time is refused', () => {
  assert.throws(() => memoryId('yesterday', 't', 'issue', 0), RangeError);
});
