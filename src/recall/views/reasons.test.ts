import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSONAL_PROJECT } from '../../core/index.ts';
import { sampleMemory } from '../../../test/support/full-memory.ts';
import { reasonsFor, searchReasons, type Grounds } from './reasons.ts';

const grounds = (more: Partial<Grounds> = {}): Grounds => ({
  where: 'prompt',
  memory: sampleMemory({ id: 'm', kind: 'decision', state: 'current', evidence: 'said' }),
  named: [],
  covered: [],
  parts: [],
  similar: false,
  read: undefined,
  file: undefined,
  ...more,
});

test('a prompt: the file, the words, the meaning and the small model, in this order', () => {
  assert.deepEqual(
    reasonsFor(grounds({ named: ['src/auth.ts'], covered: ['refresh', 'token'], similar: true, read: 0.9 })),
    [
      'You named the file src/auth.ts',
      'Shares the words refresh, token',
      'Similar in meaning',
      'The small model judged it relevant',
    ],
  );
  assert.deepEqual(reasonsFor(grounds({ covered: ['token'] })), ['Shares the word token']);
  assert.deepEqual(reasonsFor(grounds({ covered: [...'abcdefgh'] })), [
    'Shares the words a, b, c, d, e, f and 2 more',
  ]);
  assert.deepEqual(reasonsFor(grounds()), ['It matched the prompt']);
});

test('a prompt: circumstances that changed the rank are named, other steps of the score are not', () => {
  const part = (name: string, factor: number) => ({ name, factor, after: 0.5 });
  const parts = [
    part('words covered', 0.8),
    part('kind bugfix', 0.97),
    part('age', 0.99),
    part('opened', 1.03),
  ];
  assert.deepEqual(reasonsFor(grounds({ covered: ['token'], parts })), [
    'Shares the word token',
    'Opened in earlier sessions',
  ]);
  const personal = sampleMemory({ id: 'p', project: PERSONAL_PROJECT });
  assert.deepEqual(
    reasonsFor(grounds({ memory: personal, covered: ['token'], parts: [part('project', 0.97)] })).at(-1),
    'Personal, applies to every project',
  );
});

test('a brief: the section that lists the memory', () => {
  const { memory } = grounds();
  assert.deepEqual(reasonsFor(grounds({ where: 'brief' })), ['In the brief: a decision in force']);
  const claimed = sampleMemory({ id: 'c', kind: 'decision', evidence: 'claimed' });
  assert.deepEqual(reasonsFor(grounds({ where: 'brief', memory: claimed })), [
    'In the brief: noted by the agent, not confirmed',
  ]);
  const ended = memory && { ...memory, state: 'superseded' as const };
  assert.deepEqual(reasonsFor(grounds({ where: 'brief', memory: ended })), [
    'In the brief: a decision in force at that time',
  ]);
  assert.deepEqual(reasonsFor(grounds({ where: 'brief', memory: undefined })), []);
});

test('a file: its name, if the record has it', () => {
  assert.deepEqual(reasonsFor(grounds({ where: 'read', file: 'src/auth.ts' })), [
    'The agent read src/auth.ts, and this memory is about it',
  ]);
  assert.deepEqual(reasonsFor(grounds({ where: 'edit' })), [
    'The agent was about to change a file, and this memory is about it',
  ]);
});

test('a search: the file that the query names, shared words and meaning; a filter alone says so', () => {
  const memory = sampleMemory({ id: 'm', files: ['src/auth.ts'] });
  const hit = { memory, covered: ['token'], parts: [], cosine: 0.7 };
  assert.deepEqual(searchReasons(hit, { mentioned: ['auth.ts'] }), [
    'You named the file auth.ts',
    'Shares the word token',
    'Similar in meaning',
  ]);
  const weak = { memory, covered: [], parts: [] };
  const listed = { ...weak, parts: [{ name: 'listed by filter', factor: 1, after: 1 }] };
  assert.deepEqual(searchReasons(listed, { mentioned: [] }), ['It matches the filters']);
  assert.deepEqual(searchReasons({ ...weak, cosine: 0.3 }, { mentioned: [] }), [
    'A little similar in meaning',
  ]);
  assert.deepEqual(searchReasons(weak, { mentioned: [] }), ['Stored next to memories that match']);
});
