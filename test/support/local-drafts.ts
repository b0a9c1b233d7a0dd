/** Returns the drafts that `local` makes of a turn, for its tests. */
import assert from 'node:assert/strict';
import { addedDrafts, type MemoryDraft, type StoredTurn } from '../../src/core/index.ts';
import { localDistiller } from '../../src/distill/index.ts';
import { sampleTurn } from './sample-turn.ts';

export const SRC = '/home/ada/engine/src';

/** An answer of some length that says nothing worth keeping. */
export const LONG =
  'I looked at the code in question and at how the callers use it, and nothing there speaks against it.';

export async function distill(
  parts: Partial<StoredTurn>,
  previous?: StoredTurn,
): Promise<readonly MemoryDraft[]> {
  const turn = sampleTurn(parts);
  const input = { turn, related: [], ...(previous !== undefined && { previous }) };
  return addedDrafts((await localDistiller.distill(input, AbortSignal.timeout(1000))).operations);
}

export async function only(parts: Partial<StoredTurn>, previous?: StoredTurn): Promise<MemoryDraft> {
  const drafts = await distill(parts, previous);
  assert.equal(drafts.length, 1, JSON.stringify(drafts.map((draft) => [draft.kind, draft.title])));
  return drafts[0] as MemoryDraft;
}
