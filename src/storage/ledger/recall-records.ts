/** Reads the ledger records about recall: what was injected and what was opened. Safe while the writer appends. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readLines } from '../../files/index.ts';
import { parseRecord, recordKey, type LedgerRecord } from './record.ts';

export type Injected = Extract<LedgerRecord, { kind: 'injected' }>;
type OpenedRecord = Extract<LedgerRecord, { kind: 'opened' }>;

interface RecallRecords {
  readonly moments: readonly Injected[];
  readonly opened: readonly OpenedRecord[];
}

/** Only matching lines are parsed: most records are about something else. */
const ABOUT_RECALL = /"kind":"(?:injected|opened)"/;

/** Returns the records oldest first. Leaves out a line that is being written. */
export async function recallRecords(ledger: string): Promise<RecallRecords> {
  const moments = new Map<string, Injected>();
  const opened = new Map<string, OpenedRecord>();
  const months = readdirSync(ledger).filter((name) => name.endsWith('.jsonl'));
  for (const month of months.toSorted()) {
    for await (const { bytes } of readLines(join(ledger, month))) {
      const line = bytes?.toString('utf8') ?? '';
      const parsed = ABOUT_RECALL.test(line) ? parseRecord(line) : undefined;
      if (parsed?.kind !== 'record') continue;
      const { record } = parsed;
      if (record.kind === 'injected') moments.set(recordKey(record), record);
      if (record.kind === 'opened') opened.set(recordKey(record), record);
    }
  }
  return {
    moments: [...moments.values()].toSorted((a, b) => a.at.localeCompare(b.at)),
    opened: [...opened.values()],
  };
}
