import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNewer } from './version.ts';

test('a later release is newer, number by number', () => {
  assert.equal(isNewer('0.10.0', '0.9.9'), true);
  assert.equal(isNewer('1.0.0', '1.0.0'), false);
  assert.equal(isNewer('1.0.0', '1.0.1'), false);
});

test('what is not a version is never newer', () => {
  assert.equal(isNewer('nonsense', '0.0.1'), false);
  assert.equal(isNewer('9.9.9', ''), false);
});
