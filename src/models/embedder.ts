/** Text → vectors whose angle tells how near two texts are in meaning. One interface, one file per driver. */

export interface Embedder {
  /** Driver and model, `local:all-minilm-l6-v2`: vectors of different names are never compared. */
  readonly name: string;
  /** 0 until the first answer of a driver that cannot know before. */
  readonly dimensions: number;
  /** One vector of length 1 for each text, in their order. Long texts are cut. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Makes ready what the next call will need, without waiting for it. */
  warm(): void;
  close(): Promise<void>;
}

/** Scaled to length 1, so that a dot product is the cosine. */
export function normalized(vector: ArrayLike<number>): Float32Array {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += (vector[i] ?? 0) ** 2;
  const length = Math.sqrt(square) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
