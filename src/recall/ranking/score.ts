/** Scores one candidate between 0 and 1, with the steps of the score. Pure. */
import { PERSONAL_PROJECT, type Memory } from '../../core/index.ts';
import { tokensOf, type Frequencies, type NearFacts, type Word } from '../../database/index.ts';
import { ageInDays } from '../ages.ts';
import { branchNow, NOTHING_KNOWN, openedFactor, type FilesNow, type Signals } from './signals.ts';
import {
  BRANCH_FACTOR,
  COVERAGE,
  FILE_OVERLAP_BOOST,
  KIND_FACTOR,
  LONE_WORD_CAP,
  MAX_QUERY_WORDS,
  MEANING,
  NEAR_WEIGHTS,
  PROJECT_FACTOR,
  RECENCY,
  STALE,
  STATE_FACTOR,
  TEXT,
  SAME_QUESTION,
} from './weights.ts';

/** One step of a score: its name, its factor, and the score after it. */
export interface ScorePart {
  readonly name: string;
  readonly factor: number;
  readonly after: number;
}

export interface Score {
  readonly score: number;
  readonly parts: readonly ScorePart[];
  /** The words of the query that the candidate contains. */
  readonly covered: readonly string[];
}

/** A single shared pair may be chance. */
const CJK_PAIRS = 2;

export interface WeighedWord {
  readonly word: Word;
  readonly weight: number;
}

/** Returns the words of a query with their weights, highest first, up to a limit. */
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

/** Rarity of a token: 0 if no memory contains it, else from near 0 (in every memory) to 1 (in one memory). */
export function rarityIn({ rows, counts }: Frequencies): (token: string) => number {
  const total = rows + COVERAGE.pseudoRows;
  const highest = Math.log(1 + total);
  return (token) => {
    const count = counts.get(token) ?? 0;
    return count === 0 ? 0 : Math.log(1 + total / count) / highest;
  };
}

/** Weights for evidence, where a rare word counts far more. */
export function telling(words: readonly WeighedWord[]): readonly WeighedWord[] {
  return words.map(({ word, weight }) => ({ word, weight: weight ** COVERAGE.rarityPower }));
}

/** Drops unknown pairs of a CJK run: most of them join the end of one word and the beginning of the next. */
function withoutUnknown(word: Word, counts: ReadonlyMap<string, number>): Word {
  const parts = word.parts.filter((part) => (counts.get(part) ?? 0) > 0);
  return parts.length < CJK_PAIRS ? word : { ...word, parts };
}

/** Counts of the query's words in a text and its neighbours. */
interface WordCounts {
  /** Occurrences of each token, weighted by column. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
  readonly near: readonly NearFacts[];
}

/**
 * BM25 with fields over words instead of tokens, where an entry's neighbours are fields of little weight. For the order;
 * only comparable within one query.
 */
export function relevance(
  words: readonly WeighedWord[],
  text: WordCounts,
  averageLength: number,
  byLength: number = TEXT.byLength,
): number {
  const length = 1 - byLength + (byLength * text.length) / Math.max(1, averageLength);
  const saturated = (token: string): number => {
    let count = text.counts.get(token) ?? 0;
    for (const { distance, counts } of text.near)
      count += (NEAR_WEIGHTS[distance - 1] ?? 0) * Math.min(1, counts.get(token) ?? 0);
    return (count * (TEXT.saturation + 1)) / (count + TEXT.saturation * length);
  };
  return words.reduce((sum, { word, weight }) => sum + weight * graded(word, saturated), 0);
}

/**
 * How sure it is that a text answers the query, between 0 and 1, comparable across queries: the share of the words'
 * weight it contains itself (one word of five stays low even for the best hit), a little less if others match better.
 * `order` is its place in the order, 1 for the best.
 */
export function evidenceOf(
  asked: readonly WeighedWord[],
  { counts }: Pick<WordCounts, 'counts'>,
  order: number,
): Score {
  const words = telling(asked);
  const covered = words.map(({ word, weight }) => ({ word, weight, share: cover(word, counts) }));
  const gained = covered.reduce((sum, { weight, share }) => sum + weight * share, 0);
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  const needed =
    total <= COVERAGE.fullUpTo
      ? total
      : COVERAGE.fullUpTo + (total - COVERAGE.fullUpTo) * COVERAGE.shareBeyond;
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

/** Adds the evidence of meaning to that of words, as independent probabilities. */
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

/** Turns a place in the order (1 for the best) into a score: the strongest evidence times the place. */
export function placed(strongest: number, order: number, { covered }: Pick<Score, 'covered'>): Score {
  const steps = chain(1, [
    ['strongest evidence', strongest],
    ['place in the order', order],
  ]);
  return { ...steps, covered };
}

export interface Circumstances {
  readonly now: Date;
  readonly project?: string | undefined;
  readonly signals: Signals;
  /** Files the query names. */
  readonly files: readonly string[];
}

/** Current state of a memory's files, and the number of sessions in which it was opened. */
export interface Known {
  readonly files?: FilesNow;
  readonly opened?: number | undefined;
}

/** Adjusts a score by state, kind, project, branch and age of the memory, and whether it was opened. */
export function memoryScore(base: Score, memory: Memory, about: Circumstances, known: Known = {}): Score {
  const { files = NOTHING_KNOWN, opened = 0 } = known;
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
    ['age', 1 - fading],
    ['opened', openedFactor(opened)],
  ]);
  return { score: Math.min(1, moved.score), parts: [...base.parts, ...moved.parts], covered: base.covered };
}

/** Lowers the score of a memory whose files changed. Its evidence stays, because it is no less relevant. */
export function withFiles(score: Score, { changes }: FilesNow): Score {
  const gone = changes.some(({ how }) => how === 'gone');
  const lowered = chain(score.score, [
    [gone ? 'files gone' : 'files changed', changes.length === 0 ? 1 : gone ? STALE.gone : STALE.changed],
  ]);
  return { ...score, score: lowered.score, parts: [...score.parts, ...lowered.parts] };
}

/** Whether two paths are equal or one ends with the other. */
export function samePath(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function cover(word: Word, counts: ReadonlyMap<string, number>): number {
  return graded(word, (token) => (counts.has(token) ? 1 : 0));
}

/** Worth of a word: of the complete word, or of the share of its parts that is present. */
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

/** Whether too little is shared to count as evidence; see LONE_WORD_CAP. */
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

/** Multiplies the factors; records the steps that changed the score. */
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

/** Ranks by words, by meaning, or by both if the query has a vector. */
export type By = 'words' | 'meaning' | 'both';

/**
 * Combines words and meaning into one order, 1 for the best: each relative to its best, then added. Not by rank: a near
 * miss in meaning would rank as high as a hit. A candidate without a vector gets the average cosine.
 */
export function fuse(
  words: readonly number[],
  cosines: readonly (number | undefined)[] = [],
  by: By = 'both',
): readonly number[] {
  const known = cosines.filter((cosine) => cosine !== undefined);
  if (by === 'words' || known.length === 0) return relative(words);
  const average = known.reduce((sum, cosine) => sum + cosine, 0) / known.length;
  const near = relative(words.map((_, i) => cosines[i] ?? average));
  if (by === 'meaning') return near;
  const byWords = relative(words);
  return relative(words.map((_, i) => (byWords[i] ?? 0) + MEANING.weight * (near[i] ?? 0)));
}

export function relative(values: readonly number[]): readonly number[] {
  const best = Math.max(0, ...values);
  return best === 0 ? values.map(() => 0) : values.map((value) => Math.max(0, value) / best);
}

/** Whether two texts answer the same question. `a` and `b`: the words of the question that each contains. */
export function haveSameWords(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
  words: readonly WeighedWord[],
): boolean {
  const either = massOf(words, (word) => a.has(word) || b.has(word));
  return massOf(words, (word) => a.has(word) && b.has(word)) >= SAME_QUESTION.words * either;
}

/** The weight of the chosen words: a rare one counts about 1, a common one little. */
export function massOf(words: readonly WeighedWord[], isChosen: (word: string) => boolean): number {
  return telling(words).reduce((sum, { word, weight }) => sum + (isChosen(word.surface) ? weight : 0), 0);
}
