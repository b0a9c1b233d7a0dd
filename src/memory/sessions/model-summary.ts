/** The summary of a session that a model wrote, as the index keeps it. The ledger has the reply it came from. */
import type { SessionSummary } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';

/** Undefined when there is none, or when the session went on since. */
export function modelSummary(index: MemoryIndex, session: string, since: string): SessionSummary | undefined {
  const noted = index.meta(keyOf(session));
  if (noted === undefined) return undefined;
  const { at, summary } = JSON.parse(noted) as { at: string; summary: SessionSummary };
  return at !== '' && at >= since ? summary : undefined;
}

/** What was summarised must not be told any more. */
export function dropModelSummary(index: MemoryIndex, session: string): void {
  if (index.meta(keyOf(session)) === undefined) return;
  index.setMeta(keyOf(session), JSON.stringify({ at: '', summary: {} }));
}

/** Stores the summary that a reply of the given time contains. */
export function putModelSummary(
  index: MemoryIndex,
  session: string,
  at: string,
  summary: SessionSummary,
): void {
  index.setMeta(keyOf(session), JSON.stringify({ at, summary }));
}

function keyOf(session: string): string {
  return `summary:${session}`;
}
