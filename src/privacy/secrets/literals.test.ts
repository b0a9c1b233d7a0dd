import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCrowded, literalScanner } from './literals.ts';

test('each list gets its hits, the longest literal at each place', () => {
  const scan = literalScanner([
    { literals: ['ab', 'abc', 'Q~'], ignoreCase: false },
    { literals: ['pass', 'password', 'пароль', '密码', 'clé api'], ignoreCase: true },
  ]);
  assert.deepEqual(scan('xabcd ABC Q~1'), [
    [
      { at: 1, literal: 'abc' },
      { at: 10, literal: 'Q~' },
    ],
    [],
  ]);
  assert.deepEqual(
    scan('Password PASS Пароль ПАРОЛЬ 密码 Clé API')[1]?.map(({ literal }) => literal),
    ['password', 'pass', 'пароль', 'пароль', '密码', 'clé api'],
  );
});

test('a text without a literal has no hits', () => {
  const scan = literalScanner([{ literals: ['token'], ignoreCase: true }]);
  assert.deepEqual(scan(''), [[]]);
  assert.deepEqual(scan('to'), [[]]);
  assert.deepEqual(scan('toke n'), [[]]);
});

test('hits are crowded only where no text has so many', () => {
  const dense = Array.from({ length: 20 }, (_, i) => ({ at: i * 5, literal: 'key' }));
  assert.equal(isCrowded(dense, 5), false);
  assert.equal(isCrowded(dense, 17), true);
});
