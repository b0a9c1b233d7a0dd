import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userMessage } from './user-message.ts';

test('a message to the user begins with the name of the product, once', () => {
  assert.equal(userMessage('Memory Retrieved (1):\n  • a'), 'Tidemark: Memory Retrieved (1):\n  • a');
  assert.equal(userMessage('Tidemark updated 1.0.0 → 1.1.0.'), 'Tidemark updated 1.0.0 → 1.1.0.');
  assert.equal(userMessage(''), '');
});
