/** Messages between the daemon and the embedder's process. */
import type { SmallQuestion } from './small/model.ts';

export type Question = { readonly task: 'vector'; readonly texts: readonly string[] } | SmallQuestion;

export type Request =
  | (Question & { readonly id: number; /** Goes ahead of background work. */ readonly isUrgent: boolean })
  | { readonly cancel: number };

export type Reply =
  | { readonly ready: true; readonly runtime: string }
  | { readonly failed: string }
  /** One row per text, pair or passage. */
  | { readonly id: number; readonly rows: readonly Float32Array[] }
  | { readonly id: number; readonly error: string };
