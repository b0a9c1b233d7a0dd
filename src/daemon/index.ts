export { openClient, type Client } from './client.ts';
export { Daemon, type DaemonStatus } from './daemon.ts';
export type { DistillHealth } from './distill-health.ts';
export type { DistillReport } from './improver.ts';
export type { ImportProgress, ImportReport } from './history-import.ts';
export type { MeaningHealth } from './meaning.ts';
export type { CostAnswer, CostQuestion, Health, OriginalTurn } from './reader.ts';
export type { Happening } from './watchers.ts';
export type { Moment, RecalledMemory } from './why.ts';
