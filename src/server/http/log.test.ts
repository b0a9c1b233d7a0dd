import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLog } from './log.ts';

test('a log line is safe at a terminal and parses to the original', () => {
  const path = '/v1/\u001b[2J\u009b5A\u202e\u200b';
  let line = '';
  jsonLog((text) => (line = text))('info', 'request', { path });
  assert.match(line, /^[ -~]+\n$/);
  assert.equal((JSON.parse(line) as { path: string }).path, path);
});
