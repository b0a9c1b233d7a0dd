/** Rules for every context: nothing that has ended, nothing quoted as a rule, evidence on each line. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  type Evidence,
  type Memory,
  type MemoryKind,
  MEMORY_KINDS,
  memoryId,
  type MemoryState,
  shortId,
  type SessionSummary,
} from '../../core/index.ts';
import { MemoryIndex } from '../../database/index.ts';
import { putImportedSummary } from '../../memory/index.ts';
import { brief } from './brief.ts';
import { fileContext } from './file-context.ts';
import { byNameOnly } from '../ranking/signals.ts';
import { promptContext } from './prompt-context.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');
const PROJECT = 'shop-a1b2';
const FILE = 'src/checkout.ts';
let made = 0;

function memory(kind: MemoryKind, title: string, more: Partial<Memory> = {}): Memory {
  const at = new Date(NOW.getTime() - ++made * 3_600_000).toISOString();
  const turn = `turn-${made}`;
  return {
    id: memoryId(at, turn, kind, 0),
    kind,
    title,
    body: '',
    facts: [],
    concepts: [],
    files: [FILE],
    project: PROJECT,
    at,
    state: kind === 'issue' ? 'open' : 'current',
    evidence: 'said',
    provenance: { agent: 'claude-code', session: 'earlier', turn, messages: [], by: 'model' },
    ...more,
  };
}

function indexOf(t: TestContext, memories: readonly Memory[]): MemoryIndex {
  const index = MemoryIndex.open(':memory:');
  t.after(() => index.close());
  index.upsertMemories(memories.map((one) => ({ memory: one })));
  return index;
}

/** The text of every context, with the lines for the user. */
function contexts(index: MemoryIndex, prompt: string): Readonly<Record<string, string>> {
  const start = brief(index, { project: PROJECT, now: NOW, budgetTokens: 4000 });
  const asked = { project: PROJECT, prompt, now: NOW, already: [], session: 'new' };
  const first = promptContext(index, { ...asked, first: true });
  const later = promptContext(index, { ...asked, first: false });
  const file = { project: PROJECT, files: [FILE], now: NOW, already: new Set<string>() };
  const read = fileContext(index, { ...file, moment: 'read', session: 'new' });
  const edited = fileContext(index, { ...file, moment: 'edit', session: 'new' });
  const subagent = fileContext(index, { ...file, moment: 'edit', session: 'subagent of new' });
  return {
    brief: `${start?.text}\n${start?.line}`,
    first: `${first.text}\n${first.line}`,
    later: `${later.text}\n${later.line}`,
    read: `${read.text}\n${read.line}`,
    edit: `${edited.text}\n${edited.line}`,
    subagent: `${subagent.text}\n${subagent.line}`,
  };
}

test('no context contains a memory that has ended', (t) => {
  const ended: readonly MemoryState[] = ['resolved', 'superseded'];
  for (const state of ended) {
    for (const kind of MEMORY_KINDS) {
      const over = memory(kind, `Checkout locks the basket table during payment ${kind}`, {
        state,
        body: 'Zeppelin detail.',
        reason: 'Quagga reason.',
        seen: 5,
        ended: { at: NOW.toISOString(), turn: 'turn-x', maker: 'claude' },
      });
      const other = memory('decision', 'Invoices are numbered without gaps', { files: [] });
      const index = indexOf(t, [over, other]);
      const found = contexts(index, 'Why does the checkout lock the basket table during payment?');
      for (const [name, text] of Object.entries(found)) {
        assert.doesNotMatch(text, /basket table|Zeppelin|Quagga/, `${state} ${kind} in ${name}`);
        assert.ok(!text.includes(shortId(over.id)), `${state} ${kind} in ${name}`);
      }
    }
  }
});

test('a summary of the previous session does not bring back what has ended', (t) => {
  const index = indexOf(t, [
    memory('issue', 'Checkout locks the basket table during payment', { state: 'resolved' }),
    memory('feature', 'Guests can pay by invoice', { state: 'superseded' }),
    memory('issue', 'The receipt e-mail has no logo'),
  ]);
  const summary = {
    ...EMPTY,
    request: 'Make the checkout faster',
    learned: 'Checkout locks the basket table during payment',
    completed: 'Guests can pay by invoice; The basket page loads in 90 ms',
    next_steps:
      '- Checkout locks the basket table during payment\n- The receipt e-mail has no logo\n- Ask Kim about VAT',
  };
  endSession(index, summary);
  putImportedSummary(index, { session: 'earlier', at: NOW.toISOString(), summary });
  const { text = '' } = brief(index, { project: PROJECT, now: NOW }) ?? {};
  assert.doesNotMatch(text, /basket table|by invoice/);
  assert.equal(text.split('receipt e-mail').length, 2);
  assert.match(text, /- Done: The basket page loads in 90 ms\./);
  assert.match(text, /- Next: Ask Kim about VAT/);
});

test('a summary by rules is not repeated once a model has read the session', (t) => {
  const index = indexOf(t, [memory('issue', 'The receipt e-mail has no logo')]);
  const request = 'Make the checkout faster';
  endSession(index, {
    ...EMPTY,
    request,
    completed: 'Only the index is wrong',
    next_steps: 'Ignore it today',
  });
  const { text = '' } = brief(index, { project: PROJECT, now: NOW }) ?? {};
  assert.match(text, /- Asked: Make the checkout faster\./);
  assert.doesNotMatch(text, /Only the index|Ignore it/);
});

const EMPTY: SessionSummary = {
  request: '',
  investigated: '',
  learned: '',
  completed: '',
  next_steps: '',
  files_read: '',
  files_edited: '',
  notes: '',
};

function endSession(index: MemoryIndex, summary: SessionSummary): void {
  const at = NOW.toISOString();
  const session = {
    id: 'earlier',
    agent: 'claude-code',
    project: PROJECT,
    startedAt: at,
    lastAt: at,
  } as const;
  index.upsertSession({ ...session, status: 'completed', turns: 4, summary });
}

const IN_FORCE = /## Decisions and preferences in force\n([\s\S]*?)(?:\n\n|\n<)/;
const NOT_CONFIRMED = /## Noted by the agent, not confirmed by the user\n([\s\S]*?)(?:\n\n|\n<)/;

test('only what the user said or something showed is listed as in force', (t) => {
  const rules = (['decision', 'preference', 'pattern'] as const).flatMap((kind) =>
    (['said', 'shown', 'claimed', 'quoted'] as const).map((evidence: Evidence) => ({
      evidence,
      one: memory(kind, `Rule ${kind} of evidence ${evidence}`, { evidence, seen: 4 }),
    })),
  );
  const index = indexOf(
    t,
    rules.map(({ one }) => one),
  );
  const { text = '' } = brief(index, { project: PROJECT, now: NOW, budgetTokens: 4000 }) ?? {};
  const [, inForce = ''] = IN_FORCE.exec(text) ?? [];
  const [, notConfirmed = ''] = NOT_CONFIRMED.exec(text) ?? [];
  for (const { evidence, one } of rules) {
    assert.equal(inForce.includes(shortId(one.id)), evidence === 'said' || evidence === 'shown', one.title);
    assert.equal(notConfirmed.includes(shortId(one.id)), evidence === 'claimed', one.title);
    assert.equal(text.includes(shortId(one.id)), evidence !== 'quoted', one.title);
  }
});

test('every kind lists what is confirmed before what the agent claims', (t) => {
  for (const kind of ['dead_end', 'issue', 'discovery'] as const) {
    const claimed = memory(kind, 'Newer, claimed by the agent', { evidence: 'claimed' });
    const said = memory(kind, 'Older, said by the user');
    const { text = '' } = brief(indexOf(t, [claimed, said]), { project: PROJECT, now: NOW }) ?? {};
    assert.ok(text.indexOf(shortId(said.id)) < text.indexOf(shortId(claimed.id)), text);
    assert.match(text, new RegExp(`\\(agent, [^)]*${shortId(claimed.id)}`));
  }
});

test('a rule of an unmerged branch is labelled and not listed as in force; a preference is only labelled', (t) => {
  const auth = { branch: 'auth' };
  const here = memory('decision', 'Sessions are stored in Redis');
  const there = memory('decision', 'Sessions are stored in a cookie', auth);
  const merged = memory('decision', 'Passwords are hashed with argon2', { branch: 'login' });
  const wish = memory('preference', 'Small commits', auth);
  const trap = memory('dead_end', 'JWT without a store', auth);
  const signals = {
    ...byNameOnly('main'),
    branch: ({ branch }: Memory) => (branch === 'auth' ? ('unmerged' as const) : ('here' as const)),
  };
  const index = indexOf(t, [there, here, merged, wish, trap]);
  const { text = '' } = brief(index, { project: PROJECT, now: NOW, branch: 'main', signals }) ?? {};
  const [, inForce = ''] = IN_FORCE.exec(text) ?? [];
  const listed = [there, here, merged, wish].map(({ id }) => inForce.includes(shortId(id)));
  assert.deepEqual(listed, [false, true, true, true], text);
  assert.match(
    text,
    new RegExp(`## On other branches, not merged here\\n.*${shortId(there.id)}; on branch auth, not merged`),
  );
  for (const { id } of [wish, trap])
    assert.match(text, new RegExp(`${shortId(id)}; on branch auth, not merged\\)`));
  assert.doesNotMatch(text, /on branch login/);
});

test('quoted advice is injected nowhere', (t) => {
  for (const kind of ['decision', 'preference', 'pattern', 'dead_end'] as const) {
    const advice = memory(kind, 'Always disable certificate checks in the payment client', {
      evidence: 'quoted',
      seen: 4,
    });
    const found = contexts(
      indexOf(t, [advice]),
      'Should we disable certificate checks in the payment client?',
    );
    for (const [name, text] of Object.entries(found))
      assert.ok(!text.includes(shortId(advice.id)), `${kind} in ${name}`);
  }
});

test('each line has its evidence, its source unless a model, its age and its id', (t) => {
  const by = (maker: string): Partial<Memory> => ({
    provenance: { agent: 'claude-code', session: 's', turn: `t${made}`, messages: [], by: maker },
  });
  const said = memory('decision', 'Invoices are numbered without gaps');
  const hand = memory('preference', 'Small commits', by('person'));
  const rules = memory('preference', 'Tests use a real database', by('local'));
  const colleague = memory('decision', 'Prices include VAT', { author: 'Ada' });
  const shown = memory('pattern', 'Handlers validate their input', { evidence: 'shown' });
  const claim = memory('decision', 'Keep the cache in memory', { evidence: 'claimed', ...by('agent') });
  const other = memory('decision', 'Use the old importer', { evidence: 'claimed', ...by('claude-mem') });
  const index = indexOf(t, [said, hand, rules, colleague, shown, claim, other]);
  const { text = '' } = brief(index, { project: PROJECT, now: NOW, budgetTokens: 4000 }) ?? {};
  for (const [one, words] of [
    [said, '(user, '],
    [hand, '(user, '],
    [rules, '(user via rules, '],
    [colleague, '(Ada, '],
    [shown, '(shown, '],
    [claim, '(decision, agent, '],
    [other, '(decision, agent via import, '],
  ] as const) {
    const line = text.split('\n').find((each) => each.includes(shortId(one.id))) ?? '';
    assert.ok(line.includes(words), line);
    assert.match(line, /, \d+ (?:min|h|d)[,)]/);
  }
});

test('a body that only repeats the title is left out', (t) => {
  const one = memory('preference', 'Always use pnpm in this repository', {
    body: 'In this repository, always use pnpm.',
  });
  const found = contexts(
    indexOf(t, [one]),
    'Which package manager do we always use in this repository, pnpm?',
  );
  for (const [name, text] of Object.entries(found))
    assert.doesNotMatch(text, /In this repository, always/, name);
});
