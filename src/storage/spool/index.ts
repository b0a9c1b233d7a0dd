export { watchInbox } from './inbox-watch.ts';
export type { QuarantinedEvent } from './quarantine.ts';
export { type Delivery, Spool, type SpoolStatus } from './spool.ts';
export { Suspect } from './suspect.ts';
