/** A sentence that was said → a title: one clear clause, the reason taken out of it. Pure. */
import { STOP_WORDS } from './_english.ts';

const MAX_TITLE = 90; // one line in a list
const MIN_CUT = 25; // a clause cut shorter than this says too little
const MIN_COMMA_CUT = 45; // before a comma often stands only half of what is said
const MIN_WORDS = 3;
const MIN_CJK = 6; // characters; a Chinese sentence of six says as much as three English words
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

/** A title, or nothing when too little would be said. */
export function titleOf(clause: string, minWords = MIN_WORDS): string | undefined {
  const short = shorten(sentenceCase(trimmed(clause)));
  const cjk = short.match(CJK)?.length ?? 0;
  return cjk >= MIN_CJK || wordsOf(short).length >= minWords ? short : undefined;
}

const REASON =
  /(?:,? (?:because of|because|due to|so that|in order to|as (?=it|they|we|there)|since (?!v?\d|yesterday|last|then))|\s(?:[—–]|--)\s(?=(?:it|they|we|this|that|those|these|there|otherwise)\b)|; (?=it|they|we|this|that))/i;

/** `Use X because Y` → `Use X`, `Y`. */
export function splitReason(clause: string): { readonly what: string; readonly reason?: string } {
  const match = REASON.exec(clause);
  if (!match || match.index < 8) return { what: clause };
  const reason = trimmed(clause.slice(match.index + match[0].length));
  return wordsOf(reason).length < 2 ? { what: clause } : { what: clause.slice(0, match.index), reason };
}

/** A reason, or a way that was not taken. */
export function isArgued(sentence: string): boolean {
  return splitReason(sentence).reason !== undefined || /\b(?:instead of|rather than|over)\b/i.test(sentence);
}

export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_][\p{L}\p{N}_.'/-]*/gu) ?? [];
}

/** Few key terms: names in backticks first, then the title's own words. */
export function conceptsOf(title: string, body: string): readonly string[] {
  const names = [...`${title} ${body}`.matchAll(/`([^`\s]{2,40})`/g)].map((match) => match[1] ?? '');
  const words = wordsOf(title.replace(/`[^`]*`/g, ' '))
    .map((word) => word.replace(/[.'-]+$/, '').toLowerCase())
    .filter((word) => word.length >= 4 && !STOP_WORDS.has(word) && !/^\d/.test(word));
  return [...new Set([...names, ...words])].slice(0, 5);
}

/** Do two texts say nearly the same? */
export function isAlike(a: string, b: string): boolean {
  const [left, right] = [topicsOf(a), topicsOf(b)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared > 0 && shared / Math.min(left.size, right.size) >= 0.7;
}

/** The words of a text that carry a topic, lower case. */
export function topicsOf(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(text)
      .map((word) => word.toLowerCase())
      .filter((word) => !STOP_WORDS.has(word)),
  );
}

function trimmed(text: string): string {
  return text
    .trim()
    .replace(/^[\s,;:.—–-]+/, '')
    .replace(/[\s.,;:!。！—–-]+$/, '');
}

/** A name such as `useState` or pkg/x.go stays as it is written. */
function sentenceCase(text: string): string {
  const first = text.split(/\s/, 1)[0] ?? '';
  if (/^[a-z]+[A-Z]|[._/\\]\w|^`/.test(first)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shorten(text: string): string {
  if (text.length <= MAX_TITLE) return text;
  const head = text.slice(0, MAX_TITLE);
  const clause = lastMark(head, [' — ', ' – ', '; ', ': ']);
  const comma = lastMark(head, [', ', '，', '、', ' (']);
  const turning = /^, (?:but|while|yet|not|whereas|although)\b/i.test(text.slice(comma, comma + 12));
  const boundary = Math.max(clause, comma >= MIN_COMMA_CUT && !turning ? comma : -1);
  if (boundary >= MIN_CUT) return balanced(trimmed(head.slice(0, boundary)));
  const space = head.slice(0, MAX_TITLE - 1).lastIndexOf(' ');
  return `${balanced(trimmed(head.slice(0, space >= MIN_CUT ? space : MAX_TITLE - 1)))}…`;
}

/** The last of these marks that does not stand within a name in backticks. */
function lastMark(text: string, marks: readonly string[]): number {
  let found = -1;
  for (const mark of marks) {
    for (let at = text.lastIndexOf(mark); at > found; at = text.lastIndexOf(mark, at - 1)) {
      if ((text.slice(0, at).split('`').length - 1) % 2 === 0) found = at;
    }
  }
  return found;
}

/** A cut may have left a backtick or bracket open. */
function balanced(text: string): string {
  const cutName = (text.split('`').length - 1) % 2 === 1 ? `${text}\`` : text;
  const open = cutName.lastIndexOf('(');
  return open > MIN_CUT && !cutName.slice(open).includes(')') ? trimmed(cutName.slice(0, open)) : cutName;
}
