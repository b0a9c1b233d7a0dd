/** The embedder port: turns texts into vectors whose angle is their distance in meaning. One file per driver. */

export interface Embedder {
  /** Driver and model, `local:small`. Vectors of different names are never compared. */
  readonly name: string;
  /** 0 until the first answer, if the driver cannot know it before. */
  readonly dimensions: number;
  /** Returns one vector of length 1 per text, in their order. Long texts are cut. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Prepares the next call without waiting. */
  warm(): void;
  close(): Promise<void>;
}

/** Scales a vector to length 1, so that a dot product is the cosine. */
export function normalized(vector: ArrayLike<number>): Float32Array {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += (vector[i] ?? 0) ** 2;
  const length = Math.sqrt(square) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
