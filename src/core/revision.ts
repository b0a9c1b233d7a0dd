/** What an entry says, as one short word: two that differ in anything have another. Pure. */
import { contentHash } from './ids.ts';
import type { Memory } from './memory.ts';

const REVISION_CHARS = 16;

/** Changes with anything an entry says, its state included. */
export function revisionOf(memory: Memory): string {
  return contentHash(JSON.stringify(memory)).slice(0, REVISION_CHARS);
}
