import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCall } from './calls.ts';

test('a call with valid arguments is accepted', () => {
  const call = { query: 'berth', limit: 3 };
  assert.deepEqual(parseCall('read.search', call), { name: 'read.search', args: call });
});

for (const [name, args, message] of [
  ['read.search', {}, /read\.search: query: /],
  ['read.search', { query: 1 }, /read\.search: query: .*Expected string/],
  ['forget', { ids: ['a'], dryRun: true }, /forget: dryRun: /],
  ['remember', { draft: { kind: 'rumour' } }, /remember: draft\.kind: /],
  ['status', null, /status: /],
] as const) {
  test(`${name} with ${JSON.stringify(args)} is refused with the field that is wrong`, () => {
    assert.throws(() => parseCall(name, args), { code: 'bad-call', message });
  });
}

for (const name of ['nope', 'process', 'constructor', '__proto__']) {
  test(`${name} is not a call from outside`, () => {
    assert.throws(() => parseCall(name, {}), { code: 'unknown-call' });
  });
}
