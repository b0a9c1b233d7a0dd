/** Asks the small model which sentences of a turn are worth keeping. Skips sentences that cannot be. */
import type { MemoryKind, StoredTurn } from '../../core/index.ts';
import { KEEP_KINDS, type KeepScore, type SmallModel } from '../../models/index.ts';
import { draftsOf } from '../rules/local.ts';
import { ownSentences } from '../rules/said.ts';
import { HEDGE, NARRATION, TROUBLE } from '../rules/talk.ts';
import { wordsOf } from '../rules/title.ts';
import { THRESHOLDS } from './_thresholds.ts';
import { unitsOf, type Unit } from './units.ts';

/** A sentence with the model's answer. */
export interface Scored {
  readonly unit: Unit;
  /** Its place among the sentences of the turn. */
  readonly at: number;
  readonly keep: number;
  readonly kinds: KeepScore['kinds'];
  /** The most likely one. */
  readonly kind: MemoryKind;
  /** The agent says that it did not do or fix it. */
  readonly isLeft?: true;
}

const MIN_WORDS = 3;
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/** Returns the sentences that the model was asked about, in order. `answer`: whether the agent's words count. */
export async function scoreUnits(
  model: SmallModel,
  turn: StoredTurn,
  previous: StoredTurn | undefined,
  answer: boolean,
  signal: AbortSignal,
): Promise<readonly Scored[]> {
  const isOwn = ownOf(turn);
  const units = unitsOf(turn, previous);
  const asked = units
    .map((unit, at) => ({ unit, at }))
    .filter(({ unit }) =>
      unit.who === 'user' ? isOwn(unit) && mayState(unit, previous !== undefined) : answer && mayReport(unit),
    );
  const scores = await model.keep(
    asked.map(({ unit }) => unit.input),
    signal,
  );
  const drafts = draftsOf(turn, undefined, previous);
  const left = leftIn(units);
  return asked.flatMap(({ unit, at }, i) => {
    const score = scores[i];
    if (!score) return [];
    const stated = drafts.find(
      ({ quote = '' }) => quote.length > 3 && (unit.raw.includes(quote) || quote.includes(unit.raw)),
    );
    if (!stated && left.has(unit)) {
      const sure = Math.max(score.keep, THRESHOLDS.issue.found);
      return [{ unit, at, keep: sure, kinds: { ...NO_KIND, issue: 1 }, kind: 'issue', isLeft: true }];
    }
    const { keep, kinds } = stated ? withRule(score, stated.kind) : withFault(score, unit);
    return [{ unit, at, keep, kinds, kind: likeliest(kinds) }];
  });
}

/** Adds to the score of a sentence that the rules find too: it is stated explicitly. */
function withRule({ keep, kinds }: KeepScore, kind: MemoryKind): KeepScore {
  const { stated } = THRESHOLDS;
  return { keep: Math.min(1, keep + stated.keep), kinds: { ...kinds, [kind]: kinds[kind] + stated.kind } };
}

/** Returns what the agent says it did not do. "I left it" is about the sentence before. */
function leftIn(units: readonly Unit[]): ReadonlySet<Unit> {
  return new Set(
    units.flatMap((unit, i) => {
      if (unit.who !== 'assistant' || HEDGE.test(unit.text)) return [];
      if (NOT_YET.test(`${unit.label}: ${unit.text}`)) return [unit];
      const before = units[i - 1];
      return LEFT_IT.test(unit.text) && before?.who === 'assistant' ? [before] : [];
    }),
  );
}

const NOT_YET =
  /^(?:still (?:open|missing|to do)|not (?:done|yet)|open (?:issues|points|questions)|to-?do|next steps|known issues)\b|\b(?:not yet (?:tried|tested|done|fixed|verified)|untested|left (?:it |them )?(?:failing|open|unfixed)|(?:has|have|still has) the same (?:problem|bug|fault))\b/i;
const LEFT_IT =
  /\bI (?:left|have(?:n't| not) (?:\w+)|did(?:n't| not) (?:\w+)) (?:it|this|that|these|those|them|any of)\b|^none of (?:this|these|that)\b.*\b(?:started|done|fixed)/i;

/** Makes an issue of a report that something is broken or still to do, whatever the model says. */
function withFault(score: KeepScore, { who, text }: Unit): KeepScore {
  const isFault = who === 'user' && (TROUBLE.test(text) || TO_DO.test(text)) && !ORDERS.test(text);
  return isFault ? { keep: score.keep, kinds: { ...NO_KIND, issue: 1 } } : score;
}

const NO_KIND: KeepScore['kinds'] = {
  decision: 0,
  preference: 0,
  discovery: 0,
  dead_end: 0,
  issue: 0,
  bugfix: 0,
  feature: 0,
  refactor: 0,
  pattern: 0,
};

/** A rule or an order about it. */
const ORDERS =
  /\b(?:never|always|don't|dont|do not|must|should|stop|please|pls|let's|from now on|go|take|use|make|tried|nie|immer|bitte|jamais|toujours|nunca|siempre|sempre|всегда|никогда)\b|一律|必须|禁止|してください|해주세요/iu;
const TO_DO =
  /\b(?:still (?!works|fine|pass)|not yet|to-?do|known|missing|remains?|pending|remind me)\b|(?<!\p{L})(?:noch|fehl(?:t|en)|offen|pas encore|todavía|aún|falta|pendiente|ainda|pendente|ещё не|пока не|ancora|manca)(?!\p{L})|まだ|まま|未|还没|尚未|아직/iu;

function likeliest(kinds: Readonly<Record<MemoryKind, number>>): MemoryKind {
  return KEEP_KINDS.reduce((best, kind) => (kinds[kind] > kinds[best] ? kind : best));
}

/** Whether a sentence of the prompt is the user's own: not quoted, not pasted. */
function ownOf(turn: StoredTurn): (unit: Unit) => boolean {
  const own = ownSentences(turn).map(({ text }) => text);
  const whole = new Set(own);
  // A quotation within a sentence was left out of it.
  const parts = own.filter((text) => text.includes('…')).map((text) => text.split('…'));
  return ({ text }) =>
    whole.has(text) || parts.some((some) => some.some(Boolean) && some.every((part) => text.includes(part)));
}

const GREETING =
  /^(?:hi|hello|hey|thanks?|thank you|thx|cheers|good (?:morning|evening|night)|great|nice|perfect|awesome|cool|ok(?:ay)?|bye|lol|haha|danke|merci|gracias|obrigad[oa]|спасибо|привет)\b[\s\p{P}\p{S}]*(?:\w+[\s\p{P}\p{S}]*)?$/iu;

/** A short prompt may choose an option: "2", "the first". */
function mayState({ text }: Unit, isAnswer: boolean): boolean {
  return !GREETING.test(text) && (isAnswer || isLong(text));
}

function mayReport({ text }: Unit): boolean {
  return isLong(text) && !GREETING.test(text) && !NARRATION.test(text) && !/[?？]["')\s]*$/.test(text);
}

function isLong(text: string): boolean {
  return wordsOf(text).length >= MIN_WORDS || CJK.test(text);
}
