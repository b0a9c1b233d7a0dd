/** Formats one list entry: id in front, text, facts at the end. A terminal wraps the text under itself; a pipe gets one line. */
import { plainLine } from '../core/index.ts';
import type { Screen } from './screen.ts';
import { widthOf, wrap } from './text-width.ts';

/** A narrower text column is unreadable: then the terminal wraps the line. */
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
  const { front, paint = (plain) => plain, behind = '' } = given;
  const text = plainLine(given.text);
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
