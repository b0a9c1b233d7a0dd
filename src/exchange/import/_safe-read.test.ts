import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from './_safe-read.ts';

test('why a file cannot be read is said in words', () => {
  const errno = (code: string) => Object.assign(new Error(`${code}: what the system says`), { code });
  assert.equal(whyNot(errno('EACCES')), 'not readable for you');
  assert.equal(whyNot(errno('ELOOP')), 'a link that leads back to itself');
  assert.equal(whyNot(errno('EIO')), 'EIO: what the system says');
});
