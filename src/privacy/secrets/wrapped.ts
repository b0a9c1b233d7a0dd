/** Follows a value over the end of its line: joined strings, continued lines, terminals that wrap, frames of boxes. */
import { isRandom } from './secret-value.ts';

const MAX_WRAPS = 12;
const MAX_JOINED = 4096;
const MIN_RANDOM = 20; // shorter ones with dots or slashes are members and paths
// From the last character of one piece to the first of the next.
const JOINED =
  /\\{0,3}["'`]\s{0,4}(?:(?:\+|\.{1,2}|&|<>|\\)\s{0,40}|\r?\n[ \t+]{0,40})(?:[+.&]\s{0,4})?[frbuL]{0,2}\\{0,3}["'`]/y;
const CONTINUED = /\\\r?\n[ \t]{0,40}/y;
const FRAMED = /[ \t]{0,40}[│|║][ \t]{0,4}\r?\n[│|║ \t>]{1,8}/y;
const BROKEN = /\r?\n[ \t>+|]{0,40}/y;
const PIECE = /[\w.+/=~%!@#$^&*?:-]+/y;
const PLAIN = /[\w.+/=~-]+/y;

export interface Wraps {
  /** The text of the later pieces, joined. */
  readonly text: string;
  /** End of the last piece. */
  readonly end: number;
}

/** Returns the pieces that continue a value that ends at `end`; undefined if there are none. */
export function wrapsOf(text: string, end: number): Wraps | undefined {
  let joined = '';
  let at = text[end - 1] === '\\' ? end - 1 : end; // a backslash at the end of the line is not part of the value
  for (let i = 0; i < MAX_WRAPS && joined.length < MAX_JOINED; i++) {
    const next = nextPiece(text, at, i > 0);
    if (next === undefined) break;
    joined += text.slice(next.start, next.end);
    at = next.end;
  }
  return joined === '' ? undefined : { text: joined, end: at };
}

/** `isLater`: a piece before it continued the value already, so the last line may be short. */
function nextPiece(
  text: string,
  at: number,
  isLater: boolean,
): { readonly start: number; readonly end: number } | undefined {
  for (const wrap of [JOINED, CONTINUED]) {
    wrap.lastIndex = at;
    if (wrap.test(text)) return pieceAt(text, wrap.lastIndex, PIECE);
  }
  // Only a line that consists of a random piece continues a token without a mark.
  for (const wrap of [FRAMED, BROKEN]) {
    wrap.lastIndex = at;
    if (!wrap.test(text)) continue;
    const piece = pieceAt(text, wrap.lastIndex, PLAIN);
    if (
      piece === undefined ||
      !isAlone(text, piece.end) ||
      !isPart(text.slice(piece.start, piece.end), wrap === FRAMED || isLater)
    )
      return undefined;
    return piece;
  }
  return undefined;
}

function pieceAt(
  text: string,
  start: number,
  pattern: RegExp,
): { readonly start: number; readonly end: number } | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? { start, end: pattern.lastIndex } : undefined;
}

function isAlone(text: string, end: number): boolean {
  return /^[ \t]{0,40}[│|║]?["'`,;.)\]}]{0,4}[ \t]{0,4}(?:\r?\n|$)/.test(text.slice(end, end + 96));
}

/** A piece of a token mixes letters and digits; the last one may be short. */
function isPart(piece: string, canBeShort: boolean): boolean {
  if (canBeShort && piece.length <= 4) return true;
  if (piece.length < 4 || !/[A-Za-z]/.test(piece)) return false;
  if (/^[\w-]*[=:]/.test(piece)) return false;
  if (/^[\w-]*[./]/.test(piece) && !(piece.length >= MIN_RANDOM && isRandom(piece))) return false;
  return (
    /\d/.test(piece) || (piece.length >= 8 && /[a-z][A-Z]{1,2}[a-z].*[A-Z]|[A-Z]{2}[a-z].*[A-Z]/.test(piece))
  );
}
