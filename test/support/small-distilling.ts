/** Distills one turn with a small model whose answers are given. */
import {
  addedDrafts,
  type Memory,
  type MemoryDraft,
  type MemoryKind,
  type Operation,
  type StoredTurn,
} from '../../src/core/index.ts';
import { smallDistiller } from '../../src/distill/index.ts';
import { fakeSmallModel } from './fake-small-model.ts';
import { sampleTurn } from './sample-turn.ts';

export const SRC = '/home/ada/engine/src';

export async function operations(
  keep: Readonly<Record<string, MemoryKind>>,
  turn: Partial<StoredTurn>,
  rest: {
    previous?: StoredTurn;
    related?: readonly Memory[];
    relate?: Record<string, 'same' | 'supersedes' | 'resolves'>;
    sure?: number;
    /** The probability of the relations. */
    relateSure?: number;
  } = {},
): Promise<readonly Operation[]> {
  const { previous, related = [], relate, sure, relateSure } = rest;
  const model = fakeSmallModel(keep, relate, sure, relateSure);
  const input = { turn: sampleTurn(turn), related, ...(previous && { previous }) };
  return (await smallDistiller(model).distill(input, AbortSignal.timeout(1000))).operations;
}

export async function drafts(...args: Parameters<typeof operations>): Promise<readonly MemoryDraft[]> {
  return addedDrafts(await operations(...args));
}
