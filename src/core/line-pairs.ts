/** The lines that two texts have in common, in order. Pure. */

/** Positions of the same line in two texts. */
type Pair = readonly [number, number];

/** Beyond this many differing lines between anchors the whole range counts as different, because a search takes too long. */
const MAX_STEPS = 400;

/** Returns the pairs in order. Finds the lines that occur once in both first, so that little is left to compare. */
export function commonLines(a: readonly string[], b: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [0, 0];
  for (const [nextX, nextY] of [...anchors(a, b), [a.length, b.length] as const]) {
    for (const [i, j] of myers(a.slice(x, nextX), b.slice(y, nextY))) pairs.push([x + i, y + j]);
    if (nextX < a.length && nextY < b.length) pairs.push([nextX, nextY]);
    [x, y] = [nextX + 1, nextY + 1];
  }
  return pairs;
}

/** Returns the longest sequence of lines that are unique in both texts and in the same order. */
function anchors(a: readonly string[], b: readonly string[]): readonly Pair[] {
  const inA = uniquePositions(a);
  const ends: { readonly pair: Pair; readonly before: (typeof ends)[number] | undefined }[] = []; // by length
  for (const [line, y] of uniquePositions(b)) {
    const x = inA.get(line);
    if (x === undefined) continue;
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.pair[0] ?? 0) < x) low = middle + 1;
      else high = middle;
    }
    ends[low] = { pair: [x, y], before: ends[low - 1] };
  }
  const found: Pair[] = [];
  for (let end = ends.at(-1); end; end = end.before) found.push(end.pair);
  return found.reverse();
}

function uniquePositions(lines: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const twice = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (found.has(line)) twice.add(line);
    found.set(line, at);
  }
  for (const line of twice) found.delete(line);
  return found;
}

/** Returns the common lines in order, by the algorithm of Myers. */
function myers(a: readonly string[], b: readonly string[]): readonly Pair[] {
  if (a.length === 0 || b.length === 0) return [];
  const reach = new Map<number, number>([[1, 0]]);
  const trail: ReadonlyMap<number, number>[] = [];
  for (let steps = 0; steps <= Math.min(MAX_STEPS, a.length + b.length); steps++) {
    trail.push(new Map(reach));
    for (let k = -steps; k <= steps; k += 2) {
      let x = goesDown(reach, k, steps) ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(trail, a.length, b.length);
    }
  }
  return [];
}

function walkBack(
  trail: readonly ReadonlyMap<number, number>[],
  endX: number,
  endY: number,
): readonly Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [endX, endY];
  for (let steps = trail.length - 1; steps >= 0; steps--) {
    const reach = trail[steps] ?? new Map<number, number>();
    const k = x - y;
    const previous = goesDown(reach, k, steps) ? k + 1 : k - 1;
    const fromX = reach.get(previous) ?? 0;
    const fromY = fromX - previous;
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}

function goesDown(reach: ReadonlyMap<number, number>, k: number, steps: number): boolean {
  return k === -steps || (k !== steps && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
}
