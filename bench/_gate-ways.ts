/** The ways in which the gate is measured: by words, with vectors, and with the small model reading. Asks the product's own gate. */
import type { MemoryIndex } from '../src/database/index.ts';
import type { SmallModel } from '../src/models/index.ts';
import { promptContext } from '../src/recall/index.ts';
import type { Asked } from './_gate-history.ts';
import { readWith } from './cached-small.ts';
import type { BenchVectors } from './_vectors.ts';

export const WAYS = ['words', 'words and meaning', 'read'] as const;
export type Way = (typeof WAYS)[number];

/** Both are needed for all ways but `words`. */
export interface Models {
  readonly vectors: BenchVectors | undefined;
  readonly model: SmallModel | undefined;
}

/** Returns the context that a prompt gets by one of the ways, in a session that got nothing yet. */
export async function contextBy(
  way: Way,
  index: MemoryIndex,
  asked: Asked,
  { vectors, model }: Models,
): Promise<ReturnType<typeof promptContext>> {
  const vector = way === 'words' ? undefined : await vectors?.query(asked.prompt);
  const question = { ...asked, already: [], ...(vector ? { vector } : {}) };
  const first = promptContext(index, question);
  if (way !== 'read' || !model) return first;
  return promptContext(index, { ...question, read: await readWith(model, first.toRead) });
}
