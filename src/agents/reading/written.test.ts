import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addedWords, writtenWords } from './written.ts';

test('the words of an edit are those that its old text does not contain', () => {
  const edit = { old_string: 'send(mails, 20)', new_string: "import x from 'valibot';\nsend(mails, 350)" };
  assert.deepEqual(addedWords(edit), ['import', 'from', 'valibot', '350']);
  assert.deepEqual(addedWords({ content: 'const MAX_ROWS = 500;' }), ['const', 'MAX_ROWS', '500']);
  assert.deepEqual(addedWords({ edits: [{ old_string: 'first', new_string: 'second' }] }), ['second']);
});

test('numbers inside names and hashes are no numbers', () => {
  assert.deepEqual(addedWords({ content: 'v12 12ab 7 42' }), ['v12', '42']);
});

test('words that an earlier result showed are not written by the agent', () => {
  const steps = [
    { added: [], seen: 'export function rotateToken() {}' },
    { added: ['rotateToken', 'retryOnce'], seen: 'updated: retryOnce' },
    { added: ['retryOnce', 'later'], seen: '' },
  ];
  assert.deepEqual(writtenWords(steps), [[], ['retryOnce'], ['later']]);
});
