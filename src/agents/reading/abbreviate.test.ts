import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abbreviate, oneLine } from './abbreviate.ts';

const words = 'word '.repeat(400);

test('a short text stays as it is', () => assert.equal(abbreviate('short', 100), 'short'));

test('a cut never halves a word', () => {
  for (let limit = 200; limit < 260; limit++) {
    const short = abbreviate(words, limit);
    assert.ok(short.length <= limit);
    assert.match(short, /^(?:word ?)+\n\[… \d+ characters …\]\n$/, 'one line only: no tail');
  }
});

test('the tail begins with a line, so that a value keeps the name before it', () => {
  const text = `${words}\n${'password = hunter2 and more of the same line '.repeat(3)}\nlast line`;
  for (let limit = 100; limit < 300; limit++) {
    assert.match(abbreviate(text, limit), /\]\n(?:password = hunter2[^\n]*\n)?(?:last line)?$/);
  }
});

test('a key block is never cut in two', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkq\n'.repeat(40)}-----END PRIVATE KEY-----\n`;
  for (const text of [words + key + words, key + words.repeat(2), words.repeat(2) + key]) {
    for (let limit = 200; limit < 1600; limit += 50) {
      const parts = abbreviate(text, limit).split(/\[… \d+ characters …\]/);
      for (const part of parts)
        assert.equal(part.includes('MIIEvQ'), part.includes('-----BEGIN') && part.includes('-----END'));
    }
  }
});

test('a private span is never cut in two', () => {
  const text = `${words}<private>\n${'hidden\n'.repeat(100)}</private>\nshown\n`;
  for (let limit = 150; limit < 1500; limit += 50) {
    const [, tail = ''] = abbreviate(text, limit).split(/\[… \d+ characters …\]/);
    assert.equal(tail.includes('hidden'), tail.includes('<private>'));
  }
});

test('one line is one line', () => assert.equal(oneLine(' a\n\n b  c ', 100), 'a b c'));
