/** The bundled sample shows new users what Tidemark remembers: it must stay readable and complete. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyNotes } from '../../src/agents/index.ts';
import { sampleMemories, sampleTurns } from './_sample.ts';

test('every turn of the sample is complete, and nothing in it is skipped', async () => {
  const notes = emptyNotes();
  const turns = await sampleTurns(notes);
  assert.deepEqual(
    { malformed: notes.malformed, stray: notes.stray, problems: notes.problems },
    { malformed: 0, stray: 0, problems: [] },
  );
  assert.equal(new Set(turns.map(({ session }) => session)).size, 3);
  assert.ok(turns.length >= 9);
  for (const turn of turns) {
    assert.equal(turn.outcome, 'answered');
    assert.equal(turn.cwd, '/sample/harbor-api');
  }
});

test('the default distiller finds the important kinds of memory in it', async () => {
  const memories = await sampleMemories();
  const has = (kind: string, words: RegExp) =>
    assert.ok(
      memories.some(
        (memory) =>
          memory.kind === kind && words.test(`${memory.title} ${memory.body} ${memory.reason ?? ''}`),
      ),
      `no ${kind} like ${words}`,
    );
  has('decision', /Kysely.*SQL/);
  has('decision', /exclusion constraint/);
  has('bugfix', /free again on the day a boat leaves.*root cause/);
  has('dead_end', /materialized view.*lock/);
  has('preference', /Always use pnpm/);
  has('issue', /not yet handled/);
  has('feature', /Phone numbers are now replaced/);
  assert.ok(
    memories.filter(({ kind, reason }) => kind === 'decision' && reason).length >= 3,
    'decisions say why',
  );
  assert.ok(memories.some(({ facts }) => facts.some((fact) => fact.startsWith('Commit c41e9f0: fix'))));
  assert.equal(new Set(memories.map(({ at }) => at.slice(0, 10))).size, 3, 'three days');
});
