/** Finds the known name nearest to a misspelt one, if one is near enough. */

/** A name further away than this, or than half its letters, is another word, not a misspelling. */
const MAX_DISTANCE = 3;

export function suggest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const lastPart = wanted.split('.').at(-1) ?? wanted;
  let best: string | undefined;
  let bestDistance = Math.min(MAX_DISTANCE, Math.floor(lastPart.length / 2)) + 1;
  for (const candidate of known) {
    const lower = candidate.toLowerCase();
    const distance = Math.min(
      editDistance(wanted, lower),
      lower.endsWith(`.${lastPart}`) ? MAX_DISTANCE : Infinity,
    );
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_DISTANCE) return Infinity;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replace, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? Infinity;
}
