import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpoint, retryAfterMs } from './api.ts';

test('the address decides the protocol', () => {
  assert.equal(endpoint('https://api.anthropic.com').url, 'https://api.anthropic.com/v1/messages');
  assert.equal(endpoint('https://api.anthropic.com/v1/').url, 'https://api.anthropic.com/v1/messages');
  assert.equal(endpoint('http://localhost:11434/v1').url, 'http://localhost:11434/v1/chat/completions');
  assert.equal(endpoint('https://x.test/v1/chat/completions').url, 'https://x.test/v1/chat/completions');
  assert.equal(endpoint('https://x.test/anthropic/v1/messages').url, 'https://x.test/anthropic/v1/messages');
});

test('retry-after is read in seconds or as a date', () => {
  const now = Date.parse('2026-11-15T10:00:00Z');
  assert.equal(retryAfterMs('12', now), 12_000);
  assert.equal(retryAfterMs('Sun, 15 Nov 2026 10:00:30 GMT', now), 30_000);
  assert.equal(retryAfterMs('soon', now), undefined);
  assert.equal(retryAfterMs(null, now), undefined);
});
