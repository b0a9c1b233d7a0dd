export { openClient, type Client } from './client.ts';
export { Daemon, type DaemonStatus } from './daemon.ts';
export type { DistillHealth, DistillReport } from './improver.ts';
export type { ImportProgress, ImportReport } from './history-import.ts';
export type { CostAnswer, CostQuestion, Health } from './reader.ts';
