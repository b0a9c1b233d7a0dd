/** What the ledger tells of recall: what was put before agents, and what was of use. Read beside the writer, oldest first. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readLines } from '../../files/index.ts';
import { parseRecord, recordKey, type LedgerRecord } from './record.ts';

export type Injected = Extract<LedgerRecord, { kind: 'injected' }>;
export type UsedRecord = Extract<LedgerRecord, { kind: 'used' }>;

export interface RecallRecords {
  readonly moments: readonly Injected[];
  readonly used: readonly UsedRecord[];
}

/** Only these lines are parsed: most of a ledger is about other things. */
const ABOUT_RECALL = /"kind":"(?:injected|used)"/;

/** `since`: from that month on. A line that is just being written is left out. */
export async function recallRecords(ledger: string, since = ''): Promise<RecallRecords> {
  const moments = new Map<string, Injected>();
  const used = new Map<string, UsedRecord>();
  const months = readdirSync(ledger).filter((name) => name.endsWith('.jsonl') && name >= since.slice(0, 7));
  for (const month of months.toSorted()) {
    for await (const { bytes } of readLines(join(ledger, month))) {
      const line = bytes?.toString('utf8') ?? '';
      const parsed = ABOUT_RECALL.test(line) ? parseRecord(line) : undefined;
      if (parsed?.kind !== 'record') continue;
      const { record } = parsed;
      if (record.kind === 'injected') moments.set(recordKey(record), record);
      if (record.kind === 'used' && !used.has(recordKey(record))) used.set(recordKey(record), record);
    }
  }
  return {
    moments: [...moments.values()].toSorted((a, b) => a.at.localeCompare(b.at)),
    used: [...used.values()],
  };
}
