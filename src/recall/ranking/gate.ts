/**
 * Decides how likely a memory is relevant to a prompt. Stricter than a search, because the user did not ask. A logistic
 * model of a few signs; its weights are in weights.ts. Only reads.
 */
import type { Memory } from '../../core/index.ts';
import { queryWords, tokensOf, type MemoryIndex, type Word } from '../../database/index.ts';
import type { Hit } from '../search.ts';
import { isAside } from './aside.ts';
import { graded, rarityIn, type ScorePart } from './score.ts';
import { COVERAGE, GATE, READING } from './weights.ts';

/** Signs for or against a memory: 0 for none, about 1 for a strong one. */
export interface Signs {
  /** Share of its title, and a little of its concepts, that the prompt contains, by the rarity of the words. */
  readonly title: number;
  /** Its kind states a lasting fact, not just work that was done. */
  readonly lasting: number;
  /** How much nearer in meaning it is than the median; 0 without a shared word that is not weak. */
  readonly meaning: number;
  /** The prompt needs no memory: counts against all of them. */
  readonly aside: number;
  /** Length of the prompt: short ones rarely need a memory. The same for all of them. */
  readonly length: number;
  /** The log odds that it helps, of the small model that read prompt and memory together; 0 for one it did not read. */
  readonly read: number;
  /** 0 for a project with few memories, 1 for one with many: there some match by chance. The same for all of them. */
  readonly many: number;
}

/** The log odds of the memories that the small model read with the prompt, by id. */
export type Read = ReadonlyMap<string, number>;

/** Returns the hits with the gate's evidence, highest first. */
export function gated(
  index: MemoryIndex,
  prompt: string,
  hits: readonly Hit[],
  read: Read = NONE_READ,
): readonly Hit[] {
  const way = hits.some(({ cosine }) => cosine !== undefined) ? 'withMeaning' : 'byWords';
  const signs = signsOf(index, prompt, hits, read);
  const [{ many } = NO_SIGNS] = signs.values();
  const reading = mixed(GATE.models.reading, GATE.models[way], seenOf(prompt) * (1 - many));
  return hits
    .map((hit) =>
      weighed(hit, signs.get(hit) ?? NO_SIGNS, read.has(hit.memory.id) ? reading : GATE.models[way]),
    )
    .toSorted((a, b) => b.evidence - a.evidence);
}

const NONE_READ: Read = new Map();

/** How much nearer than the median; at most 1. */
export const nearness = (cosine: number, crowd: number): number => (cosine - crowd) / (1 - crowd);

const NO_SIGNS: Signs = {
  title: 0,
  lasting: 0,
  meaning: 0,
  aside: 0,
  length: 0,
  read: 0,
  many: 0,
};

/** Computes the signs of the best hits and of those that were read; the others have none. */
export function signsOf(
  index: MemoryIndex,
  prompt: string,
  hits: readonly Hit[],
  read: Read = NONE_READ,
): ReadonlyMap<Hit, Signs> {
  const asked = queryWords(prompt);
  const rarities = raritiesIn(index, asked);
  const strong = new Set(asked.filter(({ weak }) => !weak).map(({ surface }) => surface));
  const aside = isAside(prompt) ? 1 : 0;
  const length = lengthOf(prompt);
  const many = manyOf(index, hits);
  const crowd = median(hits.flatMap(({ cosine }) => (cosine === undefined ? [] : [cosine])));
  const checked = hits
    .toSorted((a, b) => b.evidence - a.evidence)
    .filter(({ memory }, at) => at < GATE.checked || read.has(memory.id))
    .map((hit) => ({
      hit,
      shares: hit.covered.some((word) => strong.has(word)),
      title: queryWords(hit.memory.title),
    }));
  return new Map(
    checked.map(({ hit, shares, title }) => {
      const { memory, worded, cosine = crowd } = hit;
      const lasting = GATE.lasting.has(memory.kind) ? 1 : 0;
      const common = { lasting, aside, length, read: read.get(memory.id) ?? 0, many };
      if (!shares) return [hit, { ...NO_SIGNS, ...common }];
      const own = new Set(title.flatMap(tokensOf));
      const signs = {
        title:
          worded.score *
          saturated(sharedMass(title, rarities) + GATE.conceptShare * sharedConcepts(memory, rarities, own)),
        meaning: nearness(cosine, crowd),
        ...common,
      };
      return [hit, signs];
    }),
  );
}

/** Names of the signs in `why`, explained in docs/recall.md. */
const NAMES: readonly (readonly [keyof Signs, string])[] = [
  ['title', 'title words'],
  ['lasting', 'lasting kind'],
  ['meaning', 'nearer in meaning'],
  ['aside', 'general request'],
  ['length', 'prompt length'],
  ['read', 'read together'],
  ['many', 'many memories'],
];

type Weights = Readonly<Partial<Record<keyof Signs, number>>>;

interface Model {
  readonly bias: number;
  readonly weights: Weights;
}

/** The small model sees only a part of a long prompt, and counts less the more memories there are; the rest is judged without it. */
function mixed(reading: Model, rest: Model, seen: number): Model {
  return {
    bias: seen * reading.bias + (1 - seen) * rest.bias,
    weights: summed(reading.weights, seen, rest.weights, 1 - seen),
  };
}

function summed(a: Weights, timesA: number, b: Weights, timesB: number): Weights {
  const sum = (sign: keyof Signs): number => timesA * (a[sign] ?? 0) + timesB * (b[sign] ?? 0);
  return Object.fromEntries(NAMES.map(([sign]) => [sign, sum(sign)]));
}

/** The share of a prompt that the small model sees. */
export function seenOf(prompt: string): number {
  return Math.min(1, READING.promptChars / Math.max(1, prompt.trim().length));
}

function weighed(hit: Hit, signs: Signs, { bias, weights }: Model): Hit {
  const start = rounded(chance(bias));
  const steps: ScorePart[] = [{ name: 'base rate', factor: start, after: start }];
  let odds = bias;
  for (const [sign, name] of NAMES) {
    const before = chance(odds);
    odds += (weights[sign] ?? 0) * signs[sign];
    const factor = rounded(chance(odds) / before);
    if (factor !== 1) steps.push({ name, factor, after: rounded(chance(odds)) });
  }
  return { ...hit, evidence: chance(odds), parts: [...hit.worded.parts, ...steps] };
}

const NOTHING: ReadonlySet<string> = new Set();

/** The tokens of a prompt with their rarity. */
type Rarities = ReadonlyMap<string, number>;

export function raritiesIn(index: MemoryIndex, asked: readonly Word[]): Rarities {
  const tokens = new Set(asked.flatMap(tokensOf));
  const rarity = rarityIn(index.memoryFrequencies(tokens));
  return new Map([...tokens].map((token) => [token, rarity(token)]));
}

/** The weight of the rarest of these tokens that the prompt contains. */
function tellingOf(tokens: readonly string[], rarities: Rarities): number {
  return Math.max(0, ...tokens.map((token) => rarities.get(token) ?? 0)) ** COVERAGE.rarityPower;
}

/** Sums the weight of the title's words that the prompt contains; of an identifier only the parts it contains. */
function sharedMass(
  title: readonly Word[],
  rarities: Rarities,
  without: ReadonlySet<string> = NOTHING,
): number {
  return title.reduce((sum, word) => {
    if (tokensOf(word).some((token) => without.has(token))) return sum;
    const weakness = word.weak ? COVERAGE.weakWord ** COVERAGE.rarityPower : 1;
    const share = graded(word, (token) => (rarities.has(token) ? 1 : 0));
    return sum + share * weakness * tellingOf(tokensOf(word), rarities);
  }, 0);
}

/** The same for the search phrases, each word counted once. */
function sharedConcepts({ concepts }: Memory, rarities: Rarities, title: ReadonlySet<string>): number {
  const each = new Map(concepts.flatMap(queryWords).map((word) => [word.surface, word]));
  return sharedMass([...each.values()], rarities, title);
}

/** A word; in a script without spaces, two characters. */
const ANY_WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{1,2}|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** From 0 to 1, logarithmic: four to twenty words differ as much as twenty to a hundred. */
function lengthOf(prompt: string): number {
  const count = prompt.match(ANY_WORD)?.length ?? 0;
  return Math.min(1, Math.log1p(count) / Math.log1p(GATE.longPrompt));
}

/** From 0 up to a few memories of the project to 1 from many on, logarithmic, as the best of many chance matches grows. */
export function manyOf(index: MemoryIndex, hits: readonly Hit[]): number {
  const project = [...new Set(hits.map(({ memory }) => memory.project))];
  const { few, many } = GATE.size;
  const count = index.memoryCount({ project }, many);
  return Math.max(0, Math.log(count / few) / Math.log(many / few));
}

/** Maps 0…∞ to 0…1, with 1 at one half. */
const saturated = (mass: number): number => mass / (mass + 1);

export const chance = (odds: number): number => 1 / (1 + Math.exp(-odds));

/** 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
