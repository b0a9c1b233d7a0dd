/**
 * Escapes lines that would be read as the structure of a day file with a backslash, which Markdown does not render. Lines
 * that already have one get another, so that every text is restored exactly.
 */
import { closesFence, FENCE_LIKE, markFences, opensFence } from './fence.ts';

/** Headings and conflict marks, which are structure only at the beginning of a line. */
const STRUCTURE = /^(\\*(?:#{1,3}(?=[ \t]|$)|(?:<{7}|>{7}|\|{7})(?= |$)|={7}$))/;
/** HTML that hides the rest of the file when it is not closed, including our own comments. */
const HIDING = /^( {0,3})(\\*<(?:[!?]|(?:script|pre|style|textarea)\b))/i;
/** Our comments are structure even inside a fence, so that an unclosed fence ends before the next entry. */
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

/** Fields never contain fences, because the end of a fence in a bullet depends on its indentation. */
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

/** Returns the lines that open and close complete fences; an unclosed fence is escaped. */
function closedFences(lines: readonly string[]): ReadonlyMap<number, 'opener' | 'closer'> {
  const found = new Map<number, 'opener' | 'closer'>();
  const leftOpen = new Map<string, number>(); // by mark: no fence of this length or longer is closed
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
