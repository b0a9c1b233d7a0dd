/** Messages between the daemon and the embedder's process. */
import type { Pair, Task } from './small/model.ts';

export type Question =
  | { readonly task: 'vector'; readonly texts: readonly string[] }
  | { readonly task: Task; readonly pairs: readonly Pair[] };

export type Request =
  | (Question & { readonly id: number; /** Goes ahead of background work. */ readonly isUrgent: boolean })
  | { readonly cancel: number };

export type Reply =
  | { readonly ready: true; readonly runtime: string }
  | { readonly failed: string }
  /** One row per text or pair. */
  | { readonly id: number; readonly rows: readonly Float32Array[] }
  | { readonly id: number; readonly error: string };
