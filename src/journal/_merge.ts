/**
 * Two changes of one text brought together line by line. Where both changed the same place, both are kept, theirs
 * first: a line too many can be taken away by a person, a lost one cannot be brought back.
 */

export function mergeTexts(base: string, ours: string, theirs: string): string {
  if (theirs === base) return ours;
  if (ours === base || ours === theirs) return theirs;
  const lines = cut(base);
  const left = changes(lines, cut(ours));
  const right = changes(lines, cut(theirs));
  const out: string[] = [];
  let at = 0;
  while (left.length > 0 || right.length > 0) {
    const start = Math.min(left[0]?.start ?? Infinity, right[0]?.start ?? Infinity);
    let end = start;
    const mine: Change[] = [];
    const other: Change[] = [];
    // Changes that touch are one place.
    for (;;) {
      const next = touching(left, end) ? left : touching(right, end) ? right : undefined;
      const change = next?.shift();
      if (!change) break;
      (next === left ? mine : other).push(change);
      end = Math.max(end, change.end);
    }
    out.push(...lines.slice(at, start), ...both(lines, start, end, mine, other));
    at = end;
  }
  return [...out, ...lines.slice(at)].join('');
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Beyond this many differing lines the whole stretch counts as one change: finding less would take too long. */
const MOST_STEPS = 400;

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
  const out: string[] = [];
  let at = start;
  for (const change of changes) {
    out.push(...base.slice(at, change.start), ...change.lines);
    at = change.end;
  }
  return [...out, ...base.slice(at, end)];
}

/** The last line of a file may lack its line break; what comes after it must not run into it. */
function ended(lines: readonly string[]): readonly string[] {
  const last = lines.at(-1);
  return last === undefined || last.endsWith('\n') ? lines : [...lines.slice(0, -1), `${last}\n`];
}

function cut(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** What turns `a` into `b`, after Myers: the fewest lines taken away and put in. */
function changes(a: readonly string[], b: readonly string[]): Change[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const from = a.slice(head, a.length - tail);
  const to = b.slice(head, b.length - tail);
  if (from.length === 0 && to.length === 0) return [];
  const kept = common(from, to);
  const found: Change[] = [];
  let [x, y] = [0, 0];
  for (const [keptX, keptY] of [...kept, [from.length, to.length] as const]) {
    if (keptX > x || keptY > y) found.push({ start: head + x, end: head + keptX, lines: to.slice(y, keptY) });
    [x, y] = [keptX + 1, keptY + 1];
  }
  return found;
}

/** Pairs of positions of the lines both have, in order. */
function common(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const reach = new Map<number, number>([[1, 0]]);
  const trail: ReadonlyMap<number, number>[] = [];
  for (let steps = 0; steps <= Math.min(MOST_STEPS, a.length + b.length); steps++) {
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
): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let [x, y] = [endX, endY];
  for (let steps = trail.length - 1; steps >= 0; steps--) {
    const reach = trail[steps] ?? new Map<number, number>();
    const k = x - y;
    const previous = goesDown(reach, k, steps) ? k + 1 : k - 1;
    const fromX = reach.get(previous) ?? 0;
    const fromY = fromX - previous;
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) pairs.unshift([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs;
}

function goesDown(reach: ReadonlyMap<number, number>, k: number, steps: number): boolean {
  return k === -steps || (k !== steps && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
}
