/**
 * Makes lines harmless that would be taken for the structure of a day file, with the one sign Markdown has for that:
 * a backslash, which is not seen when rendered. Lines that already have one get one more, so that every text comes back.
 */
import { closesFence, FENCE_LIKE, markFences, opensFence } from './fence.ts';

/** Headings, conflict marks. They are structure only at the very beginning of a line. */
const STRUCTURE = /^(\\*(?:#{1,3}(?=[ \t]|$)|(?:<{7}|>{7}|\|{7})(?= |$)|={7}$))/;
/** HTML that would hide the rest of the file when it is not closed; among it our own comments. */
const HIDING = /^( {0,3})(\\*<(?:[!?]|(?:script|pre|style|textarea)\b))/i;
/** Our comments are structure even inside a fence, so that a fence left open cannot swallow the next entry. */
const COMMENT = /^(\\*<!-- tidemark)/;

export function encodeBody(body: string): string {
  const lines = body.split('\n');
  const closed = closedFences(lines);
  let inside = false;
  return lines
    .map((line, at) => {
      if (inside) {
        inside = closed.get(at) !== 'closer';
        return line.replace(COMMENT, '\\$1');
      }
      inside = closed.get(at) === 'opener';
      if (inside) return line;
      return opensFence(line) ? encodeFence(line) : encodeLine(line);
    })
    .join('\n');
}

export function decodeBody(body: string): string {
  return markFences(body.split('\n'))
    .map(({ line, fence }) => {
      if (fence === 'opener') return line;
      if (fence === 'inside') return COMMENT.test(line) ? line.replace(/^\\/, '') : line;
      return decodeLine(line);
    })
    .join('\n');
}

/** Fields never hold fences: a fence in a bullet is told from its end only by counting blanks. */
export function encodeFence(line: string): string {
  return line.replace(FENCE_LIKE, '$1\\$2$3');
}

export function decodeFence(line: string): string {
  return line.replace(
    FENCE_LIKE,
    (_, before: string, slashes: string, run: string) => before + slashes.slice(1) + run,
  );
}

function encodeLine(line: string): string {
  const fence = FENCE_LIKE.exec(line);
  if (fence?.[2]) return encodeFence(line);
  return line.replace(STRUCTURE, '\\$1').replace(HIDING, '$1\\$2');
}

function decodeLine(line: string): string {
  const fence = FENCE_LIKE.exec(line);
  if (fence?.[2]) return decodeFence(line);
  if (STRUCTURE.test(line)) return line.replace(/^\\/, '');
  if (HIDING.test(line)) return line.replace(/^( {0,3})\\/, '$1');
  return line;
}

/** The lines that open and close fences which are closed; a fence left open is text to be made harmless. */
function closedFences(lines: readonly string[]): ReadonlyMap<number, 'opener' | 'closer'> {
  const found = new Map<number, 'opener' | 'closer'>();
  const leftOpen = new Map<string, number>(); // by mark: from this length on nothing closes it any more
  for (let at = 0; at < lines.length; at++) {
    const fence = opensFence(lines[at] ?? '');
    if (!fence || fence.length >= (leftOpen.get(fence.mark) ?? Infinity)) continue;
    let end = at + 1;
    while (end < lines.length && !closesFence(lines[end] ?? '', fence)) end++;
    if (end === lines.length) {
      leftOpen.set(fence.mark, fence.length);
      continue;
    }
    found.set(at, 'opener').set(end, 'closer');
    at = end;
  }
  return found;
}
