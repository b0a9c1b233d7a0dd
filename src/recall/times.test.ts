import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanOf } from './times.ts';
import { zoneDays } from './zone-days.ts';

/** Tuesday 17 November, 11:00 in Vienna. */
const NOW = new Date('2026-11-17T10:00:00.000Z');
const VIENNA = zoneDays('Europe/Vienna');
const spanIn = (text: string) => spanOf(text, NOW, VIENNA);

test('days, weeks and months back begin at midnight of the user', () => {
  assert.deepEqual(spanIn('0d'), { since: '2026-11-16T23:00:00.000Z' });
  assert.deepEqual(spanIn('3d'), { since: '2026-11-13T23:00:00.000Z' });
  assert.deepEqual(spanIn('2w'), { since: '2026-11-02T23:00:00.000Z' });
  assert.deepEqual(spanIn('1m'), { since: '2026-10-17T22:00:00.000Z' }, 'before the clocks changed');
});

test('a day and a month have an end, an exact time is an instant', () => {
  assert.deepEqual(spanIn('2026-11-10'), {
    since: '2026-11-09T23:00:00.000Z',
    until: '2026-11-10T23:00:00.000Z',
  });
  assert.deepEqual(spanIn('2026-10'), {
    since: '2026-09-30T22:00:00.000Z',
    until: '2026-10-31T23:00:00.000Z',
  });
  assert.deepEqual(spanIn('2026-12')?.until, '2026-12-31T23:00:00.000Z');
  const at = '2026-11-10T08:30:00.000Z';
  assert.deepEqual(spanIn('2026-11-10T09:30:00+01:00'), { since: at, until: at });
});

for (const said of [
  'yesterday',
  'last week',
  'monday',
  'in March',
  '昨天',
  '3 days',
  '2026',
  '2026-13',
  '',
]) {
  test(`"${said}" is not a time`, () => assert.equal(spanIn(said), undefined));
}
