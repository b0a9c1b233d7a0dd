/** Values that the index stores about a session; a rebuild restores them from the ledger. */
import type { SessionSummary } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import type { LedgerRecord } from '../../storage/ledger/index.ts';
import type { Stores } from '../stores.ts';

type ImportedSummary = Pick<Extract<LedgerRecord, { kind: 'summary' }>, 'session' | 'at' | 'summary'>;

/** Returns the key of the prompt of a session that has no transcript yet. */
export function promptKey(session: string): string {
  return `prompt:${session}`;
}

/** Removes the prompt, so that an answer to a prompt that must not be stored is not added to it. */
export function dropPrompt(stores: Pick<Stores, 'index'>, session: string): void {
  stores.index.setMeta(promptKey(session), '');
}

/** Returns the summary that another tool wrote, unless there is none or the session continued after it. */
export function importedSummary(
  index: MemoryIndex,
  session: string,
  since: string,
): SessionSummary | undefined {
  const stored = index.meta(summaryKey(session));
  if (stored === undefined) return undefined;
  const { at, summary } = JSON.parse(stored) as { at: string; summary: SessionSummary };
  return at !== '' && at >= since ? summary : undefined;
}

export function putImportedSummary(index: MemoryIndex, { session, at, summary }: ImportedSummary): void {
  index.setMeta(summaryKey(session), JSON.stringify({ at, summary }));
}

/** Removes a summary that may contain a forgotten text. */
export function dropImportedSummary(index: MemoryIndex, session: string): void {
  if (index.meta(summaryKey(session)) === undefined) return;
  index.setMeta(summaryKey(session), JSON.stringify({ at: '', summary: {} }));
}

function summaryKey(session: string): string {
  return `summary:${session}`;
}
