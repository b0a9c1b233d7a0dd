export { watchInbox } from './inbox.ts';
export { type QuarantinedEvent, Suspect } from './quarantine.ts';
export { type Delivery, Spool, type SpoolStatus } from './spool.ts';
