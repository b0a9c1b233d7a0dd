export { Ledger } from './ledger.ts';
export { type Injected, recallRecords } from './recall-records.ts';
export { type LedgerRecord, parseRecord } from './record.ts';
