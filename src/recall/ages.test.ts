import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, shortAge, shortDate } from './ages.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');

test('an age uses the largest unit that fits', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['2026-11-15T12:00:00Z', 'just now'],
    ['2026-11-15T13:00:00Z', 'just now'],
    ['2026-11-15T11:48:00Z', '12m ago'],
    ['2026-11-15T10:00:00Z', '2h ago'],
    ['2026-11-14T11:00:00Z', '1 day ago'],
    ['2026-11-13T12:00:00Z', '2 days ago'],
    ['2026-11-08T11:00:00Z', '1 week ago'],
    ['2026-10-25T12:00:00Z', '3 weeks ago'],
    ['2026-06-15T12:00:00Z', '5 months ago'],
    ['2025-11-01T12:00:00Z', '1 year ago'],
    ['2023-11-01T12:00:00Z', '3 years ago'],
    ['nonsense', 'at an unknown time'],
  ];
  for (const [at, said] of cases) assert.equal(age(at, NOW), said, at);
});

test('a short age has no "ago"', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['2026-11-15T12:00:00Z', 'now'],
    ['2026-11-15T11:48:00Z', '12 min'],
    ['2026-11-15T10:00:00Z', '2 h'],
    ['2026-11-13T12:00:00Z', '2 d'],
    ['2026-10-25T12:00:00Z', '3 wk'],
    ['2026-06-15T12:00:00Z', '5 mo'],
    ['2023-11-01T12:00:00Z', '3 y'],
    ['nonsense', 'no date'],
  ];
  for (const [at, said] of cases) assert.equal(shortAge(at, NOW), said, at);
});

test('a date has a year only if it is not the current one', () => {
  assert.equal(shortDate('2026-11-13T00:00:00Z', NOW), '13 Nov');
  assert.equal(shortDate('2025-03-01T00:00:00Z', NOW), '1 Mar 2025');
});
