/** Chance that can be repeated: the same seed gives the same throws. */

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number below `limit`. */
  below(limit: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  shuffle<T>(from: readonly T[]): readonly T[];
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: small, and good enough to choose instants by
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)] ?? from[0],
    shuffle: (from) => {
      const out = [...from];
      for (let i = out.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [out[i], out[j]] = [out[j]!, out[i]!];
      }
      return out;
    },
  };
}
