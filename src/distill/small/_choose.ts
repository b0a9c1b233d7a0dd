/** Asks the small model which sentences of a turn are worth keeping. Skips sentences that cannot be. */
import { type MemoryKind, RULE_KINDS, type StoredTurn } from '../../core/index.ts';
import { KEEP_KINDS, type KeepScore, type SmallModel } from '../../models/index.ts';
import { draftsOf } from '../rules/local.ts';
import { ownSentences } from '../rules/said.ts';
import { CHECK, HEDGE, NARRATION, ORDER, TROUBLE } from '../rules/talk.ts';
import { wordsOf } from '../rules/title.ts';
import { keepScores } from './keep-scores.ts';
import { leftOpen, TO_DO } from './_left.ts';
import { ORDERS as RULING } from './_statement.ts';
import { THRESHOLDS } from './thresholds.ts';
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
  /** The model's probability that it is an issue, whatever the rules make of it. */
  readonly issue: number;
  /** The agent says that it did not do or fix it. */
  readonly isLeft?: true;
  /** The rules find it too. */
  readonly isStated?: true;
}

interface Heard {
  readonly turn: StoredTurn;
  readonly previous: StoredTurn | undefined;
  readonly answer: boolean;
  readonly edited: boolean;
}

const MIN_WORDS = 3;
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/**
 * Returns the sentences that the model was asked about, in order. `answer`: whether the agent's words count. `edited`:
 * whether the turn changed something.
 */
export async function scoreUnits(
  model: SmallModel,
  { turn, previous, answer, edited }: Heard,
  signal: AbortSignal,
): Promise<readonly Scored[]> {
  const isOwn = ownOf(turn);
  const units = unitsOf(turn);
  const asked = units
    .map((unit, at) => ({ unit, at }))
    .filter(({ unit }) =>
      unit.who === 'user' ? isOwn(unit) && mayState(unit, previous !== undefined) : answer && mayReport(unit),
    );
  const scoreOf = await keepScores(
    model,
    { units, turn, previous },
    asked.map(({ unit }) => unit),
    signal,
  );
  const drafts = draftsOf(turn, undefined, previous);
  const left = leftOpen(units, scoreOf, edited);
  const scored = asked.flatMap(({ unit, at }): readonly Scored[] => {
    const score = scoreOf.get(unit);
    if (!score) return [];
    const stated = drafts.find(
      ({ quote = '' }) => quote.length > 3 && (unit.raw.includes(quote) || quote.includes(unit.raw)),
    );
    const { issue } = score.kinds;
    const isFound = edited && score.keep >= THRESHOLDS.open.keep && isSurelyOpen({ unit, issue });
    if (!stated && (left.has(unit) || isFound)) {
      const sure = Math.max(score.keep, THRESHOLDS.issue.found);
      return [{ unit, at, keep: sure, kinds: ISSUE, kind: 'issue', issue, isLeft: true }];
    }
    const { keep, kinds } = stated ? withRule(score, stated.kind) : withFault(score, unit);
    return [{ unit, at, keep, kinds, kind: likeliest(kinds), issue, ...(stated && { isStated: true }) }];
  });
  return withFaults(scored);
}

/** The agent found it, and the model, which knows what was asked and done, takes it for an issue. */
export function isSurelyOpen({ unit, issue }: Pick<Scored, 'unit' | 'issue'>): boolean {
  return unit.who === 'assistant' && issue >= THRESHOLDS.open.issue;
}

/** Adds to the score of a sentence that the rules find too: it is stated explicitly. */
function withRule({ keep, kinds }: KeepScore, kind: MemoryKind): KeepScore {
  const { stated } = THRESHOLDS;
  const sure = Math.min(1, keep + stated.keep);
  return { keep: sure, kinds: kind === 'issue' ? ISSUE : { ...kinds, [kind]: kinds[kind] + stated.kind } };
}

/**
 * A statement that reads like a rule, but not surely, reports the fault if the agent reports its fix: "articles are counted
 * twice when two scanners book".
 */
function withFaults(scored: readonly Scored[]): readonly Scored[] {
  const isFixed = scored.some(
    ({ unit, kind, keep }) => unit.who === 'assistant' && kind === 'bugfix' && keep >= THRESHOLDS.issue.said,
  );
  if (!isFixed) return scored;
  return scored.map((one) => {
    const { unit, kind, kinds } = one;
    const isUnsure = RULE_KINDS.includes(kind) && kinds[kind] < SURE;
    if (unit.who !== 'user' || !isUnsure || RULING.test(unit.text) || isAsked(unit.text)) return one;
    return { ...one, kind: 'issue', kinds: ISSUE };
  });
}

/** From this share of one kind on, the model is sure of it: all others together are less likely. */
const SURE = 0.5;

function isAsked(text: string): boolean {
  return ORDER.test(text) || HEDGE.test(text);
}

/** Makes an issue of a report that something is broken or still to do, whatever the model says. */
function withFault(score: KeepScore, { who, text }: Unit): KeepScore {
  const isLeft = TO_DO.test(text) && !ORDER.test(text);
  const isFault = who === 'user' && (TROUBLE.test(text) || isLeft) && !ORDERS.test(text);
  return isFault ? { keep: score.keep, kinds: ISSUE } : score;
}

const ISSUE: KeepScore['kinds'] = {
  decision: 0,
  preference: 0,
  discovery: 0,
  dead_end: 0,
  issue: 1,
  bugfix: 0,
  feature: 0,
  refactor: 0,
  pattern: 0,
};

/** A rule or an order about it. */
const ORDERS =
  /\b(?:never|always|don't|dont|do not|must|should|stop|please|pls|let's|from now on|go|take|use|make|tried|nie|immer|bitte|jamais|toujours|nunca|siempre|sempre|всегда|никогда)\b|一律|必须|禁止|してください|해주세요/iu;

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
  return !GREETING.test(text) && !ANNOUNCES.test(text) && (isAnswer || isLong(text));
}

/** "I tried it in a new folder and got this:": without what follows it says nothing. */
const ANNOUNCES =
  /\b(?:like|got|get|gets|see|gives?|says?|said|prints?|shows?|is|are|was) (?:me |us )?(?:this|these|that|the following|below)\W*$|\b(?:as follows|see below|look at this|(?:here|this) is (?:the|my|our) (?:output|log|error|trace|plan|diff|code))\W*$/i;

function mayReport({ text }: Unit): boolean {
  return isLong(text) && !NO_REPORT.some((pattern) => pattern.test(text));
}

/** Chat, announcements, questions, what leads to a list, and what was checked. */
const NO_REPORT = [GREETING, NARRATION, /[?？:：]["')\s]*$/, CHECK] as const;

function isLong(text: string): boolean {
  return wordsOf(text).length >= MIN_WORDS || CJK.test(text);
}
