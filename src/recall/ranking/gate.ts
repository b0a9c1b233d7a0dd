/**
 * How sure it is that a memory belongs to a prompt: stricter than the order of a search, because nobody asked. A few signs,
 * weighed as a logistic model; the weights and how they were fitted stand in weights.ts. Reads how common words are,
 * writes nothing.
 */
import { RULES_MAKER, type Memory } from '../../core/index.ts';
import { queryWords, tokensOf, words, type MemoryIndex, type Word } from '../../database/index.ts';
import { fileNames } from '../query.ts';
import type { Hit } from '../search.ts';
import { isAside } from './aside.ts';
import { graded, rarityIn, samePath, type ScorePart } from './score.ts';
import { COVERAGE, GATE } from './weights.ts';

/** What speaks for a memory: 0 for nothing, about 1 for much. */
export interface Signs {
  /** How much the prompt says of its title, and a little of its concepts, by the rarity of the words, as far as all its words answer the prompt. */
  readonly title: number;
  /** Identifiers and paths it holds that the prompt names, by their rarity. */
  readonly names: number;
  /** The prompt names a file it speaks of: shared with all others that speak of it. */
  readonly file: number;
  /** It says what holds, not what merely happened. */
  readonly holds: number;
  /** The prompt says something of the title of another entry of its session. */
  readonly session: number;
  /** How much nearer in meaning it is than the run of the others; nothing where no telling word is shared. */
  readonly meaning: number;
  /** The prompt wants nothing of the past: speaks against all of them. */
  readonly aside: number;
  /** How much the prompt says at all: a word of steering rarely wants anything. The same for all of them. */
  readonly length: number;
}

/** The same hits with their evidence as the gate sees it, the surest first. */
export function gated(index: MemoryIndex, prompt: string, hits: readonly Hit[]): readonly Hit[] {
  const way = hits.some(({ cosine }) => cosine !== undefined) ? 'withMeaning' : 'byWords';
  const signs = signsOf(index, prompt, hits);
  return hits
    .map((hit) => weighed(hit, signs.get(hit) ?? NO_SIGNS, madeBy(hit.memory)[way]))
    .toSorted((a, b) => b.evidence - a.evidence);
}

const madeBy = ({ provenance }: Memory): (typeof GATE)['told'] | (typeof GATE)['byRules'] =>
  provenance.by === RULES_MAKER ? GATE.byRules : GATE.told;

const NO_SIGNS: Signs = {
  title: 0,
  names: 0,
  file: 0,
  holds: 0,
  session: 0,
  meaning: 0,
  aside: 0,
  length: 0,
};

/** The signs of the surest hits; the others have none. */
export function signsOf(index: MemoryIndex, prompt: string, hits: readonly Hit[]): ReadonlyMap<Hit, Signs> {
  const asked = queryWords(prompt);
  const said = saidIn(index, asked);
  const strong = new Set(asked.filter(({ weak }) => !weak).map(({ surface }) => surface));
  const files = fileNames(prompt);
  const ofFiles = hits.filter(({ memory }) => speaksOf(memory, files)).length;
  const ofFile = (memory: Memory): number => (speaksOf(memory, files) ? 1 / ofFiles : 0);
  const aside = isAside(prompt) ? 1 : 0;
  const length = lengthOf(prompt);
  const crowd = median(hits.flatMap(({ cosine }) => (cosine === undefined ? [] : [cosine])));
  const looked = hits
    .toSorted((a, b) => b.evidence - a.evidence)
    .slice(0, GATE.looked)
    .map((hit) => ({
      hit,
      shares: hit.covered.some((word) => strong.has(word)),
      title: queryWords(hit.memory.title),
    }));
  return new Map(
    looked.map(({ hit, shares, title }) => {
      const { memory, worded, cosine = crowd } = hit;
      if (!shares) return [hit, { ...NO_SIGNS, file: ofFile(memory), holds: holds(memory), aside, length }];
      const own = new Set(title.flatMap(tokensOf));
      const beside = looked
        .filter((other) => other.hit !== hit && other.shares && sameSession(other.hit.memory, memory))
        .map((other) => other.hit.worded.score * saturated(massSaid(other.title, said, own)));
      const signs = {
        title:
          worded.score *
          saturated(massSaid(title, said) + GATE.conceptShare * conceptsSaid(memory, said, own)),
        names: namesSaid(memory, said),
        file: ofFile(memory),
        holds: holds(memory),
        session: Math.min(GATE.beside, Math.max(0, ...beside)) / GATE.beside,
        meaning: (cosine - crowd) / (1 - crowd),
        aside,
        length,
      };
      return [hit, signs];
    }),
  );
}

/** As `why` tells them. */
const TOLD: readonly (readonly [keyof Signs, string])[] = [
  ['title', 'title said'],
  ['names', 'names shared'],
  ['file', 'file named'],
  ['holds', 'what holds'],
  ['session', 'said beside it'],
  ['meaning', 'nearer in meaning'],
  ['aside', 'wants nothing past'],
  ['length', 'said at length'],
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

const NOTHING: ReadonlySet<string> = new Set();

const holds = ({ kind }: Memory): number => (GATE.holds.has(kind) ? 1 : 0);

/** What a prompt says, each token with its rarity. */
type Said = ReadonlyMap<string, number>;

function saidIn(index: MemoryIndex, asked: readonly Word[]): Said {
  const tokens = new Set(asked.flatMap(tokensOf));
  const rarity = rarityIn(index.memoryFrequencies(tokens));
  return new Map([...tokens].map((token) => [token, rarity(token)]));
}

/** How telling the rarest of some tokens is that the prompt says. */
function tellingOf(tokens: readonly string[], said: Said): number {
  return Math.max(0, ...tokens.map((token) => said.get(token) ?? 0)) ** COVERAGE.rarityPower;
}

/** How much of what a memory is about the prompt says itself: of `parseTokens` it may be no more than the tokens. */
function massSaid(title: readonly Word[], said: Said, without: ReadonlySet<string> = NOTHING): number {
  return title.reduce((sum, word) => {
    if (tokensOf(word).some((token) => without.has(token))) return sum;
    const weakness = word.weak ? COVERAGE.weakWord ** COVERAGE.rarityPower : 1;
    const share = graded(word, (token) => (said.has(token) ? 1 : 0));
    return sum + share * weakness * tellingOf(tokensOf(word), said);
  }, 0);
}

/** The same of the words by which who does not know it would come upon it, each counted once. */
function conceptsSaid({ concepts }: Memory, said: Said, title: ReadonlySet<string>): number {
  const each = new Map(concepts.flatMap(queryWords).map((word) => [word.surface, word]));
  return massSaid([...each.values()], said, title);
}

function namesSaid({ title, body, reason = '', facts }: Memory, said: Said): number {
  const text = [title, body, reason, ...facts].join('\n').slice(0, GATE.chars);
  return Math.log1p(namesIn(title, said) + GATE.nameInText * namesIn(text, said));
}

/** What may be an identifier or a path: taking whole texts apart would take longer than finding them. */
const NAME_LIKE = /\S*(?:\p{Ll}\p{Lu}|\S[._/:-]\w)\S*/gu;

function namesIn(text: string, said: Said): number {
  const named = words((text.match(NAME_LIKE) ?? []).join(' ')).filter(
    ({ kind }) => kind === 'identifier' || kind === 'path',
  );
  const each = new Map(named.map(({ surface, whole }) => [surface, tellingOf(whole, said)]));
  return [...each.values()].reduce((sum, one) => sum + one, 0);
}

/** What a person or a file told belongs to no session. */
function sameSession(a: Memory, b: Memory): boolean {
  return a.provenance.session !== '' && a.provenance.session === b.provenance.session;
}

function speaksOf({ files }: Memory, named: readonly string[]): boolean {
  return named.some((file) => files.some((path) => samePath(path, file)));
}

/** A word of any kind; of a script without blanks two characters. */
const ANY_WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{1,2}|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** From 0 to 1, by the logarithm: from four words to twenty is as much as from twenty to a hundred. */
function lengthOf(prompt: string): number {
  const count = prompt.match(ANY_WORD)?.length ?? 0;
  return Math.min(1, Math.log1p(count) / Math.log1p(GATE.longPrompt));
}

/** From 0 towards 1, half of it at 1. */
const saturated = (mass: number): number => mass / (mass + 1);

const chance = (odds: number): number => 1 / (1 + Math.exp(-odds));

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
