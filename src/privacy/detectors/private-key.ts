/**
 * Finds private keys in PEM, OpenSSH, PGP and PuTTY form: whole, cut off at either end, indented, numbered, quoted,
 * or with `\n` written out. Never takes a public key or a certificate.
 */
import type { Span } from '../secrets/span.ts';

const TYPE = 'private-key';
const MARK = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PUTTY = /Private-Lines: *\d+/g;
const BASE64_PEM = 'LS0tLS1CRUdJTi'; // base64 of `-----BEGIN`
const BASE64_HARMLESS = /^LS0tLS1CRUdJTiB(?:DRVJU|QVUJ|UUlVT|UUlVU)/; // … CERT, … PUB: nothing secret
const MIN_ENCODED = 40; // a shorter one contains nothing secret yet
const MAX_BLOCK = 65_536; // longer than a PGP key with subkeys; marks farther apart do not belong together
const LINE_BREAK = /\r?\n|(?:\\+[rn])+/g;
// Characters around the lines of a key that is quoted, numbered, indented, or part of a diff or source code.
const BEFORE = /^(?:[\s"'`,+|>\\]|\d{1,6}(?:→|\t|: |\| ?))*/;
const AFTER = '"\'`,+; \t\r\\';
const BODY_LINE = /^(?:[A-Za-z0-9+/=]*|[A-Za-z][A-Za-z-]{1,30}: .{0,120})$/;

export function privateKeySpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  if (text.includes('PRIVATE KEY')) marked(text, spans);
  if (text.includes('Private-Lines:')) putty(text, spans);
  if (text.includes(BASE64_PEM)) encoded(text, spans);
  return spans;
}

function marked(text: string, spans: Span[]): void {
  let open = -1;
  let bodyStart = 0;
  let done = 0;
  const closeUnfinished = (limit: number) => {
    if (open < 0) return;
    done = endOfBody(text, bodyStart, limit);
    spans.push({ start: open, end: done, type: TYPE });
    open = -1;
  };
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    const end = mark.index + mark[0].length;
    if (mark[1] === 'BEGIN') {
      closeUnfinished(mark.index);
      open = mark.index;
      bodyStart = end;
      continue;
    }
    if (open >= 0 && end - open > MAX_BLOCK) closeUnfinished(mark.index);
    const start = open >= 0 ? open : startOfBody(text, Math.max(done, mark.index - MAX_BLOCK), mark.index);
    spans.push({ start, end, type: TYPE });
    open = -1;
    done = end;
  }
  closeUnfinished(text.length);
}

function putty(text: string, spans: Span[]): void {
  PUTTY.lastIndex = 0;
  for (let mark = PUTTY.exec(text); mark !== null; mark = PUTTY.exec(text)) {
    const start = mark.index + mark[0].length;
    const end = endOfBody(text, start, text.length);
    PUTTY.lastIndex = Math.max(end, start);
    if (end > start) spans.push({ start, end, type: TYPE });
  }
}

function encoded(text: string, spans: Span[]): void {
  for (let at = text.indexOf(BASE64_PEM); at >= 0;) {
    const end = Math.max(endOfBody(text, at, text.length), at + BASE64_PEM.length);
    if (end - at > MIN_ENCODED && !BASE64_HARMLESS.test(text.slice(at, at + 24)))
      spans.push({ start: at, end, type: TYPE });
    at = text.indexOf(BASE64_PEM, end);
  }
}

/** Returns the end of the lines after `from` that can belong to a key. */
function endOfBody(text: string, from: number, limit: number): number {
  const body = text.slice(from, Math.min(limit, from + MAX_BLOCK));
  let end = 0;
  let lineStart = 0;
  LINE_BREAK.lastIndex = 0;
  for (;;) {
    const found = LINE_BREAK.exec(body);
    const line = body.slice(lineStart, found?.index ?? body.length);
    if (!isBodyLine(line)) return from + end + leadingKeyText(line, lineStart - end);
    if (line.trim() !== '') end = lineStart + line.length - trailing(line);
    if (found === null) return from + end;
    lineStart = found.index + found[0].length;
  }
}

/** Returns the start of the lines before an END mark that can belong to a key. */
function startOfBody(text: string, from: number, to: number): number {
  const body = text.slice(from, to);
  const breaks = [...body.matchAll(LINE_BREAK)];
  let start = body.length;
  let lineEnd = body.length;
  for (let i = breaks.length - 1; i >= -1; i--) {
    const found = breaks[i];
    const lineStart = found === undefined ? 0 : found.index + found[0].length;
    const line = body.slice(lineStart, lineEnd);
    if (!isBodyLine(line)) break;
    start = lineStart;
    lineEnd = found?.index ?? 0;
  }
  return from + start;
}

function isBodyLine(line: string): boolean {
  return BODY_LINE.test(line.slice(0, line.length - trailing(line)).replace(BEFORE, ''));
}

/** Measures the base64 at the start of a cut line: `MIIEow… [cut]`. */
function leadingKeyText(line: string, gap: number): number {
  const run = /^[\s"'`\\]*[A-Za-z0-9+/=]{16,}/.exec(line);
  return run === null ? 0 : gap + run[0].length;
}

/** Quotes and commas after the last line belong to the text around the key. */
function trailing(line: string): number {
  let end = line.length;
  while (end > 0 && AFTER.includes(line.charAt(end - 1))) {
    // Right after base64 a plus is base64 itself.
    if (line.charAt(end - 1) === '+' && /[A-Za-z0-9+/]/.test(line.charAt(end - 2))) break;
    end -= 1;
  }
  return line.length - end;
}
