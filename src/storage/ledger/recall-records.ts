/** Reads the ledger records about recall: what was injected and what was used. Safe while the writer appends. */
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

/** Only matching lines are parsed: most records are about something else. */
const ABOUT_RECALL = /"kind":"(?:injected|used)"/;

/** Returns the records oldest first; `since`: from that month on. Leaves out a line that is being written. */
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
