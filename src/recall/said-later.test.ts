import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ABOUT_REFUNDS,
  conversationIndex,
  NOW,
  PROJECT,
  REFUNDS,
  spokenTurn,
} from '../../test/support/past-conversations.ts';
import { memoryId, shortId, type Memory } from '../core/index.ts';
import type { IndexedTurn, MemoryIndex } from '../database/index.ts';
import { pastSession } from './context/past-session.ts';
import { laterNote, saidLater } from './said-later.ts';
import { searchTurns } from './turns.ts';

const LATER = '7a3619c4-0007-4000-8000-000000000007';
const DECIDED = `${REFUNDS}#2`;
const CHANGED = `${LATER}#0`;

/** A session that changes the decision on refunds without naming it well. */
const change = spokenTurn(
  LATER,
  0,
  '2026-10-30T09:00:00.000Z',
  'From today the harbour fee stays with the harbour, no matter who cancelled the sailing.',
  'Understood: passengers no longer get the harbour fee back after a cancelled sailing.',
);

const memory = (
  turn: string,
  session: string,
  at: string,
  title: string,
  more: Partial<Memory> = {},
): Memory => ({
  id: memoryId(at, turn, 'decision', 0),
  kind: 'decision',
  title,
  body: '',
  facts: [],
  concepts: [],
  files: [],
  project: PROJECT,
  at,
  state: 'current',
  provenance: { agent: 'claude-code', session, turn, messages: [], by: 'local' },
  ...more,
});

const next = memory(CHANGED, LATER, '2026-10-30T09:00:00.000Z', 'The harbour fee stays with the harbour');
const old = (more: Partial<Memory> = {}): Memory =>
  memory(
    DECIDED,
    REFUNDS,
    '2026-08-20T09:02:00.000Z',
    'Refunds of cancelled sailings include the harbour fee',
    more,
  );

function indexWith(...memories: readonly Memory[]): MemoryIndex {
  return indexOf(change, memories);
}

function indexOf(turn: IndexedTurn, memories: readonly Memory[]): MemoryIndex {
  const index = conversationIndex(turn);
  index.upsertMemories(memories.map((one) => ({ memory: one })));
  return index;
}

const ASKED = { project: PROJECT, query: ABOUT_REFUNDS, now: NOW };

test('a later memory about the same is found for a turn, and none for the later turn', () => {
  const index = indexWith(old(), next);
  const laterOf = saidLater(index, ASKED);
  assert.equal(laterOf(DECIDED)?.id, next.id);
  assert.equal(laterOf(CHANGED), undefined);
  assert.equal(
    laterNote(laterOf(DECIDED), NOW),
    `later about the same, 2 weeks ago: The harbour fee stays with the harbour (${shortId(next.id)})`,
  );
  assert.equal(laterNote(undefined, NOW), '');
  index.close();
});

test('the current session and memories that are no longer in force are not named', () => {
  const index = indexWith(old(), { ...next, state: 'superseded' });
  assert.equal(saidLater(index, ASKED)(DECIDED), undefined);
  index.close();
  const again = indexWith(old(), next);
  assert.equal(saidLater(again, { ...ASKED, session: LATER })(DECIDED), undefined);
  again.close();
});

test('search lists the turn that replaced a decision before the turn that made it', () => {
  const query = 'refund of a cancelled sailing: harbour fee included?';
  const places = (index: MemoryIndex): readonly number[] => {
    const ids = searchTurns(index, query, { now: NOW, project: PROJECT }).map(({ turn }) => turn.id);
    index.close();
    return [ids.indexOf(CHANGED), ids.indexOf(DECIDED)];
  };
  const [changed = -1, decided = -1] = places(
    indexWith(old({ state: 'superseded', supersededBy: next.id }), next),
  );
  assert.ok(changed >= 0 && changed < decided, `${changed} ${decided}`);
});

test('the past session is the one that replaced its decision, and says so', () => {
  const vague = { ...change, prompt: 'No, the port keeps it from today on.', answer: 'Changed for all.' };
  const index = indexOf(vague, [old({ state: 'superseded', supersededBy: next.id }), next]);
  const found = pastSession(index, { ...ASKED, prompt: ABOUT_REFUNDS, session: 'new', already: [] });
  index.close();
  assert.equal(found?.conversation.session, LATER);
  assert.match(
    found.conversation.why,
    new RegExp(`^It changed a decision of session ${REFUNDS}, which shares`),
  );
  assert.match(found.text, /\nUser: No, the port keeps it from today on\.\n/);
});
