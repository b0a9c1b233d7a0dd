/** What passes between the index and whoever makes vectors: the text of a row, and its vector. Pure. */
import type { Tier } from './vectors.ts';

export interface Unembedded {
  readonly tier: Tier;
  readonly row: number;
  /** Of the content: tells whether the row still says the same when its vector comes. */
  readonly hash: string;
  readonly text: string;
}

export interface Embedded extends Pick<Unembedded, 'tier' | 'row' | 'hash'> {
  readonly vector: Float32Array;
}

/** A question as a vector, and the model that made it. */
export interface QueryVector {
  readonly model: string;
  readonly vector: Float32Array;
}
