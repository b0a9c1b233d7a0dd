/**
 * How sure it is that a memory belongs to a prompt: stricter than the order of a search, because nobody asked. Reads how
 * common words are, writes nothing.
 */
import { queryWords, tokensOf, type MemoryIndex } from '../index/index.ts';
import { weigh } from './_score.ts';
import type { Hit } from './search.ts';
import { GATE } from './weights.ts';

/** The same hits with their evidence as the gate sees it, the surest first. */
export function gated(index: MemoryIndex, prompt: string, hits: readonly Hit[]): readonly Hit[] {
  const said = new Set(queryWords(prompt).flatMap(tokensOf));
  return hits
    .map((hit) => (hit.evidence < GATE.lookFrom ? hit : weighed(index, said, hit)))
    .toSorted((a, b) => b.evidence - a.evidence);
}

function weighed(index: MemoryIndex, said: ReadonlySet<string>, hit: Hit): Hit {
  const title = between(GATE.title, titleShare(index, said, hit.memory.title));
  const meaning = hit.cosine === undefined ? GATE.noMeaning : between(GATE.meaning, hit.cosine);
  const about = hit.evidence * title;
  const evidence = about * meaning;
  const steps = [
    { name: 'title said', factor: rounded(title), after: rounded(about) },
    { name: 'meaning agrees', factor: rounded(meaning), after: rounded(evidence) },
  ];
  return { ...hit, evidence, parts: [...hit.parts, ...steps.filter(({ factor }) => factor !== 1)] };
}

/** How much of what a memory is about the prompt says itself: a long prompt shares some words with everything. */
function titleShare(index: MemoryIndex, said: ReadonlySet<string>, title: string): number {
  const words = queryWords(title);
  const all = weigh(words, index.memoryFrequencies(words.flatMap(tokensOf)));
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
