import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, pad, widthOf, wrap, wrapText } from './text-width.ts';

for (const [text, width] of [
  ['plain', 5],
  ['日本語', 6],
  ['한국어 text', 11],
  ['e\u0301te\u0301', 3],
  ['👍 ok', 5],
  ['\u001b[31mred\u001b[0m', 3],
  ['│ ✓ →', 5],
] as const) {
  test(`${JSON.stringify(text)} takes ${width} columns`, () => assert.equal(widthOf(text), width));
}

test('a cut never passes the limit, also in the middle of a wide character', () => {
  for (let columns = 0; columns < 14; columns++) {
    assert.ok(widthOf(clip('令牌在每次使用时轮换', columns)) <= columns, String(columns));
  }
  assert.equal(clip('令牌在每次使用时轮换', 6), '令牌…');
  assert.equal(clip('short', 5), 'short');
});

test('lines break at spaces, and inside what has none', () => {
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrap('see /a/very/long/path now', 8), ['see', '/a/very/', 'long/', 'path now']);
  assert.deepEqual(wrap('令牌轮换', 4), ['令牌', '轮换']);
});

test('neither a cut nor a line break is in the middle of a word', () => {
  assert.equal(clip('rotate the refresh token', 15), 'rotate the…');
  assert.equal(clip('令牌 rotation 每次', 12), '令牌…');
  assert.equal(clip('使用Redis哈希', 9), '使用…');
  assert.equal(clip('src/auth/refresh.ts', 12), 'src/auth/…');
  assert.deepEqual(wrap('使用Redis哈希存储会话', 8), ['使用', 'Redis哈', '希存储会', '话']);
  assert.deepEqual(wrap('abcdefghij', 4), ['abcd', 'efgh', 'ij']);
  assert.deepEqual(wrap('令牌', 1), ['令', '牌']);
});

test('padding counts columns, not characters', () => {
  assert.equal(widthOf(pad('日本', 8)), 8);
  assert.equal(pad('too long', 3), 'too long');
});

test('code in a text is not broken', () => {
  const code = '```\nconst token = rotate(old);\n```';
  assert.equal(
    wrapText(`one two\n${code}\n    indented by four`, 4),
    `one\ntwo\n${code}\n    indented by four`,
  );
});
