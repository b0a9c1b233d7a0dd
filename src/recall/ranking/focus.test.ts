import assert from 'node:assert/strict';
import { test } from 'node:test';
import { focusOf } from './focus.ts';
import { READING } from './weights.ts';

const LOG = Array.from({ length: 40 }, (_, i) => `12:40:${10 + i} step ${i} done in ${i} ms`).join('\n');
const rare =
  () =>
  (token: string): number =>
    /^(?:umlaut|exporter|csv)/.test(token) ? 1 : 0.1;

test('a short prompt is read as it is', () => {
  assert.equal(
    focusOf('why does the exporter drop umlauts?', rare)('bugfix: …'),
    'why does the exporter drop umlauts?',
  );
});

test('of a long prompt the beginning and the parts about the memory are read, in their order', () => {
  const prompt = `The nightly job failed again.\n${LOG}\nThe exporter wrote a csv without umlauts.\n${LOG}\nPlease fix it.`;
  const part = focusOf(prompt, rare)('bugfix: The exporter drops umlauts in csv files');
  assert.match(part, /^The nightly job failed again\. .*The exporter wrote a csv without umlauts\./);
  assert.ok(part.length <= READING.promptChars + 10, part);
});

test('without a shared word the beginning and the end are read', () => {
  const part = focusOf(
    `The nightly job failed again.\n${LOG}\nPlease fix it.`,
    rare,
  )('decision: Use pg-boss');
  assert.match(part, /^The nightly job failed again\. .* Please fix it\.$/);
});

test('a prompt of megabytes is cut before it is looked at', () => {
  const part = focusOf(`Start here. ${'x'.repeat(5_000_000)} The end of it.`, rare)('decision: Use pg-boss');
  assert.match(part, /^Start here\. .*The end of it\.$/);
  assert.ok(part.length <= READING.promptChars + 10, part);
});
