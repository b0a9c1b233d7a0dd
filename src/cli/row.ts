/** One thing of a list: what it is in front, its text, facts behind. On a terminal the text breaks under itself; in a pipe it is one line. */
import type { Screen } from './screen.ts';
import { widthOf, wrap } from './text-width.ts';

/** Narrower than this a column of text is no use: then lines break wherever the terminal breaks them. */
const LEAST = 24;

export interface Row {
  /** May hold colours. */
  readonly front: string;
  readonly text: string;
  readonly paint?: (text: string) => string;
  /** May hold colours. */
  readonly behind?: string;
}

export function row({ isTerminal, width }: Pick<Screen, 'isTerminal' | 'width'>, given: Row): string {
  const { front, text, paint = (plain) => plain, behind = '' } = given;
  const indent = widthOf(front) + 2;
  const room = width - indent;
  if (!isTerminal || room < LEAST) return [front, paint(text), behind].filter(Boolean).join('  ');
  const lines = wrap(text, room);
  const last = lines.at(-1) ?? '';
  const painted = lines.map(paint);
  if (behind && widthOf(last) + 2 + widthOf(behind) <= room)
    painted.push(`${painted.pop() ?? ''}  ${behind}`);
  else if (behind) painted.push(behind);
  return `${front}  ${painted.join(`\n${' '.repeat(indent)}`)}`;
}
