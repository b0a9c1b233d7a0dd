/**
 * How sure it is that a memory belongs to a prompt: stricter than the order of a search, because nobody asked. Reads how
 * common words are, writes nothing.
 */
import { queryWords, tokensOf, type MemoryIndex } from '../index/index.ts';
import type { Memory } from '../model/index.ts';
import { rarityIn, samePath, telling, weigh } from './_score.ts';
import { pairsOf, together, type Pair } from './_together.ts';
import { fileNames } from './query.ts';
import type { Hit } from './search.ts';
import { GATE } from './weights.ts';

/** What a prompt says, as far as the gate asks. */
interface Said {
  readonly tokens: ReadonlySet<string>;
  readonly pairs: ReadonlyMap<string, Pair>;
  readonly rarity: (token: string) => number;
  readonly files: readonly string[];
}

/** The same hits with their evidence as the gate sees it, the surest first. */
export function gated(index: MemoryIndex, prompt: string, hits: readonly Hit[]): readonly Hit[] {
  const said = saidBy(index, prompt);
  return hits
    .map((hit) => (hit.evidence < GATE.lookFrom ? hit : weighed(index, said, hit)))
    .toSorted((a, b) => b.evidence - a.evidence);
}

function saidBy(index: MemoryIndex, prompt: string): Said {
  const tokens = new Set(queryWords(prompt).flatMap(tokensOf));
  return {
    tokens,
    pairs: pairsOf(prompt),
    rarity: rarityIn(index.memoryFrequencies(tokens)),
    files: fileNames(prompt).filter((name) => name.includes('/')),
  };
}

function weighed(index: MemoryIndex, said: Said, hit: Hit): Hit {
  const named = said.files.some((file) => hit.memory.files.some((path) => samePath(path, file)));
  const title = between(GATE.title, named ? 1 : titleShare(index, said.tokens, hit.memory.title));
  const about = hit.evidence * title;
  const pairs = together(said.pairs, pairsOf(textOf(hit.memory)), said.rarity);
  const beside = 1 - (1 - about) * (1 - GATE.together.most * pairs);
  const meaning = hit.cosine === undefined ? 1 : between(GATE.meaning, hit.cosine);
  const evidence = Math.min(1, beside * meaning);
  const steps = [
    { name: 'title said', factor: rounded(title), after: rounded(about) },
    { name: 'words together', factor: rounded(beside / about), after: rounded(beside) },
    { name: 'meaning agrees', factor: rounded(meaning), after: rounded(evidence) },
  ];
  return { ...hit, evidence, parts: [...hit.parts, ...steps.filter(({ factor }) => factor !== 1)] };
}

function textOf({ title, body, reason = '', facts }: Memory): string {
  return [title, body, reason, ...facts].join('\n');
}

/** How much of what a memory is about the prompt says itself: a long prompt shares some words with everything. */
function titleShare(index: MemoryIndex, said: ReadonlySet<string>, title: string): number {
  const words = queryWords(title);
  const all = telling(weigh(words, index.memoryFrequencies(words.flatMap(tokensOf))));
  const sum = (some: typeof all): number => some.reduce((total, { weight }) => total + weight, 0);
  if (all.length === 0) return 0;
  return sum(all.filter(({ word }) => tokensOf(word).some((token) => said.has(token)))) / sum(all);
}

/** From the least factor to the most, as the value goes from one end of its range to the other. */
function between(
  { from, full, least, most }: { from: number; full: number; least: number; most: number },
  value: number,
): number {
  return least + (most - least) * Math.min(1, Math.max(0, (value - from) / (full - from)));
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
