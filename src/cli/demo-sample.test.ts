import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilYesterday } from './demo-sample.ts';

const TEXTS = [
  '{"timestamp":"2026-11-09T08:00:00.000Z","text":"on 2026-11-09T08:00:00.000Z"}\n',
  '{"timestamp":"2026-11-12T23:30:00.000Z"}\n',
];

test('the last day of the sample becomes yesterday, and the distances stay', () => {
  assert.deepEqual(untilYesterday(TEXTS, new Date('2027-03-01T10:00:00Z')), [
    '{"timestamp":"2027-02-25T08:00:00.000Z","text":"on 2026-11-09T08:00:00.000Z"}\n',
    '{"timestamp":"2027-02-28T23:30:00.000Z"}\n',
  ]);
});

test('a sample of yesterday or of a wrong clock stays as it is', () => {
  assert.deepEqual(untilYesterday(TEXTS, new Date('2026-11-13T00:10:00Z')), TEXTS);
  assert.deepEqual(untilYesterday(TEXTS, new Date('2020-01-01T00:00:00Z')), TEXTS);
});
