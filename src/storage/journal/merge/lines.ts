/**
 * Merges two changes of one text line by line. Where both changed the same place, both are kept, theirs first: the user
 * can delete an extra line, but cannot restore a lost one.
 */

export function mergeTexts(base: string, ours: string, theirs: string): string {
  if (theirs === base) return ours;
  if (ours === base || ours === theirs) return theirs;
  const lines = cut(base);
  const left = changes(lines, cut(ours));
  const right = changes(lines, cut(theirs));
  const out: (readonly string[])[] = [];
  let at = 0;
  while (left.length > 0 || right.length > 0) {
    const start = Math.min(left[0]?.start ?? Infinity, right[0]?.start ?? Infinity);
    let end = start;
    const mine: Change[] = [];
    const other: Change[] = [];
    // Adjacent changes are merged as one.
    for (;;) {
      const next = touching(left, end) ? left : touching(right, end) ? right : undefined;
      const change = next?.shift();
      if (!change) break;
      (next === left ? mine : other).push(change);
      end = Math.max(end, change.end);
    }
    out.push(lines.slice(at, start), both(lines, start, end, mine, other));
    at = end;
  }
  return [...out, lines.slice(at)].flat().join('');
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Positions of the same line in two texts. */
type Pair = readonly [number, number];

/** Beyond this many differing lines between anchors the whole range counts as one change, because a search takes too long. */
const MAX_STEPS = 400;

function touching(list: readonly Change[], end: number): boolean {
  const [first] = list;
  return first !== undefined && first.start <= end;
}

function both(
  base: readonly string[],
  start: number,
  end: number,
  ours: readonly Change[],
  theirs: readonly Change[],
): readonly string[] {
  const mine = applied(base, start, end, ours);
  const other = applied(base, start, end, theirs);
  if (theirs.length === 0 || mine.join('') === other.join('')) return mine;
  if (ours.length === 0) return other;
  return [...ended(other), ...mine];
}

function applied(
  base: readonly string[],
  start: number,
  end: number,
  changes: readonly Change[],
): readonly string[] {
  const out: (readonly string[])[] = [];
  let at = start;
  for (const change of changes) {
    out.push(base.slice(at, change.start), change.lines);
    at = change.end;
  }
  return [...out, base.slice(at, end)].flat();
}

/** Adds the line break that the last line of a file may lack. */
function ended(lines: readonly string[]): readonly string[] {
  const last = lines.at(-1);
  return last === undefined || last.endsWith('\n') ? lines : [...lines.slice(0, -1), `${last}\n`];
}

function cut(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Returns the changes from `a` to `b`, in the order of `a`. */
function changes(a: readonly string[], b: readonly string[]): Change[] {
  const found: Change[] = [];
  let [x, y] = [0, 0];
  for (const [nextX, nextY] of [...commonLines(a, b), [a.length, b.length] as const]) {
    if (nextX > x || nextY > y) found.push({ start: x, end: nextX, lines: b.slice(y, nextY) });
    [x, y] = [nextX + 1, nextY + 1];
  }
  return found;
}

/** Finds the lines that occur once in both first, so that little is left to compare between them. */
function commonLines(a: readonly string[], b: readonly string[]): readonly Pair[] {
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
