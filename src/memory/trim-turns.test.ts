import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStores } from '../capture/index.ts';
import { placesIn, type StoredTurn } from '../core/index.ts';
import { indexedTurn, turnHash } from '../database/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { trimTurns } from './trim-turns.ts';

test('above the limit the oldest turns are removed from store and index, and the ledger records it', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'trim-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { stores } = await openStores(placesIn(home));
  t.after(() => stores.index.close());
  const turns = ['2026-01', '2026-02', '2026-03'].map((month) => turnOf(month));
  const locations = await stores.turns.put(turns);
  stores.index.upsertTurns(
    turns.flatMap((turn, i) => {
      const location = locations[i];
      return location ? [indexedTurn(turn, location, turnHash(turn))] : [];
    }),
  );
  const bytes = await stores.turns.bytes();

  assert.equal(await trimTurns(stores, bytes, new Date()), undefined);
  const trimmed = await trimTurns(stores, Math.floor(bytes * 0.85), new Date('2026-04-01T00:00:00Z'));

  assert.equal(trimmed?.turns, 1);
  assert.equal(stores.index.turn('2026-01'), undefined);
  const kept = stores.index.turn('2026-03');
  assert.ok(kept?.location);
  assert.equal((await stores.turns.get(kept.location))?.id, '2026-03');
  const records: LedgerRecord[] = [];
  for await (const record of stores.ledger.read()) records.push(record);
  assert.equal(records.find(({ kind }) => kind === 'dropped')?.at, '2026-04-01T00:00:00.000Z');
});

function turnOf(month: string): StoredTurn {
  const at = `${month}-15T10:00:00.000Z`;
  // Text that does not compress, so that every turn weighs about the same.
  const answer = Array.from({ length: 400 }, (_, i) =>
    Math.sin(i * Number(month.slice(5))).toString(36),
  ).join(' ');
  return {
    id: month,
    agent: 'claude-code',
    session: 's',
    project: 'p',
    origin: 'person',
    startedAt: at,
    endedAt: at,
    outcome: 'answered',
    prompt: 'p',
    answer,
    tools: [],
    messages: [],
  };
}
