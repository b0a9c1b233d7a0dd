/** Keeps the turn store under its cap: the oldest turns go first, and what went is written down where people see it. */
import { indexedTurn, turnHash } from '../database/index.ts';
import type { TrimmedTurns } from '../storage/turns/index.ts';
import type { Stores } from './stores.ts';

/** Trimmed a little below the cap, so that the next turn does not set it off again. */
const LEAVE_ROOM = 0.9;

export async function trimTurns(
  stores: Stores,
  maxBytes: number,
  now: Date,
): Promise<TrimmedTurns | undefined> {
  if ((await stores.turns.stats()).bytes <= maxBytes) return undefined;
  const trimmed = await stores.turns.trim(Math.floor(maxBytes * LEAVE_ROOM));
  const { turns, bytes, from, to } = trimmed;
  if (from === undefined || to === undefined) return undefined;
  await stores.ledger.append({ kind: 'dropped', at: now.toISOString(), turns, bytes, from, to });
  await relocate(stores, trimmed.files);
  return trimmed;
}

/** After a file was written anew its turns lie elsewhere in it, and some are gone: the index must not outlive them. */
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
