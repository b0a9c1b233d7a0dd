/** Makes a title from a clause: one plain sentence without its reason. Pure. */
import { phraseOf } from '../../core/index.ts';
import { headline, marksIn } from './headline.ts';

const MIN_WORDS = 2;
const MIN_CJK = 5; // characters; a Chinese clause of five says as much as two English words
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
/** One line in a list. */
const MAX_TITLE = 140;

/** The title, or undefined if it would say too little. */
export function titleOf(clause: string, minWords = MIN_WORDS): string | undefined {
  const short = sentenceCase(headline(trimmed(clause), MAX_TITLE));
  const cjk = short.match(CJK)?.length ?? 0;
  if (cjk >= MIN_CJK) return short;
  if (wordsOf(short.replace(/`[^`]*`|"[^"]*"/g, ' x ')).length < minWords) return undefined;
  return topicsOf(short).size === 0 ? undefined : short;
}

const REASON =
  /(?:,? (?:because of|because|cause|cuz|due to|as (?=it|they|we|there)|since (?!v?\d|yesterday|last|then|the (?:rewrite|migration|move))|denn|weil|parce que|porque|ya que)(?=\s)|\s(?:[—–]|--?)\s(?=(?:it|they|we|this|that|those|these|there|otherwise)\b)|; (?=it|they|we|this|that))\s*/i;

/** `Use X because Y` → `Use X`, `Y`. */
export function splitReason(clause: string): { readonly what: string; readonly reason?: string } {
  const match = REASON.exec(clause);
  if (!match || match.index < 6) return { what: clause };
  const reason = trimmed(clause.slice(match.index + match[0].length));
  const left = phraseOf(clause.slice(0, match.index));
  if (/\b(?:is|are|was|were|only|just|not|mostly|primarily)$/i.test(left)) return { what: clause };
  return wordsOf(reason).length < 2 ? { what: clause } : { what: left, reason };
}

/** `Tried a view, but each refresh takes a lock` → `Tried a view`, `each refresh takes a lock`. */
export function splitFailure(clause: string): { readonly what: string; readonly reason?: string } {
  const [what = clause, reason] = clause.split(/[,;]? but (?=\S+ \S)/, 2);
  return reason === undefined ? splitReason(clause) : { what, reason: trimmed(reason) };
}

/** `No redis, ops won't give us another box` → `No redis` and the rest, unless the rest continues the statement. */
export function splitTail(clause: string): { readonly what: string; readonly reason?: string } {
  const comma = marksIn(clause, /(?:,|\.{2,}|…| [—–-]) +/g).find(({ index }) => index >= 5);
  if (comma === undefined) return { what: clause };
  const tail = clause.slice(comma.index + comma[0].length);
  if (CONTINUES.test(tail) || wordsOf(tail).length < 3) return { what: clause };
  return { what: clause.slice(0, comma.index), reason: trimmed(tail) };
}

const CONTINUES =
  /^(?:not|no|never|only|and|or|nor|just|unless|except|even|but|always|with|without|in|on|at|for|to|from|by|as|like|e\.g|`|use|instead|rather|plus|then|one|two)\b|^[\w`.-]+(?:, | and | or )/i;

export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_][\p{L}\p{N}_.'/-]*/gu) ?? [];
}

/** The topic words of a text, lower case. */
export function topicsOf(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(text)
      .map((word) => word.toLowerCase().replace(/(?:'s|[.'/-])+$/, ''))
      .filter((word) => word.length > 1 && !STOP_WORDS.has(word)),
  );
}

/** Few key terms: names in backticks first, then the title's own words. */
export function conceptsOf(title: string, body: string): readonly string[] {
  const names = [...`${title} ${body}`.matchAll(/`([^`\s]{2,40})`/g)].map((match) => match[1] ?? '');
  const words = [...topicsOf(title.replace(/`[^`]*`/g, ' '))].filter(
    (word) => word.length >= 4 && !/^\d/.test(word),
  );
  return [...new Set([...names, ...words])].slice(0, 5);
}

/** Whether two texts say nearly the same. */
export function isAlike(a: string, b: string): boolean {
  const [left, right] = [topicsOf(a), topicsOf(b)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared > 0 && shared / Math.min(left.size, right.size) >= 0.7;
}

/** Words without a topic. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  "a about after all also always an and any are as at be because been before being but by can could did do does don't done each ever every everywhere anywhere for from go had has have here how i if in instead into is it its just keep let let's like make may me more most must my need never new no not now of off on one only or other our out over own please pls put rather same should since so some still stay stays stop such than that the their them then there these they this those through to too under up us use used uses using very want was way we were what when where which while who why will with without would yeah yes yep ok okay you your".split(
    ' ',
  ),
);

function trimmed(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[\s,;:.—–-]+/, '')
    .replace(/(?:[\s.,;:!。！，—–-]|\s(?:btw|tho|though|then|please|pls|lol|haha|ok|tá|eh))+$/i, '');
}

/** A name such as `useState` or pkg/x.go stays as it is written. */
function sentenceCase(text: string): string {
  const first = text.split(/\s/, 1)[0] ?? '';
  if (/^[a-z]+[A-Z]|[._/\\]\w|^`/.test(first)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
