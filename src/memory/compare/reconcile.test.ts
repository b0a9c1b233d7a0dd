import assert from 'node:assert/strict';
import { test } from 'node:test';
import { said, source } from '../../../test/support/plain-memory.ts';
import type { Memory } from '../../core/index.ts';
import { reconcile, type Source } from './reconcile.ts';

const byId = (sources: readonly Source[]) => new Map(reconcile(sources).map((one) => [one.memory.id, one]));

test('the earliest memory stays and counts the turns that repeat it', () => {
  const first = said('preference', 'Always run the linter before you commit', {}, 1);
  const again = [2, 3].map((minute) => said('preference', 'Run the linter before every commit', {}, minute));
  const [entry, ...others] = reconcile([first, ...again].map((memory) => source(memory)));
  assert.equal(others.length, 0);
  assert.equal(entry?.memory.id, first.id);
  assert.equal(entry?.memory.seen, 3);
  assert.deepEqual(entry?.memory.provenance.also, ['turn-2', 'turn-3']);
  assert.equal(entry?.merged.length, 2);
});

test('a contradicted memory is superseded with links both ways, and current again when it is repeated', () => {
  const npm = said('decision', 'Use npm for installs', {}, 1);
  const pnpm = said('decision', 'Use pnpm instead of npm for installs', {}, 2);
  const before = byId([npm, pnpm].map((memory) => source(memory)));
  assert.equal(before.get(npm.id)?.memory.state, 'superseded');
  assert.equal(before.get(npm.id)?.memory.supersededBy, pnpm.id);
  assert.deepEqual(before.get(pnpm.id)?.memory.supersedes, [npm.id]);
  const again = said('decision', 'Use npm for installs', {}, 3);
  const after = byId([npm, pnpm, again].map((memory) => source(memory)));
  assert.equal(after.get(npm.id)?.memory.state, 'current');
  assert.equal(after.get(pnpm.id)?.memory.supersededBy, npm.id);
});

test('a claim of the agent does not supersede a rule of the user: both stay', () => {
  const later = 'Use pnpm instead of npm for installs';
  const stateOf = (rule: Memory, evidence: 'said' | 'claimed') => {
    const claim = said('preference', later, { evidence }, 2);
    const found = byId([rule, claim].map((memory) => source(memory)));
    return found.get(rule.id)?.memory.state;
  };
  const rule = said('preference', 'Use npm for installs', { evidence: 'said' }, 1);
  const written = { ...rule, kind: 'decision', provenance: { ...rule.provenance, by: 'person' } } as const;
  for (const one of [rule, written]) {
    assert.equal(stateOf(one, 'claimed'), 'current');
    assert.equal(stateOf(one, 'said'), 'superseded');
  }
});

test('a later fix resolves an issue, and a later report opens it again', () => {
  const issue = said('issue', 'The logout button is broken on Safari', {}, 1);
  const fix = said(
    'bugfix',
    'Logout button works on Safari again',
    { body: 'It was broken by a missing handler.' },
    2,
  );
  const resolved = byId([issue, fix].map((memory) => source(memory))).get(issue.id)?.memory;
  assert.equal(resolved?.state, 'resolved');
  assert.equal(resolved?.resolvedBy, fix.id);
  const back = said('issue', 'The logout button is broken on Safari', {}, 3);
  assert.equal(byId([issue, fix, back].map((memory) => source(memory))).get(issue.id)?.memory.state, 'open');
});

test('a memory the user wrote stays a separate entry, and a state the user set stays', () => {
  const distilled = said('decision', 'Money is kept in cents', {}, 1);
  const byHand = said('decision', 'Money is kept in cents', {}, 2);
  assert.equal(reconcile([source(distilled), source(byHand, { byHand: true })]).length, 2);
  const issue = said('issue', 'Imports are slow on Windows', { state: 'resolved' }, 1);
  const again = said('issue', 'Imports are slow on Windows', {}, 2);
  const states = reconcile([source(issue, { pinned: true }), source(again)]).map(
    ({ memory }) => memory.state,
  );
  assert.deepEqual(states, ['resolved', 'open']);
});

test('a removal supersedes the feature it removes', () => {
  const cache = said('feature', 'Added an in-memory cache for org slugs', {}, 1);
  const removal = said('refactor', 'Removed the in-memory cache', {}, 2);
  const result = byId([cache, removal].map((memory) => source(memory)));
  assert.equal(result.get(cache.id)?.memory.state, 'superseded');
  assert.equal(result.get(cache.id)?.memory.supersededBy, removal.id);
  assert.deepEqual(result.get(removal.id)?.memory.supersedes, [cache.id]);
});

const KINDS = ['decision', 'preference', 'pattern', 'feature', 'refactor', 'bugfix', 'issue'] as const;
const TITLES = [
  'Use Redis for sessions',
  'No longer use Redis for sessions, Memcached instead',
  'We dropped Redis',
  'Use Redis for rate limits',
  'Use Memcached instead of Redis for sessions',
  'Sessions are stored in Redis',
  'The session cache has a TTL of 60 s',
  'TTL of the session cache: 60 → 600 s',
  'The session cache has a TTL of 600 s',
  'The session cache of shard-1 has a TTL of 60 s',
  'The session cache of shard-2 has a TTL of 90 s',
  'Remove the session cache',
  'Added a session cache',
  'Build the worker with Node 20',
  'Build the worker with Node 22',
  'The cache-3 store is corrupt after a restart',
  'The cache-18 store is no longer corrupt after a restart',
  'The cache-3 store is no longer corrupt after a restart',
];

test('the result depends only on the set of memories, whatever their order of arrival', () => {
  const random = seeded(16);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // the index is within the list
  for (let round = 0; round < 60; round++) {
    const memories = Array.from({ length: 3 + (round % 9) }, (_, i) =>
      said(pick(KINDS), pick(TITLES), {}, i + 1),
    );
    const expected = resultOf(memories);
    for (let i = 0; i < 4; i++) {
      const shuffled = memories
        .map((memory) => ({ memory, key: random() }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ memory }) => memory);
      assert.equal(resultOf(shuffled), expected);
    }
  }
});

function resultOf(memories: readonly Memory[]): string {
  const result = reconcile(memories.map((memory) => source(memory)));
  return JSON.stringify(result.toSorted((a, b) => (a.memory.id < b.memory.id ? -1 : 1)));
}

/** A small generator of repeatable numbers (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test('the order of the sources does not change the result', () => {
  const memories: readonly Memory[] = [
    said('decision', 'Use npm for installs', {}, 1),
    said('issue', 'Installs with npm are slow on the build machine', {}, 2),
    said('decision', 'Use pnpm instead of npm for installs', {}, 3),
    said('decision', 'use pnpm instead of npm for installs!', {}, 4),
    said('feature', 'Installs on the build machine are no longer slow', { body: 'npm is gone' }, 5),
    said('preference', 'Access tokens live 15 minutes', {}, 6),
    said('decision', 'Access tokens live 30 minutes', {}, 7),
  ];
  const sorted = (list: readonly Memory[]) =>
    JSON.stringify(
      reconcile(list.map((memory) => source(memory))).toSorted((a, b) =>
        a.memory.id < b.memory.id ? -1 : 1,
      ),
    );
  const expected = sorted(memories);
  assert.equal(sorted(memories.toReversed()), expected);
  for (let i = 0; i < memories.length; i++)
    assert.equal(sorted([...memories.slice(i), ...memories.slice(0, i)]), expected);
});
