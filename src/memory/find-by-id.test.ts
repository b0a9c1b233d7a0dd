import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { sampleMemory } from '../../test/support/full-memory.ts';
import { sampleTurn } from '../../test/support/sample-turn.ts';
import type { TidemarkError } from '../core/index.ts';
import { MemoryIndex } from '../database/index.ts';
import { anythingNamed, noMemory, shortStart } from './find-by-id.ts';

let index: MemoryIndex;

const turnCalled = (id: string) => {
  const { startedAt: at, ...turn } = sampleTurn({ id, session: id.split('#')[0] ?? '' });
  const { session, project, endedAt, origin, outcome, prompt, answer } = turn;
  return { id, session, project, at, endedAt, origin, outcome, prompt, answer, tools: 0, hash: id };
};

beforeEach(() => {
  index = MemoryIndex.open(':memory:');
  for (const session of ['5f3c1a2b-session', '5f3c9999-session', 'ses_01'])
    index.upsertSession({
      id: session,
      agent: 'claude-code',
      project: 'engine',
      startedAt: '2026-03-01T10:00:00Z',
      lastAt: '2026-03-01T10:00:00Z',
      status: 'completed',
      turns: 1,
    });
  for (const id of ['aaaa1111-turn', 'aaaa2222-turn', '5f3c1777-turn', 'ses_01#1', 'ses_01#2'])
    index.upsertTurns([turnCalled(id)]);
  index.upsertMemories([
    { memory: sampleMemory({ id: '1ja0p3h7k2m9qx' }) },
    { memory: sampleMemory({ id: '1ja0p3h7k2mzzz' }) },
    { memory: sampleMemory({ id: '1ja0p3h8es5tvw' }) },
  ]);
});

afterEach(() => index.close());

const named = (id: string): string => {
  const found = anythingNamed(index, id);
  return `${found.kind} ${found.kind === 'memory' ? found.memory.id : found.id}`;
};
const refused = (id: string): string => {
  try {
    return named(id);
  } catch (error) {
    const { message, hint } = error as TidemarkError;
    return `${message}. ${hint}`;
  }
};

test('a memory, a turn or a session is named by its id or the start of it', () => {
  for (const [id, found] of [
    ['1ja0p3h7k2m9qx', 'memory 1ja0p3h7k2m9qx'],
    ['7k2m9qx', 'memory 1ja0p3h7k2m9qx'],
    ['7k2m9', 'memory 1ja0p3h7k2m9qx'],
    ['8es5', 'memory 1ja0p3h8es5tvw'],
    ['aaaa1111-turn', 'turn aaaa1111-turn'],
    ['aaaa1', 'turn aaaa1111-turn'],
    ['5f3c1a', 'session 5f3c1a2b-session'],
    ['ses_01', 'session ses_01'],
    ['ses_0', 'session ses_01'],
    ['ses_01#2', 'turn ses_01#2'],
  ] as const)
    assert.equal(named(id), found, id);
});

test('an ambiguous start lists what it may mean', () => {
  assert.equal(
    refused('5f3c'),
    '3 ids begin with 5f3c. Write more of the id: turn 5f3c1777-turn, session 5f3c1a2b-session, session 5f3c9999-session',
  );
  assert.equal(
    refused('7k2mz7'),
    'no memory, turn or session 7k2mz7. Find ids with: tidemark search <words>, or tidemark sessions',
  );
  assert.match(
    refused('1ja0'),
    /^3 ids begin with 1ja0\. Write more of the id: memory 1ja0p3h7k2m9qx, memory /,
  );
});

test('the error for an unknown memory says if the id is one of a conversation', () => {
  assert.match(noMemory(index, 'aaaa1').hint ?? '', /tidemark transcript aaaa1/);
  assert.match(noMemory(index, 'zzzzz').hint ?? '', /tidemark search/);
});

test('the error for a forgotten memory names the command that restores it', () => {
  const tombstone = { at: '2026-03-01T10:00:00Z', turn: 't', hash: 'h', project: 'engine' };
  index.removeMemories(['1ja0p3h7k2m9qx']);
  index.setTombstone({ ...tombstone, memory: '1ja0p3h7k2m9qx', state: 'hidden' });
  for (const id of ['7k2m9', '7k2m9qx', '1ja0p3h7k2m9qx']) {
    const { message, hint } = noMemory(index, id);
    assert.equal(
      `${message}. ${hint}`,
      'the memory 7k2m9qx was forgotten. Restore it with: tidemark forget --undo 7k2m9qx',
    );
    assert.match(refused(id), /was forgotten\. Restore it with: tidemark forget --undo 7k2m9qx$/);
  }
  index.setTombstone({ ...tombstone, memory: '1ja0p3h7k2m9qx', state: 'erased' });
  assert.match(noMemory(index, '1ja0p3h7k2m9qx').message, /was forgotten and its text erased/);
});

test('the short start of a turn is one that no other turn has', () => {
  assert.equal(shortStart(index, 'turn', 'aaaa1111-turn'), 'aaaa1111');
  index.upsertTurns([turnCalled('aaaa1111-other')]);
  assert.equal(shortStart(index, 'turn', 'aaaa1111-turn'), 'aaaa1111-tur');
});
