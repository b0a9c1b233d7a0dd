/** Finds a fault that the user reported and the turn did not settle: an open issue in the user's words. Pure. */
import type { MemoryDraft, StoredTurn } from '../../core/index.ts';
import { IMPERATIVE } from './_english-talk.ts';
import { DONE_VERBS, POINTING } from './_english.ts';
import type { Sentence } from './sentences.ts';
import { conceptsOf, titleOf, wordsOf } from './title.ts';

/** A longer answer has dealt with the fault. */
const SHORT_ANSWER = 700;
const MIN_WORDS = 6;
/** The title must contain the fault. */
const MAX_LEAD = 110;

/** Words that name a fault, not only a wish. */
const FAULT =
  /\b(?:race condition|deadlock|fails?|failed|failing|failures?|crash(?:es|ed|ing)?|broken|hangs?|hanging|exceptions?|memory leak|leaks?|data loss|corrupt\w*|(?:does|do|is)n't work(?:ing)?|not working|stopped working|regression|times? out|timeouts?|flaky|out of memory)\b/i;
const OPENING =
  /^(?:(?:so|ok|okay|hm+|also|and|well|hey|btw)[,.… ]+)*(?:(?:i think|it seems|it looks like|looks like|seems|i(?:'m| am) (?:seeing|getting)|i (?:see|get|keep (?:seeing|getting))|we (?:see|get|have)|i(?:'m| am) wondering if)\s+(?:that\s+|like\s+)?)?(?:(?:there (?:could|might|may|must|seems to) be|there(?:'s| is))\s+(?:an?\s+)?)?/i;
/** A line of program output, and text that is no report: a question, a condition, a summary of work. */
const NOT_REPORTED = new RegExp(
  String.raw`^(?:[^\p{L}\p{N}\x60'(]|FAIL\b|(?:error|warning|fatal|panic)\b:?|failed to\b|(?:if|when|once|why|how|what|should|shouldn't|can|could|do|does|is|are|isn't|please)\b|(?:diagnosed|${DONE_VERBS})\b)|\S+=\S+ |: error\b|\S{60}|\b\d+ms\b`,
  'iu',
);
/** `Overview of the known failures` is the name of a task. */
const SAYS =
  /\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|might|may|must|will|would|fails|failed|failing|crash(?:es|ed)|hangs|leaks|breaks|times out|stopped|gets?|see|think|seems|looks|there|runs|returns|throws|uses|shows|says|prints|takes|loses|drops|writes|reads|ignores|\w+n't|i'm|it's)\b/i;
/** `Warning: …` */
const PRINTED_LABEL = /^(?:error|warning|fatal|panic|fail|failed)$/;

export function troubleOf(turn: StoredTurn, own: readonly Sentence[]): MemoryDraft | undefined {
  if (turn.origin !== 'person' || turn.answer.length > SHORT_ANSWER) return undefined;
  const source = own.find(
    ({ text, label }) =>
      !NOT_REPORTED.test(text) &&
      !IMPERATIVE.test(text) &&
      SAYS.test(text) &&
      !PRINTED_LABEL.test(label) &&
      FAULT.test(text.slice(0, MAX_LEAD)) &&
      !/["“”]/.test(text) &&
      !text.endsWith('?') &&
      wordsOf(text).length >= MIN_WORDS &&
      !POINTING.test(text.replace(OPENING, '')) &&
      !/\b(?:it|this|that)(?:'s| is)? (?:still |now |always )*(?:fails|crashes|hangs|breaks|times out|broken|failing|crashing|hanging)\b/i.test(
        text,
      ),
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
