import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayWords, lastWorkday, startOf } from './since.ts';
import { zoneDays } from './zone-days.ts';

/** A Tuesday, 11:00 in Vienna. */
const NOW = new Date('2026-11-17T10:00:00.000Z');
const VIENNA = zoneDays('Europe/Vienna');
/** Midnight in Vienna, in winter. */
const midnight = (day: string) => new Date(`${day}T00:00:00+01:00`).toISOString();

for (const [said, day] of [
  ['today', '2026-11-17'],
  ['yesterday', '2026-11-16'],
  ['since yesterday', '2026-11-16'],
  ['monday', '2026-11-16'],
  ['Mon', '2026-11-16'],
  ['last monday', '2026-11-16'],
  ['tuesday', '2026-11-10'],
  ['this week', '2026-11-16'],
  ['last week', '2026-11-09'],
  ['last-week', '2026-11-09'],
  ['3 days ago', '2026-11-14'],
  ['two weeks ago', '2026-11-03'],
  ['a week ago', '2026-11-10'],
  ['3d', '2026-11-14'],
  ['last 3 days', '2026-11-14'],
  ['2026-11-10', '2026-11-10'],
  ['10 November', '2026-11-10'],
  ['nov 10', '2026-11-10'],
  ['november', '2026-11-01'],
  ['this month', '2026-11-01'],
] as const) {
  test(`"${said}" begins on ${day}`, () => {
    assert.equal(startOf(said, NOW, VIENNA), midnight(day));
  });
}

test('hours and instants are exact', () => {
  assert.equal(startOf('2 hours ago', NOW, VIENNA), '2026-11-17T08:00:00.000Z');
  assert.equal(startOf('2026-11-10T09:30:00+01:00', NOW, VIENNA), '2026-11-10T08:30:00.000Z');
});

test('a day before the clocks change begins at midnight of that day', () => {
  assert.equal(startOf('2026-08-03', NOW, VIENNA), '2026-08-02T22:00:00.000Z');
  assert.equal(startOf('august', NOW, VIENNA), '2026-07-31T22:00:00.000Z');
});

for (const said of [
  '',
  'mo',
  'soon',
  'the yesterday of my life',
  'before 3 May',
  '2026-13-45',
  '2026-11-1x',
]) {
  test(`"${said}" is no time`, () => assert.equal(startOf(said, NOW, VIENNA), undefined));
}

for (const [now, day] of [
  ['2026-11-17T10:00:00Z', '2026-11-16'],
  ['2026-11-16T10:00:00Z', '2026-11-13'],
  ['2026-11-15T10:00:00Z', '2026-11-13'],
  ['2026-11-14T10:00:00Z', '2026-11-13'],
  // Already Tuesday in Vienna.
  ['2026-11-16T23:30:00Z', '2026-11-16'],
] as const) {
  test(`the last working day before ${now} is ${day}`, () => {
    assert.equal(lastWorkday(new Date(now), VIENNA), day);
  });
}

test('a day has its name and date, and the year if it is another one', () => {
  assert.equal(dayWords(midnight('2026-11-17'), NOW, VIENNA), 'today');
  assert.equal(dayWords('2026-11-17T08:00:00.000Z', NOW, VIENNA), 'today, 09:00');
  assert.equal(dayWords(midnight('2026-11-16'), NOW, VIENNA), 'yesterday, Monday 16 November');
  assert.equal(dayWords(midnight('2026-11-13'), NOW, VIENNA), 'Friday 13 November');
  assert.equal(dayWords(midnight('2025-11-13'), NOW, VIENNA), 'Thursday 13 November 2025');
});
