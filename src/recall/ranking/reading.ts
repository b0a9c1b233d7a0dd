/** Chooses the memories that the small model reads with a prompt, and what it sees of both. Only reads. */
import { queryWords, type MemoryIndex } from '../../database/index.ts';
import { memoryText } from '../../models/index.ts';
import type { Hit } from '../search.ts';
import { focusOf } from './focus.ts';
import { manyOf, median, nearness, raritiesIn } from './gate.ts';
import { READING } from './weights.ts';

/** A memory that is worth reading together with the prompt. */
export interface ToRead {
  readonly id: string;
  /** The part of the prompt that the model reads with it. */
  readonly prompt: string;
  readonly text: string;
}

/** Returns nothing for a project with so many memories that reading does not count. */
export function readable(index: MemoryIndex, prompt: string, hits: readonly Hit[]): readonly ToRead[] {
  if (manyOf(index, hits) === 1) return [];
  const focus = focusOf(prompt, () => {
    const rarities = raritiesIn(index, queryWords(prompt));
    return (token) => rarities.get(token) ?? 0;
  });
  return worthReading(hits).map(({ memory }) => {
    const text = memoryText(memory).slice(0, READING.chars);
    return { id: memory.id, prompt: focus(text), text };
  });
}

/** The nearest by meaning and words. */
function worthReading(hits: readonly Hit[]): readonly Hit[] {
  const crowd = median(hits.flatMap(({ cosine }) => (cosine === undefined ? [] : [cosine])));
  return hits
    .map((hit) => ({
      hit,
      near: nearness(hit.cosine ?? crowd, crowd) + READING.words * hit.worded.score,
    }))
    .filter(({ near }) => near >= READING.from)
    .toSorted((a, b) => b.near - a.near)
    .slice(0, READING.most)
    .map(({ hit }) => hit);
}
