import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { memoryId, shortId, type Memory, type MemoryKind } from '../../core/index.ts';
import { indexedTurn, MemoryIndex } from '../../database/index.ts';
import { sampleTurn } from '../../../test/support/sample-turn.ts';
import { resumeContext } from './resume.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');
const PROJECT = 'shop-a1b2';
const [BEFORE, LAST, AFTER] = [
  '2026-11-12T10:00:00.000Z',
  '2026-11-12T10:30:00.000Z',
  '2026-11-14T09:00:00.000Z',
];
let made = 0;

function memory(
  kind: MemoryKind,
  title: string,
  at: string,
  session: string,
  more: Partial<Memory> = {},
): Memory {
  const turn = `turn-${++made}`;
  return {
    id: memoryId(at, turn, kind, 0),
    kind,
    title,
    body: '',
    facts: [],
    concepts: [],
    files: [],
    project: PROJECT,
    at,
    state: kind === 'issue' ? 'open' : 'current',
    evidence: 'said',
    provenance: { agent: 'claude-code', session, turn, messages: [], by: 'model' },
    ...more,
  };
}

function resumed(t: TestContext, memories: readonly Memory[]) {
  const index = MemoryIndex.open(':memory:');
  t.after(() => index.close());
  const turn = sampleTurn({
    id: 'last',
    session: 'mine',
    project: PROJECT,
    startedAt: BEFORE,
    endedAt: LAST,
  });
  index.upsertTurns([indexedTurn(turn, { file: 'x', offset: 0, length: 1 }, 'hash')]);
  index.upsertMemories(memories.map((one) => ({ memory: one })));
  return resumeContext(index, { project: PROJECT, session: 'mine', now: NOW });
}

test('a resumed session without changes gets nothing', (t) => {
  const own = memory('decision', 'Prices include VAT', BEFORE, 'mine');
  const early = memory('decision', 'Invoices have no gaps', BEFORE, 'other');
  const laterOwn = memory('decision', 'Totals are rounded once', AFTER, 'mine');
  assert.equal(resumed(t, [own, early, laterOwn]), undefined);
});

test('a resumed session gets what other sessions ended, replaced, decided and left open', (t) => {
  const next = memory('decision', 'Sessions are stored in Memcached', AFTER, 'other');
  const old = memory('decision', 'Sessions are stored in Redis', BEFORE, 'mine', {
    state: 'superseded',
    supersededBy: next.id,
  });
  const over = memory('issue', 'Logout leaves the cookie', BEFORE, 'mine', {
    state: 'resolved',
    ended: { at: AFTER, turn: 'turn-x', maker: 'claude' },
  });
  const before = memory('issue', 'The build is slow', BEFORE, 'mine', {
    state: 'resolved',
    ended: { at: BEFORE, turn: 'turn-y', maker: 'claude' },
  });
  const open = memory('issue', 'Two imports deadlock', AFTER, 'other');
  const claim = memory('decision', 'Keep two replicas', AFTER, 'other', { evidence: 'claimed' });
  const { text = '', memories = [] } = resumed(t, [next, old, over, before, open, claim]) ?? {};
  assert.match(
    text,
    new RegExp(
      `Sessions are stored in Redis → Sessions are stored in Memcached\\. \\(user, 1 d, ${shortId(next.id)}\\)`,
    ),
  );
  assert.match(text, new RegExp(`Logout leaves the cookie \\(resolved, 1 d, ${shortId(over.id)}\\)`));
  assert.match(text, /## New open issues\n- Two imports deadlock\./);
  assert.doesNotMatch(text, /build is slow|two replicas/);
  assert.equal(text.split(shortId(next.id)).length, 2);
  assert.deepEqual(memories.toSorted(), [next.id, over.id, open.id].toSorted());
});

test('a resumed session gets the rules for every project that it has never got', (t) => {
  const everywhere = memory('preference', 'Answer in German', BEFORE, 'elsewhere', { project: 'personal' });
  const claim = memory('preference', 'Use emojis', BEFORE, 'elsewhere', {
    project: 'personal',
    evidence: 'claimed',
  });
  const own = memory('preference', 'Use British spelling', BEFORE, 'mine', { project: 'personal' });
  const found = resumed(t, [everywhere, claim, own]);
  assert.match(found?.text ?? '', /## The user's rules for every project\n- Answer in German/);
  assert.deepEqual(found?.memories, [everywhere.id]);
  assert.match(found?.line ?? '', /^Remembered \(1\)/);

  const index = MemoryIndex.open(':memory:');
  t.after(() => index.close());
  index.upsertMemories([{ memory: everywhere }]);
  const asked = { project: PROJECT, session: 'from-before-the-installation', now: NOW };
  assert.deepEqual(resumeContext(index, asked)?.memories, [everywhere.id]);
  const loaded = new Set(['answer in german']);
  assert.equal(resumeContext(index, { ...asked, loaded }), undefined, 'the client loads it itself');
  index.recordInjection([
    {
      at: BEFORE,
      session: asked.session,
      place: 'brief',
      promptId: '',
      memory: everywhere.id,
      score: 1,
    },
  ]);
  assert.equal(resumeContext(index, asked), undefined);
});
