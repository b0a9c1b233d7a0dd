/**
 * Turns texts into the ids the small model was trained with: `[CLS] text [SEP]` for a vector and
 * `[CLS] mark a [SEP] b [SEP]` for a question. Must stay identical to `Encoder` in train/inputs.py. Pure.
 */
import type { Tokenizer } from '../word-piece.ts';
import type { Pair, Task } from './model.ts';

export interface Encoded {
  readonly ids: readonly number[];
  /** Ids up to and including the first `[SEP]`, which have type 0; the others have type 1. */
  readonly first: number;
}

/** Word pieces that no text contains. */
const MARKS: Readonly<Record<Task, number>> = { keep: 1, relate: 2, read: 3 };
/** Ids of one input in all. */
const LIMITS: Readonly<Record<Task, number>> = { keep: 144, relate: 128, read: 96 };
/** Ids of the first part, of which a longer one keeps its beginning and its end. */
const FIRST_LIMITS: Readonly<Record<Task, number>> = { keep: 80, relate: 80, read: 48 };
const LONGEST_TEXT = 1600;

export function encodePair(tokenizer: Tokenizer, task: Task, { a, b }: Pair): Encoded {
  const first = shortened(tokenizer.ids(cut(a)), FIRST_LIMITS[task]);
  const second = tokenizer.ids(cut(b)).slice(0, LIMITS[task] - 4 - first.length);
  const { opening, closing } = tokenizer;
  return {
    ids: [opening, MARKS[task], ...first, closing, ...second, closing],
    first: first.length + 3,
  };
}

export function encodeText(tokenizer: Tokenizer, text: string, maxTokens: number): Encoded {
  const ids = tokenizer.encode(text, maxTokens);
  return { ids, first: ids.length };
}

/** Keeps the first two thirds of the limit and the last third. */
function shortened(ids: readonly number[], most: number): readonly number[] {
  if (ids.length <= most) return ids;
  const start = Math.floor((most * 2) / 3);
  return [...ids.slice(0, start), ...ids.slice(start - most)];
}

/** Cuts by code points, as Python does. */
function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const points = Array.from(text.slice(0, LONGEST_TEXT * 2));
  return points.slice(0, LONGEST_TEXT).join('');
}
