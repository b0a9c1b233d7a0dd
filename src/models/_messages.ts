/** Messages between the daemon and the embedder's process. */

export interface Request {
  readonly id: number;
  readonly texts: readonly string[];
}

export type Reply =
  | { readonly ready: true; readonly runtime: string }
  | { readonly failed: string }
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly id: number; readonly error: string };
