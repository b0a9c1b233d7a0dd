/**
 * Encodes a vector with a byte per dimension for an almost exact cosine, and a bit per dimension for a first selection.
 * Both are relative to the mean of all vectors, because a model's vectors all point in similar directions. Pure.
 */

export interface VectorCode {
  /** Signs of the centred dimensions, the first in the lowest bit of the first byte; padded to a multiple of 32 bits. */
  readonly bits: Uint8Array;
  /** Centred dimensions, in steps of `scale`. */
  readonly codes: Int8Array;
  readonly scale: number;
}

export function encode(vector: Float32Array, mean: Float32Array): VectorCode {
  const centred = vector.map((value, i) => value - (mean[i] ?? 0));
  const largest = centred.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = largest / 127 || 1;
  return {
    bits: signBits(centred),
    codes: Int8Array.from(centred, (value) => Math.round(value / scale)),
    scale,
  };
}

export function decode(
  { codes, scale }: Pick<VectorCode, 'codes' | 'scale'>,
  mean: Float32Array,
): Float32Array {
  return Float32Array.from(codes, (code, i) => code * scale + (mean[i] ?? 0));
}

/** Returns the signs of a query, to be compared with stored ones. */
export function queryBits(vector: Float32Array, mean: Float32Array): Uint8Array {
  return signBits(vector.map((value, i) => value - (mean[i] ?? 0)));
}

/** Returns the cosine of a query of length 1 and a stored vector; `atMean` is the dot product of query and mean. */
export function cosine(
  query: Float32Array,
  atMean: number,
  { codes, scale }: Pick<VectorCode, 'codes' | 'scale'>,
): number {
  let sum = 0;
  for (let i = 0; i < codes.length; i++) sum += (query[i] ?? 0) * (codes[i] ?? 0);
  return atMean + sum * scale;
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

export function meanOf(vectors: readonly Float32Array[], dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  for (const vector of vectors)
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + (vector[i] ?? 0);
  return Float32Array.from(sum, (value) => value / Math.max(1, vectors.length));
}

/** Returns the number of bytes for the bits of a vector, a multiple of 4. */
export function bitBytes(dimensions: number): number {
  return Math.ceil(dimensions / 32) * 4;
}

function signBits(centred: Float32Array): Uint8Array {
  const bits = new Uint8Array(bitBytes(centred.length));
  for (let i = 0; i < centred.length; i++)
    if ((centred[i] ?? 0) > 0) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  return bits;
}
