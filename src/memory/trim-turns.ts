/** Keeps the turn store under its size limit by removing the oldest turns, and records what was removed. */
import { indexedTurn, turnHash } from '../database/index.ts';
import type { TrimmedTurns } from '../storage/turns/index.ts';
import type { Stores } from './stores.ts';

/** Trims to this share of the limit, so that the next turn does not exceed it again. */
const TRIMMED_SHARE = 0.9;

export async function trimTurns(
  stores: Stores,
  maxBytes: number,
  now: Date,
): Promise<TrimmedTurns | undefined> {
  if ((await stores.turns.bytes()) <= maxBytes) return undefined;
  const trimmed = await stores.turns.trim(Math.floor(maxBytes * TRIMMED_SHARE));
  const { turns, bytes, from, to } = trimmed;
  if (from === undefined || to === undefined) return undefined;
  await stores.ledger.append({ kind: 'dropped', at: now.toISOString(), turns, bytes, from, to });
  await relocate(stores, trimmed.files);
  return trimmed;
}

/** Updates the index after a file was rewritten: its turns have new places, and some are gone. */
export async function relocate(stores: Stores, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const gone = new Set(stores.index.turnsStoredIn(file));
    for await (const { turn, location } of stores.turns.scan({ file })) {
      if (stores.index.isForgottenTurn(turn.id)) continue;
      stores.index.upsertTurns([indexedTurn(turn, location, turnHash(turn))]);
      gone.delete(turn.id);
    }
    stores.index.removeTurns([...gone]);
  }
}
