import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../../core/index.ts';
import { everMemFailure } from './failure.ts';

test('a field keeps its name, and where to read on speaks of this format', () => {
  const { status, body } = everMemFailure(new TidemarkError('invalid', 'message_id: is missing'));
  assert.equal(status, 400);
  assert.equal(
    body.message,
    'message_id: is missing. What each request takes is in docs/server-evermem.md of Tidemark.',
  );
});

test('what an error itself advises goes before that; a sentence begins as one', () => {
  const wanted = new TidemarkError('invalid', 'the body is empty', { hint: 'Send one.' });
  assert.equal(everMemFailure(wanted).body.message, 'The body is empty. Send one.');
});

test('only two answers hold the digits by which the plugin chooses its words', () => {
  const { body } = everMemFailure(new TidemarkError('invalid', 'limit: 401 and 404 are too many'));
  assert.doesNotMatch(body.message, /401|404/);
});
