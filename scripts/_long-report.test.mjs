import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTable } from './_long-report.mjs';

test('counts of one subject and part are added up, with their rate', () => {
  const lines = countTable([
    { subject: 'kill rounds', part: 'start-up', count: 3 },
    { subject: 'planted secrets', part: 'tables', count: 30, good: 29 },
    { subject: 'kill rounds', part: 'start-up', count: 4 },
    { subject: 'planted secrets', part: 'tables', count: 10, good: 10 },
  ]);
  assert.deepEqual(lines.slice(-2), [
    '| kill rounds | start-up | 7 |  |',
    '| planted secrets | tables | 40 | 39 (97.5 %) |',
  ]);
});

test('without counts there is no table', () => assert.deepEqual(countTable([]), []));
