import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, mondayOf, zoneDays } from './zone-days.ts';

test('a day begins at local midnight', () => {
  assert.equal(zoneDays('UTC').startOf('2026-03-29'), '2026-03-29T00:00:00.000Z');
  assert.equal(zoneDays('Europe/Vienna').startOf('2026-03-29'), '2026-03-28T23:00:00.000Z');
  assert.equal(zoneDays('Europe/Vienna').startOf('2026-03-30'), '2026-03-29T22:00:00.000Z');
  assert.equal(zoneDays('Asia/Kolkata').startOf('2026-03-29'), '2026-03-28T18:30:00.000Z');
  assert.equal(zoneDays('Pacific/Auckland').startOf('2026-01-01'), '2025-12-31T11:00:00.000Z');
});

test('a day begins an hour late if the clocks go forward at midnight', () => {
  // Chile: 2026-09-06 has no hour between 00:00 and 01:00.
  assert.equal(zoneDays('America/Santiago').startOf('2026-09-06'), '2026-09-06T04:00:00.000Z');
  assert.equal(zoneDays('America/Santiago').dayOf('2026-09-06T03:59:59.999Z'), '2026-09-05');
});

test('the days of a year have no gaps in any zone', () => {
  for (const zone of ['Europe/Vienna', 'America/Santiago', 'America/St_Johns', 'Africa/Cairo']) {
    const days = zoneDays(zone);
    for (let day = '2026-01-01'; day < '2027-01-01'; day = addDays(day, 1)) {
      const start = days.startOf(day);
      assert.equal(days.dayOf(start), day, zone);
      assert.equal(days.dayOf(Date.parse(start) - 1), addDays(day, -1), zone);
    }
  }
});

test('from and to accept a day or an instant', () => {
  const days = zoneDays('Europe/Vienna');
  assert.equal(days.from('2026-11-13'), '2026-11-12T23:00:00.000Z');
  assert.equal(days.to('2026-11-13'), '2026-11-13T23:00:00.000Z');
  assert.equal(days.from('2026-11-13T10:00:00Z'), '2026-11-13T10:00:00.000Z');
  assert.throws(() => days.from('soon'), { code: 'invalid' });
});

test('weeks begin on Monday', () => {
  assert.equal(mondayOf('2026-11-15'), '2026-11-09');
  assert.equal(mondayOf('2026-11-09'), '2026-11-09');
});

test('an unknown zone is refused', () => {
  assert.throws(() => zoneDays('Mars/Olympus'), { code: 'invalid' });
});
