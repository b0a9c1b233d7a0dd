/** Shared formats of the tools' answers: fenced lines, and one line per memory. Pure. */
import { plainLine, shortId, type Memory } from '../core/index.ts';
import { fence } from '../privacy/index.ts';
import { shortDate } from '../recall/index.ts';

/** Fences recalled text as data. */
export function data(lines: readonly string[]): string {
  return fence(lines.join('\n'));
}

/** `open issue`, `superseded decision`, `dead end` */
export function kindOf({ kind, state }: Pick<Memory, 'kind' | 'state'>): string {
  const word = kind.replace('_', ' ');
  return state === 'current' ? word : `${state} ${word}`;
}

/** `7k2m9qx 13 Nov 14:32 decision: Title` */
export function momentLine(memory: Memory, now: Date): string {
  const time = memory.at.slice(11, 16);
  return `${shortId(memory.id)} ${shortDate(memory.at, now)} ${time} ${kindOf(memory)}: ${plainLine(memory.title)}${byOf(memory)}`;
}

/** ` (by Ada)` for a memory of another team member. */
export function byOf({ author }: Pick<Memory, 'author'>): string {
  return author === undefined ? '' : ` (by ${plainLine(author)})`;
}
