/** Where the index keeps the prompt of a session that has no transcript yet; a rebuild restores it from the ledger. */
import type { Stores } from '../stores.ts';

export function metaKey(session: string): string {
  return `prompt:${session}`;
}

/** Removes the note, so that an answer to a prompt that must not be stored is not added to it. */
export function dropNote(stores: Stores, session: string): void {
  stores.index.setMeta(metaKey(session), '');
}
