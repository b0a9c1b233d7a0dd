/**
 * Turns texts into the ids the small model was trained with: `[CLS] text [SEP]` for a vector, `[CLS] mark a [SEP] b [SEP]`
 * for a pair and `[CLS] mark about [SEP] sentence [SEP] sentence [SEP] …` for a passage. Must stay identical to `Encoder`
 * in train/inputs.py. Pure.
 */
import type { Tokenizer } from '../word-piece.ts';
import type { Pair, PairTask, Passage } from './model.ts';

export interface Encoded {
  readonly ids: readonly number[];
  /** Ids up to and including the first `[SEP]`, which have type 0; the others have type 1. */
  readonly first: number;
  /** Where each sentence of a passage begins, and where the next one would. */
  readonly spans?: readonly (readonly [number, number])[];
}

/** Word pieces that no text contains. */
const PASSAGE_MARK = 1;
const MARKS: Readonly<Record<PairTask, number>> = { relate: 2, read: 3 };
/** Ids of one pair in all. */
const LIMITS: Readonly<Record<PairTask, number>> = { relate: 128, read: 96 };
/** Ids of the first part, of which a longer one keeps its beginning and its end. */
const FIRST_LIMITS: Readonly<Record<PairTask, number>> = { relate: 80, read: 48 };
/** Ids of a passage in all, of what is around it, and of one sentence, which gets fewer if not all of them have room. */
const PASSAGE_LIMITS = { all: 384, about: 72, sentence: 96, least: 4 } as const;
const LONGEST_TEXT = 1600;

export function encodePair(tokenizer: Tokenizer, task: PairTask, { a, b }: Pair): Encoded {
  const first = shortened(tokenizer.ids(cut(a)), FIRST_LIMITS[task]);
  const second = tokenizer.ids(cut(b)).slice(0, LIMITS[task] - 4 - first.length);
  const { opening, closing } = tokenizer;
  return {
    ids: [opening, MARKS[task], ...first, closing, ...second, closing],
    first: first.length + 3,
  };
}

export function encodePassage(tokenizer: Tokenizer, { about, sentences }: Passage): Encoded {
  const { opening, closing } = tokenizer;
  const { all, sentence, least, about: aroundMost } = PASSAGE_LIMITS;
  const ids = [opening, PASSAGE_MARK, ...tokenizer.ids(cut(about)).slice(0, aroundMost), closing];
  const first = ids.length;
  const known = sentences.map((text) => tokenizer.ids(cut(text)));
  const sizeWith = (most: number): number =>
    known.reduce((sum, { length }) => sum + Math.min(length, most) + 1, first);
  let most: number = sentence;
  while (sizeWith(most) > all && most > least) most = Math.floor((most * 3) / 4);
  const spans = known.map((one) => {
    const start = ids.length;
    ids.push(...shortened(one, most), closing);
    return [start, ids.length] as const;
  });
  return { ids, first, spans };
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
