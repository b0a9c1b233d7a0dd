/**
 * Merges two changes of one text line by line. Where both changed the same place, both are kept, theirs first: the user
 * can delete an extra line, but cannot restore a lost one.
 */
import { commonLines } from '../../../core/index.ts';

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
