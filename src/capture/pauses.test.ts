import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryIndex } from '../database/index.ts';
import { applyPause, isPaused, Pauses } from './pauses.ts';

const HERE = { project: 'p', session: 's' };

function pausesOf(
  ...records: readonly (readonly [string, boolean, 'everywhere' | 'project' | 'session', string?])[]
): Pauses {
  const pauses = new Pauses();
  for (const [at, paused, scope, target] of records) {
    pauses.add({ kind: 'paused', at, paused, scope, ...(target ? { target } : {}) });
  }
  return pauses;
}

test('a pause covers what is said from its beginning until it ends', () => {
  const pauses = pausesOf(
    ['2026-01-01T10:00:00Z', true, 'everywhere'],
    ['2026-01-01T11:00:00Z', false, 'everywhere'],
  );
  assert.equal(pauses.covers('2026-01-01T09:59:59Z', HERE), false);
  assert.equal(pauses.covers('2026-01-01T10:00:00Z', HERE), true);
  assert.equal(pauses.covers('2026-01-01T11:00:00Z', HERE), false);
});

test('a pause of another project or session does not apply', () => {
  const pauses = pausesOf(
    ['2026-01-01T10:00:00Z', true, 'project', 'q'],
    ['2026-01-01T10:00:00Z', true, 'session', 't'],
  );
  assert.equal(pauses.covers('2026-01-01T10:30:00Z', HERE), false);
  assert.equal(pauses.covers('2026-01-01T10:30:00Z', { project: 'q', session: 's' }), true);
  assert.equal(pauses.covers('2026-01-01T10:30:00Z', { project: 'p', session: 't' }), true);
});

test('pausing twice is one pause, ended once', () => {
  const pauses = pausesOf(
    ['2026-01-01T10:00:00Z', true, 'project', 'p'],
    ['2026-01-01T10:10:00Z', true, 'project', 'p'],
    ['2026-01-01T10:20:00Z', false, 'project', 'p'],
  );
  assert.equal(pauses.covers('2026-01-01T10:15:00Z', HERE), true);
  assert.equal(pauses.covers('2026-01-01T10:30:00Z', HERE), false);
  assert.deepEqual(pauses.current(), []);
});

test('the index tells whether a pause is in force, of the session, the project or everywhere', () => {
  const index = MemoryIndex.open(':memory:');
  for (const [scope, target] of [['session', 's'], ['project', 'p'], ['everywhere']] as const) {
    const record = {
      kind: 'paused',
      at: '2026-01-01T10:00:00Z',
      scope,
      ...(target ? { target } : {}),
    } as const;
    applyPause(index, { ...record, paused: true });
    assert.equal(isPaused(index, HERE), true, scope);
    assert.equal(isPaused(index, { project: 'q', session: 't' }), scope === 'everywhere');
    applyPause(index, { ...record, paused: false });
    assert.equal(isPaused(index, HERE), false, scope);
  }
  index.close();
});
