import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasReason, readMessage } from './commit-message.ts';

test('a message is split at its first blank line, and a subject of two lines is one', () => {
  assert.deepEqual(readMessage('\nKeep the queue\nsmall\r\n\nIt grew without end.\n\n\n\nNow it is cut.\n'), {
    subject: 'Keep the queue small',
    body: 'It grew without end.\n\nNow it is cut.',
  });
  assert.deepEqual(readMessage(''), { subject: '', body: '' });
});

test('trailers that name people or issues are left out, sentences are kept', () => {
  const { body } = readMessage(
    [
      'Retry the upload',
      '',
      'Fixes: the server closes idle connections after a minute.',
      '',
      'Fixes #12',
      'Signed-off-by: A Person <a@example.org>',
      'Co-Authored-By: Other <o@example.org>',
      'Change-Id: I0123456789abcdef',
      '🤖 Generated with [A Tool](https://example.org)',
      '(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)',
    ].join('\n'),
  );
  assert.equal(body, 'Fixes: the server closes idle connections after a minute.');
});

test('a body, a revert or a word of reason makes a message worth finding', () => {
  for (const message of [
    'Cache sessions\n\nReading them from disk took a second.',
    'Revert "Cache sessions"',
    'Use a pool instead of one connection',
    'Lower the limit because the proxy cuts at 8 KB',
    'Pin the compiler, since 5.4 breaks the build',
    'Cache leeren, weil sie zu alt ist',
    '用队列而不是锁',
  ])
    assert.ok(hasReason(readMessage(message)), message);
});

test('a bare subject, trailers alone and updates by bots give no reason', () => {
  for (const message of [
    'Add tests',
    'Merge branch main into feature',
    'Add tests\n\nSigned-off-by: A Person <a@example.org>',
    'Add tests\n\n#123',
    'Bump lodash from 4.17.20 to 4.17.21\n\nBumps lodash. Release notes: many things were fixed because they broke.',
    'chore(deps): update dependency vite to v6\n\nThis release contains many things.',
  ])
    assert.ok(!hasReason(readMessage(message)), message);
});
