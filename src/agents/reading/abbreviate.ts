/**
 * Shortens output to its head and tail. Redaction runs later, so a cut must never leave half a secret: the head ends
 * between words, the tail begins with a line (a value is recognised by the name before it), and neither cuts into a
 * key block or a private span.
 */

const MARK_ROOM = 40;
/** The beginning of an output shows what ran, the end shows the result. */
const HEAD_SHARE = 0.6;

/** `abbreviate('a long text …', 4000)`: at most `limit` characters, the middle replaced by a count. */
export function abbreviate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = limit - MARK_ROOM;
  const headRoom = Math.floor(room * HEAD_SHARE);
  const head = headOf(text, headRoom);
  const tail = tailOf(text, room - headRoom);
  return `${head}\n[… ${text.length - head.length - tail.length} characters …]\n${tail}`;
}

/** The text on one line, cut between words. */
export function oneLine(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${headOf(line, limit - 1)}…`;
}

const WORD_BREAK = /[\s,;"'{}()[\]<>|]/;
const OPENED = /-----BEGIN [^-]*-----(?![\s\S]*-----END )|<private>(?![\s\S]*<\/private>)/i;
const CLOSED = /^[\s\S]*(?:-----END [^-]*-----|<\/private>)/i;
const OPENING = /-----BEGIN |<private>/i;

function headOf(text: string, room: number): string {
  const cut = text.slice(0, room);
  const whole = WORD_BREAK.test(text.charAt(room)) ? cut : cut.slice(0, lastBreak(cut));
  const opened = whole.search(OPENED);
  return (opened === -1 ? whole : whole.slice(0, opened)).trimEnd();
}

function lastBreak(text: string): number {
  for (let at = text.length; at > 0; at--) if (WORD_BREAK.test(text.charAt(at - 1))) return at;
  return 0;
}

function tailOf(text: string, room: number): string {
  const lineStart = text.indexOf('\n', text.length - room - 1);
  if (lineStart === -1) return '';
  const whole = text.slice(lineStart + 1);
  const closed = CLOSED.exec(whole);
  if (closed === null || OPENING.test(closed[0])) return whole;
  return whole.slice(closed[0].length).trimStart();
}
