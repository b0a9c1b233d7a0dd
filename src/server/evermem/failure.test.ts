import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../../core/index.ts';
import { everMemFailure } from './failure.ts';

test('a field name is not capitalised, and the hint points to the EverMem documentation', () => {
  const { status, body } = everMemFailure(new TidemarkError('invalid', 'message_id: is missing'));
  assert.equal(status, 400);
  assert.equal(
    body.message,
    'message_id: is missing. The fields of each request are in docs/server-evermem.md of Tidemark.',
  );
});

test('the hint of the error comes first, and the message is capitalised', () => {
  const wanted = new TidemarkError('invalid', 'the body is empty', { hint: 'Send one.' });
  assert.equal(everMemFailure(wanted).body.message, 'The body is empty. Send one.');
});

test('only two statuses contain the digits that the plugin searches for', () => {
  const { body } = everMemFailure(new TidemarkError('invalid', 'limit: 401 and 404 are too many'));
  assert.doesNotMatch(body.message, /401|404/);
});
