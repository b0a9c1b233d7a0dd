/** Git's conflict marks. */
import type { Line } from './text-lines.ts';

export type Side = 'none' | 'ours' | 'base' | 'theirs';

const MARKS = { open: /^<{7}(?: |$)/, base: /^\|{7}(?: |$)/, middle: /^={7}$/, close: /^>{7}(?: |$)/ };

export function opensConflict(line: string): boolean {
  return MARKS.open.test(line);
}

/** The marks of a conflict, and what begins after each. Marks that miss their others are text. */
export function wholeConflict(lines: readonly Line[], open: number): readonly (readonly [number, Side])[] {
  const after = (from: number, mark: RegExp): number => {
    for (let at = from + 1; at < lines.length; at++) if (mark.test(lines[at]?.text ?? '')) return at;
    return -1;
  };
  const middle = after(open, MARKS.middle);
  const close = middle < 0 ? -1 : after(middle, MARKS.close);
  if (close < 0) return [];
  const base = after(open, MARKS.base);
  return [
    [open, 'ours'],
    ...(base > 0 && base < middle ? [[base, 'base'] as const] : []),
    [middle, 'theirs'],
    [close, 'none'],
  ];
}
