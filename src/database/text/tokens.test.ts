import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexText, queryWords, tokensOf } from './tokens.ts';

const tokens = (text: string): readonly string[] => indexText(text).split(' ');
const asked = (text: string): readonly string[] => queryWords(text).flatMap(tokensOf);

test('an identifier is found whole and by its parts, however it is written', () => {
  for (const name of ['useAuthToken', 'UseAuthToken', 'use_auth_token', 'use-auth-token', 'USE_AUTH_TOKEN']) {
    assert.deepEqual(tokens(name), ['useauthtoken', 'use', 'auth', 'token'], name);
  }
});

test('a run of capitals ends where a word begins', () => {
  assert.deepEqual(tokens('parseHTTPServer'), ['parsehttpserver', 'pars', 'http', 'server']);
});

test('a path is found whole, by its file name and by its folders', () => {
  assert.deepEqual(tokens('(see ./src/auth/jwt.ts)').slice(1), [
    'src/auth/jwt.ts',
    'jwt.ts',
    'src',
    'auth',
    'jwt',
    'ts',
  ]);
  assert.ok(tokens('C:\\work\\jwt.ts').includes('jwt.ts'));
});

test('an error code is found whole and by its parts', () => {
  assert.deepEqual(tokens('ERR_REQUIRE_ESM'), ['errrequireesm', 'err', 'requir', 'esm']);
});

test('dotted names, versions and dates are also kept whole', () => {
  assert.ok(tokens('process.env.HOME').includes('process.env.home'));
  assert.deepEqual(tokens('22.13 on 2026-02-09'), ['22.13', 'on', '2026-02-09']);
});

test('CJK runs become overlapping bigrams, also when glued to Latin', () => {
  assert.deepEqual(tokens('JWT实现讨论'), ['jwt', '实现', '现讨', '讨论']);
  assert.deepEqual(tokens('鍵'), ['鍵']);
});

test('forms of an English word have one stem', () => {
  assert.deepEqual(tokens('rotate rotates rotating rotation'), ['rotat', 'rotat', 'rotat', 'rotat']);
});

test('accents and apostrophes do not matter', () => {
  assert.deepEqual(tokens("naïve Zoë's don’t"), ['naiv', 'zoe', 'dont']);
});

test('stop words are removed from queries but not from the index', () => {
  assert.deepEqual(asked('What did we do about the rotation?'), ['rotat']);
  assert.ok(tokens('what did we do').includes('what'));
});

test('a query and the index have the same tokens for the same text', () => {
  for (const text of ['useAuthToken', 'src/auth/jwt.ts', 'ERR_REQUIRE_ESM', '认证设计', 'refresh tokens']) {
    const indexed = new Set(tokens(text));
    assert.ok(
      asked(text).every((token) => indexed.has(token)),
      text,
    );
  }
});

test('hashes and base64 do not become tokens', () => {
  assert.equal(indexText('a'.repeat(65)), '');
});

test('tokens never contain a blank or a quote', () => {
  const text = `"a b" 'c' \u0000\u200b "\\"; DROP x* NEAR(y) 日本 "`;
  for (const token of asked(text)) assert.doesNotMatch(token, /[\s"*()]/);
});
