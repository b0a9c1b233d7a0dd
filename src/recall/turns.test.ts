import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryIndex } from '../database/index.ts';
import { search } from './search.ts';
import { alsoSaid, searchTurns } from './turns.ts';

test('a turn without memories is found by its words', () => {
  const index = MemoryIndex.open(':memory:');
  const base = {
    session: 's',
    project: 'p',
    at: '2026-11-10T10:00:00.000Z',
    endedAt: '2026-11-10T10:01:00.000Z',
    hash: 'h',
    origin: 'person',
    outcome: 'answered',
    tools: 0,
  } as const;
  index.upsertTurns([
    { ...base, id: 't1', prompt: 'which port does the metrics endpoint use', answer: 'It listens on 9464.' },
    { ...base, id: 't2', prompt: 'rename the logo', answer: 'Done.' },
  ]);
  const found = searchTurns(index, 'metrics endpoint port', {
    now: new Date('2026-11-15T12:00:00Z'),
    project: 'p',
  });
  assert.deepEqual(
    found.map(({ turn }) => turn.id),
    ['t1'],
  );
  assert.ok((found[0]?.score ?? 0) > 0.9);
  index.close();
});

test('turns of memories that were found are left out, and a kind filter finds no turns', () => {
  const index = MemoryIndex.open(':memory:');
  const fields = {
    session: 's',
    project: 'p',
    endedAt: '2026-11-10T10:01:00.000Z',
    hash: 'h',
    origin: 'person',
    outcome: 'answered',
    tools: 0,
    answer: '',
    prompt: 'the metrics endpoint listens on port 9464',
  } as const;
  index.upsertTurns([
    { ...fields, id: 't1', at: '2026-11-10T10:00:00.000Z' },
    { ...fields, id: 't2', at: '2026-03-10T10:00:00.000Z' },
    { ...fields, id: 't3', at: '2026-11-11T10:00:00.000Z', project: 'other' },
  ]);
  const provenance = { agent: 'claude-code', session: 's', turn: 't1', messages: [], by: 'local' };
  const memory = {
    id: '1ja0p3h7k2m9qx',
    kind: 'decision',
    title: 'Metrics endpoint listens on port 9464',
    body: '',
    facts: [],
    concepts: [],
    files: [],
    project: 'p',
    at: '2026-11-10T10:00:00.000Z',
    state: 'current',
    provenance,
  } as const;
  index.upsertMemories([{ memory }]);
  const options = { now: new Date('2026-11-15T12:00:00Z'), project: 'p' };
  const said = (text: string): readonly string[] =>
    alsoSaid(index, text, search(index, text, options).hits, options).map(({ turn }) => turn.id);
  assert.deepEqual(said('metrics endpoint port'), ['t2']);
  assert.deepEqual(said('kind:bugfix metrics endpoint port'), []);
  assert.deepEqual(said('project:other metrics endpoint port'), ['t3']);
  assert.deepEqual(said('since:2026-11-01 metrics endpoint port'), []);
  index.close();
});
