/** The score of one candidate, between 0 and 1, and how it came about. Pure. */
import { tokensOf, type Word } from '../index/index.ts';
import { PERSONAL_PROJECT, type Memory } from '../model/index.ts';
import { ageInDays } from './ages.ts';
import {
  COVERAGE,
  FILE_OVERLAP_BOOST,
  KIND_FACTOR,
  LONE_WORD_CAP,
  MAX_QUERY_WORDS,
  OTHER_BRANCH_FACTOR,
  PROJECT_FACTOR,
  RECENCY,
  STATE_FACTOR,
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

export interface WeighedWord {
  readonly word: Word;
  readonly weight: number;
}

export interface Frequencies {
  readonly rows: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The words of a query with what each is worth, the most telling first, no more than are of use. */
export function weigh(words: readonly Word[], { rows, counts }: Frequencies): readonly WeighedWord[] {
  const total = rows + COVERAGE.pseudoRows;
  const highest = Math.log(1 + total);
  const rarity = (token: string): number => {
    const count = counts.get(token) ?? 0;
    return count === 0 ? 0 : Math.log(1 + total / count) / highest;
  };
  const weighed = words.map((word) => {
    const known = Math.max(0, ...tokensOf(word).map(rarity));
    const weight = known === 0 ? COVERAGE.unknownWord : known;
    return { word, weight: word.weak ? weight * COVERAGE.weakWord : weight };
  });
  return weighed.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_QUERY_WORDS);
}

/**
 * How well a text answers the words: the share of their weight it covers, times its place in the BM25 order. Coverage
 * makes the score absolute (a query that shares one word of five stays low even when it is the best there is); the order
 * adds what coverage does not see: how often, in which column, in how long a text.
 */
export function textScore(
  words: readonly WeighedWord[],
  matched: ReadonlySet<string>,
  bm25: number,
  bestBm25: number,
): Score {
  const covered = words.map(({ word, weight }) => ({ word, weight, share: cover(word, matched) }));
  const gained = covered.reduce((sum, { weight, share }) => sum + weight * share, 0);
  const asked = words.reduce((sum, { weight }) => sum + weight, 0);
  const needed =
    asked <= COVERAGE.fullUpTo
      ? asked
      : COVERAGE.fullUpTo + (asked - COVERAGE.fullUpTo) * COVERAGE.shareBeyond;
  const coverage = needed === 0 ? 0 : Math.min(1, gained / needed);
  const order = bestBm25 > 0 ? Math.max(0, bm25) / bestBm25 : 1;
  const orderFactor = COVERAGE.orderFloor + (1 - COVERAGE.orderFloor) * order;

  const steps = chain(1, [
    ['words covered', coverage],
    ['order', orderFactor],
  ]);
  const names = covered.filter(({ share }) => share > 0).map(({ word }) => word.surface);
  if (!isLoneWord(covered) || steps.score <= LONE_WORD_CAP) return { ...steps, covered: names };
  const capped = chain(steps.score, [['one word in common', LONE_WORD_CAP / steps.score]]);
  return { score: capped.score, parts: [...steps.parts, ...capped.parts], covered: names };
}

export interface Circumstances {
  readonly now: Date;
  readonly project?: string | undefined;
  readonly branch?: string | undefined;
  /** Files the query names. */
  readonly files: readonly string[];
}

/** The text score, moved by what is known about the memory beside its words. */
export function memoryScore(base: Score, memory: Memory, about: Circumstances): Score {
  const otherBranch = about.branch && memory.branch && about.branch !== memory.branch;
  const fading = RECENCY.fadingShare * (1 - 2 ** (-ageInDays(memory.at, about.now) / RECENCY.halfLifeDays));
  const named = about.files.some((file) => memory.files.some((path) => samePath(path, file)));
  const lifted = named ? 1 - (1 - base.score) * (1 - FILE_OVERLAP_BOOST) : base.score;
  const moved = chain(base.score, [
    ['file named', base.score === 0 ? 1 : lifted / base.score],
    [`state ${memory.state}`, STATE_FACTOR[memory.state]],
    [`kind ${memory.kind}`, KIND_FACTOR[memory.kind]],
    ['project', projectFactor(memory, about.project)],
    ['other branch', otherBranch ? OTHER_BRANCH_FACTOR : 1],
    ['age', 1 - fading],
  ]);
  return { score: moved.score, parts: [...base.parts, ...moved.parts], covered: base.covered };
}

/** One is the other, or ends in it. */
export function samePath(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function cover(word: Word, matched: ReadonlySet<string>): number {
  if (word.whole.some((token) => matched.has(token))) return 1;
  if (word.parts.length === 0) return 0;
  const found = word.parts.filter((token) => matched.has(token)).length;
  const most = word.kind === 'path' ? COVERAGE.pathPartsOnly : COVERAGE.partsOnly;
  return (most * found) / word.parts.length;
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
