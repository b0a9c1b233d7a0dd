import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryIndex } from '../index/index.ts';
import { searchTurns } from './turns.ts';

test('a turn that was never distilled is found by its words', () => {
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
