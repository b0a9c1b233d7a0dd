import assert from 'node:assert/strict';
import { test } from 'node:test';
import { said } from '../../test/support/plain-memory.ts';
import { shortId } from '../core/index.ts';
import { conflictNote, conflictsOf } from './conflicts.ts';

const node20 = said('decision', 'Build the worker with Node 20', {}, 1);
const node18 = said('decision', 'Build the worker with Node 18', { state: 'superseded' }, 2);

test('a note names the memories in force that may conflict', () => {
  const known = new Map([node20, node18].map((memory) => [memory.id, memory]));
  const index = { memory: (id: string) => known.get(id) };
  const memory = said(
    'preference',
    'Build the worker with Node 22',
    { conflictsWith: [node20.id, node18.id, 'forgotten'] },
    3,
  );
  const found = conflictsOf(index, memory);
  assert.deepEqual(
    found.map(({ id }) => id),
    [node20.id],
  );
  assert.equal(
    conflictNote(found),
    `may conflict with: Build the worker with Node 20 (${shortId(node20.id)})`,
  );
  assert.equal(conflictNote([]), '');
});

test('a note names two and counts the rest', () => {
  const [a, b, c] = ['one', 'two', 'three'].map((word, i) => said('decision', `Use ${word}`, {}, i));
  assert.ok(a && b && c);
  assert.equal(
    conflictNote([a, b, c]),
    `may conflict with: Use one (${shortId(a.id)}); Use two (${shortId(b.id)}) and 1 more`,
  );
});
