import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortened } from './shorten.ts';

test('a text that fits stays as it is', () => {
  assert.equal(shortened('Rotate the token on every use', 29), 'Rotate the token on every use');
});

test('a title ends with a sentence or a clause where one fits', () => {
  assert.equal(
    shortened('Use pg-boss for the job queue. It needs no second database to run and watch', 50),
    'Use pg-boss for the job queue.',
  );
  assert.equal(
    shortened('Use pg-boss for the job queue, because it needs no second database to run', 50),
    'Use pg-boss for the job queue…',
  );
  assert.equal(
    shortened('刷新令牌每次使用都会轮换，因为被盗的令牌只值一次请求', 16),
    '刷新令牌每次使用都会轮换…',
  );
});

test('a title never ends with a word that promises another one', () => {
  const text =
    'Refresh tokens rotate on every use because the old ones were found in the logs and in the dumps';
  for (let most = 20; most < text.length; most++) {
    const title = shortened(text, most);
    assert.ok(title.length <= most, title);
    assert.doesNotMatch(title, /\b(?:on|every|because|the|were|in|and)…$/, title);
  }
});

test('a title never ends inside brackets, quotes or backticks', () => {
  const text =
    'Keep the limit of `max_connections = 20` (see "pool size" in the notes of [ops]) for each worker process';
  for (let most = 20; most < text.length; most++) {
    const title = shortened(text, most);
    assert.ok(title.length <= most, title);
    assert.equal((title.match(/`/g)?.length ?? 0) % 2, 0, title);
    assert.equal((title.match(/"/g)?.length ?? 0) % 2, 0, title);
    assert.equal(title.match(/\(/g)?.length, title.match(/\)/g)?.length, title);
    assert.equal(title.match(/\[/g)?.length, title.match(/\]/g)?.length, title);
  }
});

test('one long name is cut without its marks', () => {
  assert.equal(shortened(`\`${'a'.repeat(40)}\``, 20), `${'a'.repeat(18)}…`);
  assert.equal(shortened(`a ${'['.repeat(40)}`, 20), `a ${'['.repeat(17)}…`);
  assert.equal(shortened('(everything here is inside of one bracket)', 24), 'everything here…');
});

test('an abbreviation is no end of a sentence, and no character is cut in two', () => {
  assert.equal(
    shortened('Pin the versions of all tools, e.g. of the linter and the formatter', 42),
    'Pin the versions of all tools…',
  );
  assert.equal(shortened('😀'.repeat(20), 12), `${'😀'.repeat(5)}…`);
});
