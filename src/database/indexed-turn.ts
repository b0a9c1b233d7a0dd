/** A stored turn as a row of the index: the shortened text, and where the whole turn is stored. Pure. */
import { commitsIn, contentHash, editedFiles, type StoredTurn, storedText } from '../core/index.ts';
import type { TurnLocation } from '../storage/turns/index.ts';
import type { IndexedTurn } from './_turns.ts';

export function indexedTurn(turn: StoredTurn, location: TurnLocation, hash: string): IndexedTurn {
  const text = storedText(turn);
  return {
    id: turn.id,
    session: turn.session,
    project: turn.project,
    at: turn.startedAt,
    endedAt: turn.endedAt,
    origin: turn.origin,
    outcome: turn.outcome,
    prompt: text.user,
    answer: text.assistant,
    tools: turn.tools.length,
    edited: editedFiles(turn),
    commits: commitsIn(turn),
    location,
    hash,
  };
}

/** Returns the hash that tells a changed turn from the same turn read again. */
export function turnHash(turn: StoredTurn): string {
  return contentHash(JSON.stringify(turn));
}
