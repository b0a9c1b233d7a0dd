/** A small model that answers as a test says, by parts of the sentences. */
import { KEEP_KINDS, type KeepScore, type RelateScore, type SmallModel } from '../../src/models/index.ts';
import type { MemoryKind } from '../../src/core/index.ts';

/** `keep`: parts of sentences with their kind, kept with `sure`; all others are not kept. `relate`: part of a statement → relation, with the probability `related`. */
export function fakeSmallModel(
  keep: Readonly<Record<string, MemoryKind>>,
  relate: Readonly<Record<string, keyof RelateScore>> = {},
  sure = 0.95,
  related = 1,
): SmallModel {
  return {
    version: 'fake-1',
    keep: async (passages) =>
      passages.map(({ sentences }) => sentences.map((text) => keepScore(find(keep, text), sure))),
    relate: async (inputs) =>
      inputs.map(({ a }) => ({
        nothing: 1 - related,
        same: 0,
        supersedes: 0,
        resolves: 0,
        [find(relate, a) ?? 'nothing']: related,
      })),
    read: async (inputs) => inputs.map(() => 0),
  };
}

function find<T>(answers: Readonly<Record<string, T>>, text: string): T | undefined {
  return Object.entries(answers).find(([part]) => text.includes(part))?.[1];
}

function keepScore(kind: MemoryKind | undefined, sure: number): KeepScore {
  const shares = KEEP_KINDS.map((one) => [one, one === kind ? 0.92 : 0.01] as const);
  // Every kind has a share.
  return { keep: kind === undefined ? 0.02 : sure, kinds: Object.fromEntries(shares) as KeepScore['kinds'] };
}
