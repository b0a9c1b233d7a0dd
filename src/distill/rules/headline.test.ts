import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headline } from './headline.ts';

const MOST = 100;

test('a short text is its own headline', () => {
  assert.equal(
    headline('Use pnpm (not npm), because it is small', MOST),
    'Use pnpm (not npm), because it is small',
  );
});

test('asides in brackets are left out first', () => {
  assert.equal(
    headline(
      'Four functions that only the telemetry folder used (`ComputeStats`, `StartSpan`, `SetAttributes`, `CountTokens`) are private now',
      MOST,
    ),
    'Four functions that only the telemetry folder used are private now',
  );
});

test('a clause that only leads to the point is left out', () => {
  assert.equal(
    headline(
      'Since `fileNameOf` takes the first four words of a prompt and ignores the rest, every plan gets the same file name',
      MOST,
    ),
    'Every plan gets the same file name'.replace('Every', 'every'),
  );
});

test('a condition is never the whole headline', () => {
  assert.match(
    headline(
      'After the lookup by hash fails with `ErrNotExist`, the reader calls `findByRoot` before it returns the name that was never stored',
      MOST,
    ),
    /, the reader calls `findByRoot` .*…$/,
  );
  assert.equal(
    headline(
      '`Reconstruct` now calls the new `EnsureWorkspace`: if discovery finds nothing, it makes the entry in the folder of the editor itself',
      MOST,
    ),
    '`Reconstruct` now calls the new `EnsureWorkspace`',
  );
});

test('a list is cut before its first item', () => {
  assert.equal(
    headline(
      'The new test of the reader covers everything that a path may be on a server: plain paths, escapes, spaces, drive letters and links',
      MOST,
    ),
    'The new test of the reader covers everything that a path may be on a server',
  );
});
