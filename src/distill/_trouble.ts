/** A fault a person reported and the turn did not settle: an open issue in the person's own words. Pure. */
import type { MemoryDraft, StoredTurn } from '../model/index.ts';
import { POINTING } from './_english.ts';
import type { Sentence } from './_sentences.ts';
import { conceptsOf, titleOf, wordsOf } from './_title.ts';

/** An answer longer than this dealt with it one way or the other. */
const SHORT_ANSWER = 700;
const MIN_WORDS = 6;
/** The fault must stand in what becomes the title. */
const MAX_LEAD = 110;

/** Words that name a fault, not only a wish. */
const FAULT =
  /\b(?:race condition|deadlock|fails?|failed|failing|failures?|crash(?:es|ed|ing)?|broken|hangs?|hanging|exceptions?|memory leak|leaks?|data loss|corrupt\w*|(?:does|do|is)n't work(?:ing)?|not working|stopped working|regression|times? out|timeouts?|flaky|out of memory)\b/i;
const OPENING =
  /^(?:(?:so|ok|okay|hm+|also|and|well|hey|btw)[,.… ]+)*(?:(?:i think|it seems|it looks like|looks like|seems|i(?:'m| am) (?:seeing|getting)|i (?:see|get|keep (?:seeing|getting))|we (?:see|get|have)|i(?:'m| am) wondering if)\s+(?:that\s+|like\s+)?)?(?:there (?:could|might|may|must|seems to) be\s+|there(?:'s| is)\s+)?(?:an?\s+)?/i;

export function troubleOf(turn: StoredTurn, own: readonly Sentence[]): MemoryDraft | undefined {
  if (turn.origin !== 'person' || turn.answer.length > SHORT_ANSWER) return undefined;
  const source = own.find(
    ({ text }) =>
      FAULT.test(text.slice(0, MAX_LEAD)) &&
      !/["“”]/.test(text) &&
      !text.endsWith('?') &&
      wordsOf(text).length >= MIN_WORDS &&
      !POINTING.test(text.replace(OPENING, '')) &&
      !/\b(?:it|this|that) (?:still |now |always )?(?:fails|crashes|hangs|breaks|times out)\b/i.test(text),
  );
  const title = source && titleOf(source.text.replace(OPENING, ''));
  if (source === undefined || title === undefined) return undefined;
  const after = own.slice(own.indexOf(source) + 1, own.indexOf(source) + 3).map(({ text }) => text);
  const body = [source.text, ...after].join(' ');
  return {
    kind: 'issue',
    title,
    body,
    facts: [],
    concepts: conceptsOf(title, body),
    files: [],
    state: 'open',
  };
}
