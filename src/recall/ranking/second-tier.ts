/** Scores turns and commits, which are searched below memories: by words and meaning. Pure. */
import {
  evidenceOf,
  fuse,
  NO_SCORE,
  placed,
  withMeaning,
  type By,
  type ScorePart,
  type WeighedWord,
} from './score.ts';
import { FLOOR } from './weights.ts';

/** A text with its matches. */
interface Candidate {
  readonly at: string;
  readonly bm25: number;
  readonly cosine?: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

interface Asked {
  readonly words: readonly WeighedWord[];
  readonly by?: By;
  /** Changes the places in the order by what is near each candidate; 1 for the best. */
  readonly near?: (orders: readonly number[]) => readonly number[];
}

export interface Scored<T> {
  readonly hit: T;
  readonly score: number;
  readonly parts: readonly ScorePart[];
  /** The words of the query that it contains. */
  readonly covered: ReadonlySet<string>;
}

/** Returns the candidates above the floor, best first; of two with the same score, the later one. */
export function secondTier<T extends Candidate>(
  candidates: readonly T[],
  { words, by, near = (orders) => orders }: Asked,
): readonly Scored<T>[] {
  const orders = fuse(
    candidates.map(({ bm25 }) => bm25),
    candidates.map(({ cosine }) => cosine),
    by,
  );
  const evidences = candidates.map((hit, i) =>
    withMeaning(evidenceOf(words, hit, orders[i] ?? 0), hit.cosine),
  );
  const strongest = Math.max(0, ...evidences.map(({ score }) => score));
  const places = near(orders);
  return candidates
    .map((hit, i) => {
      const place = placed(strongest, places[i] ?? 0, evidences[i] ?? NO_SCORE);
      const covered = new Set(place.covered);
      return { hit, parts: place.parts, score: place.score, covered };
    })
    .filter(({ score }) => score >= FLOOR.search)
    .toSorted((a, b) => b.score - a.score || b.hit.at.localeCompare(a.hit.at));
}
