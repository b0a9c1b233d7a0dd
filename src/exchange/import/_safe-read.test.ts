import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from './_safe-read.ts';

test('whyNot turns system errors into plain reasons', () => {
  const errno = (code: string) => Object.assign(new Error(`${code}: what the system says`), { code });
  assert.equal(whyNot(errno('EACCES')), 'permission denied');
  assert.equal(whyNot(errno('ELOOP')), 'a link to itself');
  assert.equal(whyNot(errno('EIO')), 'EIO: what the system says');
});
