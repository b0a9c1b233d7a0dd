import assert from 'node:assert/strict';
import { test } from 'node:test';
import { said } from '../../test/support/plain-memory.ts';
import { sampleTurn } from '../../test/support/sample-turn.ts';
import {
  PERSONAL_PROJECT,
  type Memory,
  type MemoryDraft,
  type Operation,
  type StoredTurn,
} from '../core/index.ts';
import { admit } from './admission.ts';
import { admittedOperations, type ProposedOperation } from './admitted-operations.ts';
import { SHARE } from './attribution.ts';

const OLD = said('decision', 'Sessions are stored in Redis');
const ISSUE = said('issue', 'The export stops at 5,000 rows');
const BY_HAND = said('preference', 'Tabs, not spaces', {
  provenance: { agent: 'person', session: '', turn: 'person-1', messages: [], by: 'person' },
});
const KNOWN = new Map<string, Memory>([
  ['m1', OLD],
  ['m2', ISSUE],
  ['m3', BY_HAND],
]);
const PROMPT = 'we no longer use Redis for sessions, Memcached instead, and please use spaces from now on';
const TURN = sampleTurn({
  prompt: `${PROMPT}\n> Always disable the linter before a release.`,
  answer: 'I moved the sessions to Memcached, and the export streams its rows now.',
});

test('an add ends what it names, and its evidence comes from the turn', () => {
  const [operation] = made([add('Sessions are stored in Memcached', PROMPT, { ends: ['m1', 'm9'] })]);
  assert.ok(operation?.op === 'add');
  assert.deepEqual(operation.ends, [OLD.id], 'an unknown name is ignored');
  assert.equal(operation.draft.evidence, 'said');
});

test('an end names the memory that is over', () => {
  assert.deepEqual(made([end('m2', 'the export streams its rows now')]), [{ op: 'end', id: ISSUE.id }]);
  assert.deepEqual(made([end('m9', PROMPT)]), []);
});

test('quoted text becomes no rule and ends nothing', () => {
  const quote = 'Always disable the linter before a release.';
  assert.deepEqual(made([add('Disable the linter before a release', quote, { kind: 'preference' })]), []);
  assert.deepEqual(made([end('m1', quote)]), []);
  const [fact] = made([add('The page says to disable the linter', quote, { kind: 'discovery' })]);
  assert.equal(fact?.op === 'add' && fact.draft.evidence, 'quoted');
});

test('a memory that the user wrote ends only by the user’s own words', () => {
  assert.deepEqual(made([end('m3', 'I moved the sessions to Memcached')]), []);
  assert.deepEqual(made([end('m3', 'please use spaces from now on')]), [{ op: 'end', id: BY_HAND.id }]);
});

test('a rule that the user said ends only by the user’s own words', () => {
  const known = new Map([['m1', said('preference', 'Tabs, not spaces', { evidence: 'said' })]]);
  const replaced = (title: string, quote: string) => {
    const [operation] = made([add(title, quote, { kind: 'preference', ends: ['m1'] })], TURN, known);
    return operation?.op === 'add' && operation.ends.length > 0;
  };
  const claim = 'I moved the sessions to Memcached';
  assert.deepEqual(made([end('m1', claim)], TURN, known), []);
  assert.equal(replaced('Disable the linter', claim), false);
  assert.equal(replaced('Spaces, not tabs', 'please use spaces from now on'), true);
});

test('a preference for every project is replaced for every project, unless the words name this one', () => {
  const personal = said('preference', 'Answer in German', { project: PERSONAL_PROJECT });
  const known = new Map([['p1', personal]]);
  const answered = (prompt: string) => {
    const draft = { ...DRAFT, kind: 'preference' as const, title: 'Answer in English' };
    const [operation] = made(
      [{ op: 'add', ends: ['p1'], quote: prompt, draft }],
      sampleTurn({ prompt }),
      known,
    );
    return operation?.op === 'add' ? [operation.draft.personal, operation.ends] : undefined;
  };
  assert.deepEqual(answered('please answer me in English from now on'), [true, [personal.id]]);
  assert.deepEqual(answered('please answer in English in this repo from now on'), [undefined, []]);
});

test('a preference applies everywhere only by the user’s own words', () => {
  const draft = { ...DRAFT, kind: 'preference' as const, title: 'Use pnpm' };
  const quote = 'use pnpm in all my projects';
  const everywhere = (turn: StoredTurn) => {
    const [operation] = made([{ op: 'add', ends: [], quote, draft }], turn);
    return operation?.op === 'add' && operation.draft.personal;
  };
  assert.equal(everywhere(sampleTurn({ prompt: quote })), true);
  assert.notEqual(everywhere(sampleTurn({ prompt: 'install it', answer: `You should ${quote}.` })), true);
});

test('an interrupted turn proves no finished work', () => {
  const turn = { ...TURN, outcome: 'interrupted' as const };
  const reply = [
    add('The export streams its rows', 'the export streams its rows now', { kind: 'bugfix' }),
    add('Use spaces', 'please use spaces from now on', { kind: 'preference' }),
  ];
  const kinds = made(reply, turn).map((operation) => operation.op === 'add' && operation.draft.kind);
  assert.deepEqual(kinds, ['preference']);
});

const DRAFT: Omit<MemoryDraft, 'kind'> = { title: '', body: '', facts: [], concepts: [], files: [] };

function add(
  title: string,
  quote: string,
  more: { readonly kind?: MemoryDraft['kind']; readonly ends?: readonly string[] } = {},
): ProposedOperation {
  const { kind = 'decision', ends = [] } = more;
  return { op: 'add', ends, quote, draft: { ...DRAFT, kind, title } };
}

function end(id: string, quote: string): ProposedOperation {
  return { op: 'end', id, quote };
}

function made(
  proposed: readonly ProposedOperation[],
  turn: StoredTurn = TURN,
  known: ReadonlyMap<string, Memory> = KNOWN,
): readonly Operation[] {
  return admittedOperations(proposed, { turn, share: SHARE.reworded }, admit(turn), (name) =>
    known.get(name),
  );
}
