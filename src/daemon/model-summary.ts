/** A session's summary by a model: kept as the reply it came in, in the ledger, and found again from there. */
import { parseSummary } from '../distill/index.ts';
import type { MemoryIndex } from '../index/index.ts';
import type { SessionSummary } from '../model/index.ts';
import { redactDeep } from '../privacy/index.ts';
import type { LedgerRecord } from './ledger-record.ts';

type ReplyRecord = Extract<LedgerRecord, { kind: 'reply' }>;

/** What a reply of the ledger says about a session as a whole; one about a turn says nothing. */
export function noteSummary(index: MemoryIndex, record: ReplyRecord): void {
  if (record.turn !== undefined || record.session === undefined) return;
  const parsed = parseSummary(record.text);
  if (!parsed.valid) return;
  index.setMeta(
    keyOf(record.session),
    JSON.stringify({ at: record.at, summary: redactDeep(parsed.value).value }),
  );
}

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

function keyOf(session: string): string {
  return `summary:${session}`;
}
