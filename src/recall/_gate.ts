/**
 * How sure it is that a memory belongs to a prompt: stricter than the order of a search, because nobody asked. A few signs,
 * weighed as a logistic model; the weights and how they were fitted stand in weights.ts. Reads how common words are,
 * writes nothing.
 */
import { queryWords, tokensOf, words, type MemoryIndex } from '../index/index.ts';
import type { Memory } from '../model/index.ts';
import { samePath, telling, weigh, type ScorePart } from './_score.ts';
import { fileNames } from './query.ts';
import type { Hit } from './search.ts';
import { GATE } from './weights.ts';

/** What speaks for a memory: 0 for nothing, about 1 for much. */
export interface Signs {
  /** How much of its title the prompt says, by the rarity of the words, as far as all its words answer the prompt. */
  readonly title: number;
  /** Identifiers and paths it holds that the prompt names. */
  readonly names: number;
  /** The prompt names a file it speaks of: shared with all others that speak of it. */
  readonly file: number;
  /** It binds what is done next. */
  readonly binding: number;
  /** How much nearer in meaning it is than the run of the others; nothing where no telling word is shared. */
  readonly meaning: number;
}

/** The same hits with their evidence as the gate sees it, the surest first. */
export function gated(index: MemoryIndex, prompt: string, hits: readonly Hit[]): readonly Hit[] {
  const model = hits.some(({ cosine }) => cosine !== undefined) ? GATE.withMeaning : GATE.byWords;
  const surest = hits.toSorted((a, b) => b.evidence - a.evidence);
  const looked = surest.slice(0, GATE.looked);
  const signs = signsOf(index, prompt, looked, surest);
  return [
    ...looked.map((hit, i) => weighed(hit, signs[i] ?? NO_SIGNS, model)),
    ...surest.slice(GATE.looked).map((hit) => weighed(hit, NO_SIGNS, model)),
  ].toSorted((a, b) => b.evidence - a.evidence);
}

const NO_SIGNS: Signs = { title: 0, names: 0, file: 0, binding: 0, meaning: 0 };

/** The signs of some hits among all. */
export function signsOf(
  index: MemoryIndex,
  prompt: string,
  some: readonly Hit[],
  all: readonly Hit[],
): readonly Signs[] {
  const asked = queryWords(prompt);
  const said = new Set(asked.flatMap(tokensOf));
  const strong = new Set(asked.filter(({ weak }) => !weak).map(({ surface }) => surface));
  const files = fileNames(prompt);
  const ofFile = all.filter(({ memory }) => speaksOf(memory, files)).length;
  const crowd = median(all.flatMap(({ cosine }) => (cosine === undefined ? [] : [cosine])));
  return some.map((hit) => {
    const { memory, worded, cosine = crowd } = hit;
    const shares = hit.covered.some((word) => strong.has(word));
    return {
      title: shares ? worded.score * saturated(massSaid(index, memory.title, said)) : 0,
      names: shares ? namesSaid(memory, said) : 0,
      file: speaksOf(memory, files) ? 1 / ofFile : 0,
      binding: GATE.binding.has(memory.kind) ? 1 : 0,
      meaning: shares ? (cosine - crowd) / (1 - crowd) : 0,
    };
  });
}

/** As `why` tells them. */
const TOLD: readonly (readonly [keyof Signs, string])[] = [
  ['title', 'title said'],
  ['names', 'names shared'],
  ['file', 'file named'],
  ['binding', 'binds what comes'],
  ['meaning', 'nearer in meaning'],
];

interface Model {
  readonly bias: number;
  readonly weights: Readonly<Record<keyof Signs, number>>;
}

function weighed(hit: Hit, signs: Signs, { bias, weights }: Model): Hit {
  const start = rounded(chance(bias));
  const steps: ScorePart[] = [{ name: 'at the outset', factor: start, after: start }];
  let odds = bias;
  for (const [sign, name] of TOLD) {
    const before = chance(odds);
    odds += weights[sign] * signs[sign];
    const factor = rounded(chance(odds) / before);
    if (factor !== 1) steps.push({ name, factor, after: rounded(chance(odds)) });
  }
  return { ...hit, evidence: chance(odds), parts: [...hit.worded.parts, ...steps] };
}

/** How much of what a memory is about the prompt says itself: a long prompt shares some words with everything. */
function massSaid(index: MemoryIndex, title: string, said: ReadonlySet<string>): number {
  const shared = queryWords(title).filter((word) => tokensOf(word).some((token) => said.has(token)));
  const weighed = telling(weigh(shared, index.memoryFrequencies(shared.flatMap(tokensOf))));
  return weighed.reduce((sum, { weight }) => sum + weight, 0);
}

function namesSaid({ title, body, reason = '', facts }: Memory, said: ReadonlySet<string>): number {
  const text = [title, body, reason, ...facts].join('\n').slice(0, GATE.chars);
  return Math.log1p(namesIn(title, said) + GATE.nameInText * namesIn(text, said));
}

/** What may be an identifier or a path: taking whole texts apart would take longer than finding them. */
const NAME_LIKE = /\S*(?:\p{Ll}\p{Lu}|\S[._/:-]\w)\S*/gu;

function namesIn(text: string, said: ReadonlySet<string>): number {
  const named = words((text.match(NAME_LIKE) ?? []).join(' ')).filter(
    ({ kind, whole }) => (kind === 'identifier' || kind === 'path') && whole.some((token) => said.has(token)),
  );
  return new Set(named.map(({ surface }) => surface)).size;
}

function speaksOf({ files }: Memory, named: readonly string[]): boolean {
  return named.some((file) => files.some((path) => samePath(path, file)));
}

/** From 0 towards 1, half of it at 1. */
const saturated = (mass: number): number => mass / (mass + 1);

const chance = (odds: number): number => 1 / (1 + Math.exp(-odds));

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
