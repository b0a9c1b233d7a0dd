export { Ledger } from './ledger.ts';
export { type Injected, type RecallRecords, recallRecords } from './recall-records.ts';
export { type LedgerRecord, parseRecord } from './record.ts';
