/** Makes a title from a statement, with its subject where it names none. Pure. */
import type { MemoryKind, StoredTurn } from '../../core/index.ts';
import { sentencesOf } from '../rules/sentences.ts';
import { HEDGE, NARRATION, ORDER, POINTING, POINTING_OBJECT, TROUBLE } from '../rules/talk.ts';
import { splitFailure, splitReason, titleOf, topicsOf, wordsOf } from '../rules/title.ts';
import { shared } from './_group.ts';
import { userStatement } from './_statement.ts';

export interface Point {
  readonly text: string;
  readonly reason?: string;
  /** The title contains all of its sentence. */
  readonly isWhole: boolean;
}

interface Talk {
  readonly turn: StoredTurn;
  readonly previous?: StoredTurn | undefined;
}

const MAX_TITLE = 140;
const MIN_WORDS = 3;
/** Words of a title that is easy to read. */
const GOOD = { min: 5, max: 20 } as const;
/** A title with fewer topic words says nothing without the session. */
const MIN_TOPICS = 2;
/** Characters of a subject. */
const MAX_SUBJECT = 80;
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

/** The statement as a title. A long one loses its reason, then its end. */
export function plainTitle(statement: string, kind: MemoryKind): Point | undefined {
  const { what, reason } =
    statement.length <= MAX_TITLE && wordsOf(statement).length <= GOOD.max
      ? { what: statement }
      : kind === 'dead_end'
        ? splitFailure(statement)
        : splitReason(statement);
  const text = titleOf(what, MIN_WORDS);
  if (text === undefined) return undefined;
  const isWhole = what.length <= MAX_TITLE;
  return { text, isWhole, ...(reason !== undefined && { reason }) };
}

/** "There are still 61 dead links" names its subject. */
const EXISTS = /^there(?:'s|’s| is| are) /i;

/** Understandable without the session. */
export function isClear(title: string): boolean {
  if ((POINTING.test(title) && !EXISTS.test(title)) || POINTING_OBJECT.test(title) || NARRATION.test(title))
    return false;
  return topicsOf(title).size >= MIN_TOPICS || (title.match(CJK)?.length ?? 0) >= 6;
}

/**
 * A statement that is not clear gets what was asked as its subject, and a fix gets its symptom: "Uploads fail with 413 → the
 * proxy now allows 50 MB". Nothing if it is still not clear.
 */
export function withSubject(
  point: Point | undefined,
  statement: string,
  who: 'user' | 'assistant',
  kind: MemoryKind,
  talk: Talk,
): Point | undefined {
  const clear = point !== undefined && isClear(point.text);
  if (clear && who === 'user') return point;
  const subject = who === 'assistant' ? subjectIn(talk) : undefined;
  const isNeeded =
    !clear ||
    (kind === 'bugfix' &&
      subject !== undefined &&
      TROUBLE.test(subject) &&
      !ORDER.test(subject) &&
      shared(subject, point.text) === 0);
  if (subject === undefined || !isNeeded) return clear ? point : undefined;
  const rest = point?.text ?? statement;
  const text = `${subject}${kind === 'bugfix' ? ' → ' : ': '}${lowered(rest)}`;
  if (text.length <= MAX_TITLE)
    return {
      text,
      isWhole: point?.isWhole ?? true,
      ...(point?.reason !== undefined && { reason: point.reason }),
    };
  if (clear) return point;
  const cut = titleOf(text, MIN_WORDS);
  return cut === undefined ? undefined : { text: cut, isWhole: false };
}

/** Returns the request of this turn, or of the one before if this prompt only agrees. */
function subjectIn({ turn, previous }: Talk): string | undefined {
  for (const one of [turn, previous]) {
    if (one === undefined || one.origin !== 'person') continue;
    const [best] = sentencesOf(one.prompt, true)
      .map(({ text }) => userStatement(text).replace(/[?.!\s]+$/, ''))
      .filter(
        (text) => text.length <= MAX_SUBJECT && wordsOf(text).length >= MIN_WORDS && !POINTING.test(text),
      )
      // A symptom says more than an order: "write the failing test first".
      .map((text) => ({ text, topics: topicsOf(text).size, isOrder: ORDER.test(text) }))
      .filter(({ topics }) => topics >= MIN_TOPICS)
      .toSorted((a, b) => Number(a.isOrder) - Number(b.isOrder) || b.topics - a.topics);
    const text = best && titleOf(best.text, MIN_WORDS);
    if (text !== undefined) return text;
  }
  return undefined;
}

function lowered(text: string): string {
  return /^[A-Z][a-z]+ /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** How good a title is, to choose among several. */
export function worth(title: string): number {
  const words = wordsOf(title).length;
  const length = words < GOOD.min ? -0.3 : words > GOOD.max ? -0.1 : 0;
  return length + Math.min(topicsOf(title).size, 8) * 0.04 - (HEDGE.test(title) ? 0.2 : 0);
}
