export { Daemon, type DaemonStatus } from './daemon.ts';
export type { ImportProgress, ImportReport } from './history-import.ts';
export type { Health } from './reader.ts';
