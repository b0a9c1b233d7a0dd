/** Makes a title from a statement, with its subject where it names none. Pure. */
import type { MemoryKind } from '../../core/index.ts';
import { HEDGE, NARRATION, POINTING, POINTING_OBJECT, TROUBLE } from '../rules/talk.ts';
import { splitFailure, splitReason, titleOf, topicsOf, wordsOf } from '../rules/title.ts';
import { shared } from './_group.ts';
import { type Scene, subjectAbove, subjectAsked, subjectFile } from './_subject.ts';
import type { Unit } from './units.ts';

export interface Point {
  readonly text: string;
  readonly reason?: string;
  /** The title contains all of its sentence. */
  readonly isWhole: boolean;
}

const MAX_TITLE = 140;
const MIN_WORDS = 3;
/** Words of a title that is easy to read. */
const GOOD = { min: 5, max: 20 } as const;
/** A title with fewer topic words says nothing without the session. */
const MIN_TOPICS = 2;
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
 * A statement that is not clear gets its heading or what was asked as its subject, and a fix gets its symptom: "Uploads fail
 * with 413 → the proxy now allows 50 MB". Nothing if it is still not clear.
 */
export function withSubject(
  point: Point | undefined,
  statement: string,
  { who, heading }: Pick<Unit, 'who' | 'heading'>,
  kind: MemoryKind,
  scene: Scene,
): Point | undefined {
  const clear = point && isClear(point.text) ? point : undefined;
  if (who === 'user') return clear;
  const { text: rest, reason, isWhole = true } = point ?? { text: statement };
  const isVague = VAGUE.test(rest);
  const above =
    (clear === undefined || isVague ? subjectAbove(heading, rest) : undefined) ??
    (clear && isVague ? subjectFile(rest, scene) : undefined);
  const asked = above === undefined ? subjectAsked(kind, scene) : undefined;
  const isNeeded =
    clear === undefined || above !== undefined || (kind === 'bugfix' && isSymptom(asked, rest));
  const subject = isNeeded ? (above ?? asked) : undefined;
  if (subject === undefined) return clear;
  const text = `${subject}${kind === 'bugfix' && above === undefined ? ' → ' : ': '}${lowered(rest)}`;
  if (text.length <= MAX_TITLE) return { text, isWhole, ...(reason !== undefined && { reason }) };
  if (clear) return clear;
  const cut = titleOf(text, MIN_WORDS);
  return cut === undefined ? undefined : { text: cut, isWhole: false };
}

/** Whether a fix that does not repeat what was asked answers it as its fault. */
function isSymptom(asked: string | undefined, fix: string): boolean {
  return asked !== undefined && TROUBLE.test(asked) && shared(asked, fix) === 0;
}

function lowered(text: string): string {
  return /^[A-Z][a-z]+ /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** How good a title is, to choose among several. */
export function worth(title: string): number {
  const words = wordsOf(title).length;
  const length = words < GOOD.min ? -0.3 : words > GOOD.max ? -0.1 : 0;
  const unclear = VAGUE.test(title) || HEDGE.test(title) || title.endsWith('…') ? UNCLEAR : 0;
  return length + Math.min(topicsOf(title).size, 8) * 0.04 - unclear;
}

const UNCLEAR = 0.2;
const NOUN =
  '(?:fix|change|changes|rewrite|update|message|callback|signature|loop|comment|docs?|todo|table|tests?|title|row|cut|version|plan|move|types?|parts?|issue|problem|bug|cause|functions?|methods?|fields?|flags?|helpers?|code|path|check|cases?|branch|block|section|step|output|result|value|switch|edit|order|command|assertion|help text|parsing|logic|approach|solution|doc comment)';
/** Does not name what it is about: "The fix wraps the loop", "Handles both cases", "I also", "the same thing", "those three". */
const VAGUE = new RegExp(
  [
    String.raw`^(?:the|this|both|all|two|three|four|five)(?: (?:new|old|previous|other|existing|same|actual|main|whole|two|three|four|five))* ${NOUN}(?! (?:of|for|in|from|that|which|between|on) )\b`,
    String.raw`^(?:handles|loads|returns|reads|writes|uses|adds|keeps|covers|supports|skips|includes|searches|collects|merges|checks|creates|sets|stores|shows|sends|calls|takes|runs|works|validates|falls)\b`,
    String.raw`^(?:I|we|you)\b|\b(?:the same (?!as\b|time\b)\w+|th(?:ese|ose)(?: \w+)? (?!are\b|is\b)|the (?:above|following|other one|2|two|three)\b)`,
  ].join('|'),
  'i',
);
