import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactDeep } from './redact-deep.ts';

test('a key that speaks of a secret hides its value', () => {
  const { value, counts } = redactDeep({
    user: 'me',
    password: 'hunter2',
    nested: [{ api_key: 'zxcv98765' }],
  });
  assert.deepEqual(value, {
    user: 'me',
    password: '[redacted:password]',
    nested: [{ api_key: '[redacted:api-key]' }],
  });
  assert.deepEqual(counts, { password: 1, 'api-key': 1 });
});

test('strings at any depth are redacted, other values stay as they are', () => {
  const { value } = redactDeep({ a: [1, null, true, 'DB_PASSWORD=hunter2'], max_tokens: 5, token: null });
  assert.deepEqual(value, {
    a: [1, null, true, 'DB_PASSWORD=[redacted:password]'],
    max_tokens: 5,
    token: null,
  });
});

test('a secret used as a key is hidden too', () => {
  const token = ['gh', 'p_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
  assert.deepEqual(redactDeep({ [token]: 1 }).value, { '[redacted:github-token]': 1 });
});

test('the value given is not changed', () => {
  const given = { password: 'hunter2', list: ['PASSWORD=hunter2'] };
  redactDeep(given);
  assert.deepEqual(given, { password: 'hunter2', list: ['PASSWORD=hunter2'] });
});

test('a key named __proto__ stays a plain key', () => {
  const { value } = redactDeep(
    JSON.parse('{"__proto__": {"password": "hunter2"}}') as Record<string, unknown>,
  );
  assert.equal(JSON.stringify(value), '{"__proto__":{"password":"[redacted:password]"}}');
});

test('what is nested too deep to walk is hidden whole', () => {
  const text = `${'['.repeat(5000)}"PASSWORD=hunter2"${']'.repeat(5000)}`;
  const { value, counts } = redactDeep(JSON.parse(text) as unknown);
  assert.ok(!JSON.stringify(value).includes('hunter2'));
  assert.deepEqual(counts, { 'too-deep': 1 });
});

test('redacting twice is redacting once', () => {
  const once = redactDeep({ password: 'hunter2', out: 'TOKEN=zxcv98765' });
  const twice = redactDeep(once.value);
  assert.deepEqual(twice, { value: once.value, counts: {} });
});

test('a name and its value in two fields are a pair', () => {
  const pairs = [
    { name: 'DB_PASSWORD', value: 'hunter2' },
    { Key: 'API_KEY', Value: 'zxcv98765' },
    { ParameterKey: 'DBPassword', ParameterValue: 'hunter2' },
    { name: 'LOG_LEVEL', value: 'debug' },
  ];
  assert.deepEqual(redactDeep(pairs).value, [
    { name: 'DB_PASSWORD', value: '[redacted:password]' },
    { Key: 'API_KEY', Value: '[redacted:api-key]' },
    { ParameterKey: 'DBPassword', ParameterValue: '[redacted:password]' },
    { name: 'LOG_LEVEL', value: 'debug' },
  ]);
});

test('the values of a collection of secrets are secrets', () => {
  const { value } = redactDeep({ passwords: { anna: 'walnut-41' }, tokens: ['zxcv98765abc'], max_tokens: 5 });
  assert.deepEqual(value, {
    passwords: { anna: '[redacted:password]' },
    tokens: ['[redacted:token]'],
    max_tokens: 5,
  });
});

test('an argument after a flag for a secret is a secret', () => {
  const { value } = redactDeep({ command: ['tool', '--password', 'hunter2', '--port', '8080'] });
  assert.deepEqual(value, { command: ['tool', '--password', '[redacted:password]', '--port', '8080'] });
});

test('the data of a Kubernetes Secret is secret whatever its keys', () => {
  const data = btoa('Harbor_comet2019');
  assert.ok(!JSON.stringify(redactDeep({ kind: 'Secret', data: { admin: data } }).value).includes(data));
  assert.deepEqual(redactDeep({ kind: 'ConfigMap', data: { level: 'debug' } }).value, {
    kind: 'ConfigMap',
    data: { level: 'debug' },
  });
});

test('a label of a form in another language is no secret', () => {
  const labels = { password: 'Contraseña', apiKey: 'Clé API' };
  assert.deepEqual(redactDeep(labels).value, labels);
});
