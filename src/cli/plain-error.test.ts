import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TidemarkError } from '../core/index.ts';
import { plainError } from './plain-error.ts';

const caught = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test('a file error is reported in plain words with the path and a hint', () => {
  assert.deepEqual(plainError(caught(() => readFileSync('/no/such/file'))), {
    code: 'ENOENT',
    message: '/no/such/file: no such file or folder',
    hint: 'Check the path; its folder must exist.',
  });
});

test('our own errors and surprises stay what they are, in one line', () => {
  const ours = new TidemarkError('not-found', 'no memory x', { hint: 'Search.' });
  assert.deepEqual(plainError(ours), {
    code: 'not-found',
    message: 'no memory x',
    hint: 'Search.',
  });
  assert.deepEqual(plainError(new Error('one\ntwo')), { code: 'internal', message: 'one' });
  assert.deepEqual(plainError('odd'), { code: 'internal', message: 'odd' });
});
