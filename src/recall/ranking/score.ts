/** The score of one candidate, between 0 and 1, and how it came about. Pure. */
import { PERSONAL_PROJECT, type Memory } from '../../core/index.ts';
import { tokensOf, type Frequencies, type NearFacts, type Word } from '../../database/index.ts';
import { ageInDays } from '../ages.ts';
import type { Span } from '../dates.ts';
import { branchNow, NOTHING_KNOWN, useFactor, type FilesNow, type Signals, type Used } from './signals.ts';
import {
  BRANCH_FACTOR,
  COVERAGE,
  FILE_OVERLAP_BOOST,
  KIND_FACTOR,
  LONE_WORD_CAP,
  MAX_QUERY_WORDS,
  MEANING,
  NEAR_WEIGHTS,
  OTHER_TIME,
  PROJECT_FACTOR,
  RECENCY,
  STALE,
  STATE_FACTOR,
  TEXT,
} from './weights.ts';

/** One step on the way to a score: what it was, what it multiplied by, and the score after it. */
export interface ScorePart {
  readonly name: string;
  readonly factor: number;
  readonly after: number;
}

export interface Score {
  readonly score: number;
  readonly parts: readonly ScorePart[];
  /** The words of the query this candidate covers. */
  readonly covered: readonly string[];
}

/** One shared pair may be chance. */
const CJK_PAIRS = 2;

export interface WeighedWord {
  readonly word: Word;
  readonly weight: number;
}

/** The words of a query with what each is worth, the most telling first, no more than are of use. */
export function weigh(words: readonly Word[], frequencies: Frequencies): readonly WeighedWord[] {
  const { counts } = frequencies;
  const rarity = rarityIn(frequencies);
  const weighed = words.map((given) => {
    const word = given.kind === 'cjk' ? withoutUnknown(given, counts) : given;
    const known = Math.max(0, ...tokensOf(word).map(rarity));
    const weight = known === 0 ? COVERAGE.unknownWord : known;
    return { word, weight: word.weak ? weight * COVERAGE.weakWord : weight };
  });
  return weighed.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_QUERY_WORDS);
}

/** How rare a token is, between 0 for one nobody wrote, a little for one in every memory, and 1 for one in a single memory. */
export function rarityIn({ rows, counts }: Frequencies): (token: string) => number {
  const total = rows + COVERAGE.pseudoRows;
  const highest = Math.log(1 + total);
  return (token) => {
    const count = counts.get(token) ?? 0;
    return count === 0 ? 0 : Math.log(1 + total / count) / highest;
  };
}

/** The same words as evidence: a rare one tells by far the most. */
export function telling(words: readonly WeighedWord[]): readonly WeighedWord[] {
  return words.map(({ word, weight }) => ({ word, weight: weight ** COVERAGE.rarityPower }));
}

/** Where one word of a CJK run ends and the next begins, the pair means nothing: most pairs nobody wrote are such. */
function withoutUnknown(word: Word, counts: ReadonlyMap<string, number>): Word {
  const parts = word.parts.filter((part) => (counts.get(part) ?? 0) > 0);
  return parts.length < CJK_PAIRS ? word : { ...word, parts };
}

/** What a text holds of the words, as the index counts it. */
export interface Held {
  /** How often each token stands in it, weighted by column. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
  readonly near: readonly NearFacts[];
}

/**
 * How much of the words a text and its neighbours hold: for the order, and only comparable within one query. BM25 with
 * fields, where an entry's neighbours are fields of little weight, over words instead of tokens.
 */
export function relevance(
  words: readonly WeighedWord[],
  held: Held,
  averageLength: number,
  byLength: number = TEXT.byLength,
): number {
  const length = 1 - byLength + (byLength * held.length) / Math.max(1, averageLength);
  const saturated = (token: string): number => {
    let count = held.counts.get(token) ?? 0;
    for (const { distance, counts } of held.near)
      count += (NEAR_WEIGHTS[distance - 1] ?? 0) * Math.min(1, counts.get(token) ?? 0);
    return (count * (TEXT.saturation + 1)) / (count + TEXT.saturation * length);
  };
  return words.reduce((sum, { word, weight }) => sum + weight * graded(word, saturated), 0);
}

/**
 * How sure it is that a text answers the words, between 0 and 1 and the same for every query: the share of their weight
 * it covers itself (a query that shares one word of five stays low even when it is the best there is), a little less
 * where others answer better. `order` is its place in the order, the best being 1.
 */
export function evidenceOf(
  asked: readonly WeighedWord[],
  { counts }: Pick<Held, 'counts'>,
  order: number,
): Score {
  const words = telling(asked);
  const covered = words.map(({ word, weight }) => ({ word, weight, share: cover(word, counts) }));
  const gained = covered.reduce((sum, { weight, share }) => sum + weight * share, 0);
  const said = words.reduce((sum, { weight }) => sum + weight, 0);
  const needed =
    said <= COVERAGE.fullUpTo ? said : COVERAGE.fullUpTo + (said - COVERAGE.fullUpTo) * COVERAGE.shareBeyond;
  const coverage = needed === 0 ? 0 : Math.min(1, gained / needed);
  const steps = chain(1, [
    ['words covered', coverage],
    ['order', COVERAGE.orderFloor + (1 - COVERAGE.orderFloor) * order],
  ]);
  const names = covered.filter(({ share }) => share > 0).map(({ word }) => word.surface);
  if (!isLoneWord(covered) || steps.score <= LONE_WORD_CAP) return { ...steps, covered: names };
  const capped = chain(steps.score, [['one word in common', LONE_WORD_CAP / steps.score]]);
  return { score: capped.score, parts: [...steps.parts, ...capped.parts], covered: names };
}

/** Evidence that what is meant adds to what is said: as if both spoke for it on their own. */
export function withMeaning(evidence: Score, cosine: number | undefined): Score {
  const { from, sure, most } = MEANING;
  const share = cosine === undefined ? 0 : Math.min(1, Math.max(0, (cosine - from) / (sure - from)));
  if (share === 0) return evidence;
  const score = 1 - (1 - evidence.score) * (1 - most * share);
  const part = {
    name: 'near in meaning',
    factor: rounded(score / (evidence.score || score)),
    after: rounded(score),
  };
  return { ...evidence, score, parts: [...evidence.parts, part] };
}

export const NO_SCORE: Score = { score: 0, parts: [], covered: [] };

/** A place in the order (the best is 1) as a score: as high as the surest of all candidates, and less further down. */
export function placed(strongest: number, order: number, { covered }: Pick<Score, 'covered'>): Score {
  const steps = chain(1, [
    ['surest answer', strongest],
    ['place in the order', order],
  ]);
  return { ...steps, covered };
}

export interface Circumstances {
  readonly now: Date;
  readonly project?: string | undefined;
  readonly signals: Signals;
  /** A time the query named in plain words. */
  readonly time?: Span;
  /** Files the query names. */
  readonly files: readonly string[];
}

/** What is known of one memory: how its files are now, and of what use it was. */
export interface Known {
  readonly files?: FilesNow;
  readonly use?: Used | undefined;
}

/** A score moved by what is known about the memory beside its words. */
export function memoryScore(base: Score, memory: Memory, about: Circumstances, known: Known = {}): Score {
  const { files = NOTHING_KNOWN, use } = known;
  const branch = branchNow(about.signals, memory, files);
  const fading = RECENCY.fadingShare * (1 - 2 ** (-ageInDays(memory.at, about.now) / RECENCY.halfLifeDays));
  const named = about.files.some((file) => memory.files.some((path) => samePath(path, file)));
  const lifted = named ? 1 - (1 - base.score) * (1 - FILE_OVERLAP_BOOST) : base.score;
  const moved = chain(base.score, [
    ['file named', base.score === 0 ? 1 : lifted / base.score],
    [`state ${memory.state}`, STATE_FACTOR[memory.state]],
    [`kind ${memory.kind}`, KIND_FACTOR[memory.kind]],
    ['project', projectFactor(memory, about.project)],
    [branch === 'unmerged' ? 'branch not merged' : 'other branch', BRANCH_FACTOR[branch]],
    ['other time', timeFactor(memory.at, about.time)],
    ['age', 1 - fading],
    ['use', use ? useFactor(use) : 1],
  ]);
  return { score: Math.min(1, moved.score), parts: [...base.parts, ...moved.parts], covered: base.covered };
}

/** What is said of files that changed sinks in the order. It is no less what was asked for, so no less sure. */
export function withFiles(score: Score, { changes }: FilesNow): Score {
  const gone = changes.some(({ how }) => how === 'gone');
  const sunk = chain(score.score, [
    [gone ? 'files gone' : 'files changed', changes.length === 0 ? 1 : gone ? STALE.gone : STALE.changed],
  ]);
  return { ...score, score: sunk.score, parts: [...score.parts, ...sunk.parts] };
}

/** What happened at a time is often told some days later; what is of another time sinks. */
export function timeFactor(at: string, time: Span | undefined): number {
  if (time?.since !== undefined && at < time.since) return OTHER_TIME.factor;
  if (time?.until === undefined || at < time.until) return 1;
  return ageInDays(time.until, new Date(at)) <= OTHER_TIME.toldWithinDays
    ? OTHER_TIME.toldLater
    : OTHER_TIME.factor;
}

/** One is the other, or ends in it. */
export function samePath(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function cover(word: Word, counts: ReadonlyMap<string, number>): number {
  return graded(word, (token) => (counts.has(token) ? 1 : 0));
}

/** The whole word, or as much of its parts as there is. */
export function graded(word: Word, worth: (token: string) => number): number {
  const whole = Math.max(0, ...word.whole.map(worth));
  if (word.parts.length === 0) return whole;
  const most = word.kind === 'path' ? COVERAGE.pathPartsOnly : COVERAGE.partsOnly;
  const parts = word.parts.reduce((sum, token) => sum + worth(token), 0) / word.parts.length;
  return Math.max(whole, most * parts);
}

interface Covered extends WeighedWord {
  readonly share: number;
}

/** Too little in common to be a sign: see LONE_WORD_CAP. */
function isLoneWord(covered: readonly Covered[]): boolean {
  const found = covered.filter(({ share }) => share > 0);
  const strong = found.filter(({ word }) => !word.weak);
  if (strong.length === 0) return true;
  const name = strong.some(({ word }) => word.kind !== 'plain' && word.whole.length > 0);
  const pieces = strong.some(({ word, share }) => word.parts.length > 1 && share * word.parts.length > 1);
  const all = covered.filter(({ word }) => !word.weak).length === 1;
  return found.length < 2 && !name && !pieces && !all;
}

function projectFactor(memory: Memory, project: string | undefined): number {
  if (project === undefined || memory.project === project) return PROJECT_FACTOR.own;
  return memory.project === PERSONAL_PROJECT ? PROJECT_FACTOR.personal : PROJECT_FACTOR.other;
}

/** Multiplies on, leaving out steps that changed nothing. */
function chain(start: number, steps: readonly (readonly [string, number])[]): Score {
  let score = start;
  const parts: ScorePart[] = [];
  for (const [name, factor] of steps) {
    score *= factor;
    if (rounded(factor) !== 1) parts.push({ name, factor: rounded(factor), after: rounded(score) });
  }
  return { score, parts, covered: [] };
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
