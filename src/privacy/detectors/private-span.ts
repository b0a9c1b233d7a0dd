/**
 * Finds text between `<private>` and `</private>`. When in doubt it hides more: a tag that is never closed hides
 * everything after it, a closing tag that was never opened hides everything before it.
 */
import type { Span } from '../secrets/span.ts';

// Serializers write `<` as an entity or a unicode escape, which is still a tag to a reader.
const TAG = /(?:<|&lt;|\\u003c)[\s/]*private(?![\w-])/gi;
const MAX_ATTRIBUTES = 200; // beyond this its `>` is missing, and the tag ends with its name

export interface PrivateSpans {
  readonly spans: readonly Span[];
  /** How many spans are still open at the end of the text. */
  readonly depth: number;
}

/** `depth` is the number of spans open before the text begins. */
export function privateSpans(text: string, depth = 0): PrivateSpans {
  const spans: Span[] = [];
  let open = depth;
  let start = 0;
  TAG.lastIndex = 0;
  for (let tag = TAG.exec(text); tag !== null; tag = TAG.exec(text)) {
    const end = endOfTag(text, TAG.lastIndex);
    const isClosing = tag[0].includes('/');
    if (!isClosing) {
      if (isSelfClosing(text, end)) continue;
      if (open === 0) start = tag.index;
      open += 1;
      continue;
    }
    if (open === 0) {
      // Its opening tag was cut off: everything before may be private.
      spans.length = 0;
      spans.push({ start: 0, end, type: 'private' });
      continue;
    }
    open -= 1;
    if (open === 0) spans.push({ start, end, type: 'private' });
  }
  if (open > 0) spans.push({ start, end: text.length, type: 'private' });
  return { spans: spans.filter((span) => span.end > span.start), depth: open };
}

function endOfTag(text: string, nameEnd: number): number {
  const close = /^[^<>&\\]*(?:>|&gt;|\\u003e)/i.exec(text.slice(nameEnd, nameEnd + MAX_ATTRIBUTES));
  return close === null ? nameEnd : nameEnd + close[0].length;
}

function isSelfClosing(text: string, end: number): boolean {
  return text[end - 1] === '>' && text[end - 2] === '/';
}
