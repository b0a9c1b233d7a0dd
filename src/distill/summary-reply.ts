/** Reads the summary of a session out of a model's reply in the ledger. */
import type { MemoryIndex } from '../database/index.ts';
import { putModelSummary } from '../memory/index.ts';
import { redactDeep } from '../privacy/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { parseSummary } from './reply/parse-reply.ts';

type ReplyRecord = Extract<LedgerRecord, { kind: 'reply' }>;

/** Takes replies about a whole session only; a reply about a turn has no summary. */
export function noteSummary(index: MemoryIndex, record: ReplyRecord): void {
  if (record.turn !== undefined || record.session === undefined) return;
  const parsed = parseSummary(record.text);
  if (!parsed.valid) return;
  putModelSummary(index, record.session, record.at, redactDeep(parsed.value).value);
}
