/** Makes a title from a sentence: one clear clause without its reason. Pure. */
import { THE_MATTER } from './_english-talk.ts';
import { NAMED, STOP_WORDS } from './_english.ts';
import { shorten } from './_shorten.ts';

const MIN_WORDS = 3;
const MIN_CJK = 6; // characters; a Chinese sentence of six says as much as three English words
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

/** The title, or undefined if it would say too little. */
export function titleOf(clause: string, minWords = MIN_WORDS): string | undefined {
  const short = shorten(
    sentenceCase(trimmed(withoutPromise(clause.replace(OPENER, '').replace(OWN_LABEL, '')))),
  );
  if (wordsOf(short.replace(/`[^`]*`|"[^"]*"/g, ' ')).length === 0) return undefined;
  const cjk = short.match(CJK)?.length ?? 0;
  return cjk >= MIN_CJK || wordsOf(short).length >= minWords ? short : undefined;
}

/** `Wait — x won't work` */
const OPENER =
  /^(?:(?:wait|ok|okay|well|hmm|ah|oh|actually|perfect|great|excellent|good|nice|right)\b\s*[,!.—–-]+\s*)+/i;
/** `Problem: the server is down` */
const OWN_LABEL =
  /^(?:problem|issue|impact|(?:root )?cause|reason|note|result|status|summary|bug|symptom)\s*:\s+/i;

const REASON =
  /(?:,? (?:because of|because|due to|so that|in order to|as (?=it|they|we|there)|since (?!v?\d|yesterday|last|then))|\s(?:[—–]|--)\s(?=(?:it|they|we|this|that|those|these|there|otherwise)\b)|; (?=it|they|we|this|that))/i;

/** `Use X because Y` → `Use X`, `Y`. */
export function splitReason(clause: string): { readonly what: string; readonly reason?: string } {
  const match = REASON.exec(clause);
  if (!match || match.index < 8) return { what: clause };
  const reason = trimmed(clause.slice(match.index + match[0].length));
  const left = clause.slice(0, match.index);
  if (/\b(?:is|are|was|were|only|just|not|mostly|primarily)$/i.test(left)) return { what: clause };
  return wordsOf(reason).length < 2 ? { what: clause } : { what: left, reason };
}

/** Has a reason or a rejected alternative. */
export function isArgued(sentence: string): boolean {
  return splitReason(sentence).reason !== undefined || /\b(?:instead of|rather than|over)\b/i.test(sentence);
}

/** `The real problem is that the pool leaks` → `the pool leaks`. */
export function matterOf(sentence: string): string {
  return sentence.replace(THE_MATTER, '');
}

/** Names nothing and has too few topic words to be understood later. */
export function isVague(title: string): boolean {
  if (isNamed(title)) return false;
  const topics = topicsOf(title.replace(/[.!,;:'-]+(?=\s|$)/g, ''));
  return [...topics].filter((word) => !GENERIC.has(word)).length < MIN_UNNAMED_TOPICS;
}

/** Contains code, a number or a proper name. */
export function isNamed(title: string): boolean {
  return NAMED.test(title) || PROPER.test(title);
}

/** `the Playwright timeout`, `the UUID check`. */
const PROPER = /\S\s+(?:[A-Z]{2,}|[A-Z][a-z]+)/;
const MIN_UNNAMED_TOPICS = 3;
/** Words of every such sentence. */
const GENERIC: ReadonlySet<string> = new Set(
  'issue issues problem problems bug bugs error errors root cause real main test tests code thing things'.split(
    ' ',
  ),
);

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

/** Whether two texts say nearly the same. */
export function isAlike(a: string, b: string): boolean {
  const [left, right] = [topicsOf(a), topicsOf(b)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared > 0 && shared / Math.min(left.size, right.size) >= 0.7;
}

/** The topic words of a text, lower case. */
export function topicsOf(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(text)
      .map((word) => word.toLowerCase())
      .filter((word) => !STOP_WORDS.has(word)),
  );
}

/** `Created a module with two helpers:` and `made it optional, since:` promise something that the title lacks. */
const PROMISE =
  /(?: [—–-] [A-Za-z' ]{3,40}|,? (?:with|in|by|for|using) (?:the following|these|two|three|four|five|six|\d{1,2}|several|a few)(?: [\w-]+){1,2}|,? (?:with|that|to|since|because|so|as|by|for|like|such as|including|which|in|is|are|was|were|that \w+))\s*:\s*$/i;
/** `Replaced the loop with two queries:`: the second half is part of it. */
const EXCHANGED = /\b(?:replaced|swapped|exchanged|switched)\b/i;
/** The rest must still name something. */
const MIN_PROMISING = 20;

/** The head of a list, meaningless without the list. */
export function isPromise(sentence: string): boolean {
  if (!/:\s*$/.test(sentence)) return false;
  return PROMISE.test(sentence) || FOLLOWING.test(sentence) || isVague(sentence);
}

const FOLLOWING = /\b(?:following|below|as follows|here(?:'s| is| are)|these|either|summary)\b/i;

function withoutPromise(clause: string): string {
  if (!/:\s*$/.test(clause)) return clause;
  const rest = EXCHANGED.test(clause) ? clause : clause.replace(PROMISE, '');
  return rest.length >= MIN_PROMISING ? rest : clause;
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
