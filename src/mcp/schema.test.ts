import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkArguments, type InputSchema } from './schema.ts';

const SCHEMA: InputSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', maxLength: 10, description: '' },
    kind: { type: 'string', enum: ['a', 'b'], description: '' },
    limit: { type: 'integer', minimum: 1, maximum: 5, description: '' },
    ids: { type: 'array', items: { type: 'string' }, maxItems: 2, description: '' },
    deep: { type: 'boolean', description: '' },
  },
  required: ['query'],
  additionalProperties: false,
};

test('what fits is handed on, what models get wrong without harm is forgiven', () => {
  const given = { query: ' x ', kind: 'a', limit: '3', ids: 'one', deep: true };
  assert.deepEqual(checkArguments(SCHEMA, given), {
    ok: true,
    value: { query: 'x', kind: 'a', limit: 3, ids: ['one'], deep: true },
  });
  assert.deepEqual(checkArguments(SCHEMA, { query: 'x', limit: null }), { ok: true, value: { query: 'x' } });
});

for (const [what, given, problem] of [
  ['no object', 'x', /must be an object/],
  ['a list', [], /must be an object/],
  ['nothing', {}, /"query" is required/],
  ['an empty text', { query: ' ' }, /"query" is required/],
  ['a wrong type', { query: 5 }, /"query" must be a text of at most 10 characters/],
  ['a text too long', { query: 'x'.repeat(11) }, /at most 10/],
  ['another word', { query: 'x', kind: 'c' }, /"kind" must be one of a, b/],
  ['a number out of range', { query: 'x', limit: 6 }, /from 1 to 5/],
  ['half a number', { query: 'x', limit: 1.5 }, /a whole number/],
  ['an empty list', { query: 'x', ids: [] }, /a list of 1 to 2/],
  ['a list too long', { query: 'x', ids: ['a', 'b', 'c'] }, /a list of 1 to 2/],
  ['a list of others', { query: 'x', ids: [{}] }, /a list of 1 to 2/],
  ['a text for a truth', { query: 'x', deep: 'yes' }, /true or false/],
  ['an unknown name', { query: 'x', q: 1 }, /no argument "q"; known: query, kind, limit, ids, deep/],
  ['a name of every object', { query: 'x', constructor: 'x' }, /no argument "constructor"/],
] as const) {
  test(`${what} is refused in words that say what is wanted`, () => {
    const checked = checkArguments(SCHEMA, given);
    assert.ok(!checked.ok);
    assert.match(checked.problem, problem);
  });
}
