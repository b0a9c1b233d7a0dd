/** Begins to hear of the changes of other servers, and logs where they come from and when the replica is in use. */
import { errorFacts, type Log } from '../http/log.ts';
import type { TeamStore } from '../store/index.ts';

export function hearChanges({ notices, replica }: TeamStore, log: Log): void {
  if (notices.source === 'none')
    log('warn', 'polling for changes', {
      why: 'the address of the database is that of a pooler, which cannot deliver notices',
      next: 'Give the address of PostgreSQL itself too: --direct-database (or DIRECT_DATABASE_URL).',
    });
  notices.start((what, error) => {
    if (what === 'listening') log('info', 'listening for changes');
    else log('warn', 'polling for changes', errorFacts(error));
  });
  replica?.onChange((what, why) => {
    if (why === undefined) log('info', what);
    else log('warn', what, errorFacts(why));
  });
}
