import assert from 'node:assert/strict';
import { test } from 'node:test';
import { row } from './row.ts';

const given = { front: 'id', text: 'Refresh tokens rotate on every use', behind: '2 days ago' };

test('in a pipe it is one line, however long', () => {
  assert.equal(
    row({ isTerminal: false, width: 30 }, given),
    'id  Refresh tokens rotate on every use  2 days ago',
  );
});

test('on a terminal the text breaks under itself', () => {
  assert.equal(
    row({ isTerminal: true, width: 30 }, given),
    'id  Refresh tokens rotate on\n    every use  2 days ago',
  );
  assert.equal(
    row({ isTerminal: true, width: 42 }, given),
    'id  Refresh tokens rotate on every use\n    2 days ago',
  );
});

test('a terminal too narrow for columns gets one line', () => {
  assert.equal(row({ isTerminal: true, width: 20 }, given).split('\n').length, 1);
});
