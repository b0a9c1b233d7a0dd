/** Shades of the heatmap: 0 for an empty day, 1 to 4 by comparison with the other days. Pure. */
const DARKEST = 4;
/** By rank, so that a few very busy days do not make all others look alike. */
const SHARES = [0.25, 0.5, 0.8];

/** The busiest days are the darkest, also where there is only one, or all are equal. */
export function levelsOf(all: readonly number[]): (count: number) => number {
  const counts = all.filter((count) => count > 0).toSorted((a, b) => a - b);
  const marks = SHARES.map((share) => counts[Math.floor(share * (counts.length - 1))] ?? 0);
  const most = counts.at(-1) ?? 0;
  return (count) => {
    if (count === 0) return 0;
    return count === most ? DARKEST : 1 + marks.filter((mark) => count > mark).length;
  };
}
