/** Whether an entry still says what a person saw when they decided to change it. */
import { revisionOf, TidemarkError } from '../core/index.ts';
import type { Stores } from './stores.ts';

/** Throws TidemarkError `conflict` where the entry is another by now; without a revision nobody minds. */
export function checkRevision(stores: Pick<Stores, 'index'>, id: string, revision: string | undefined): void {
  const memory = stores.index.memory(id);
  if (revision === undefined || !memory || revisionOf(memory) === revision) return;
  throw new TidemarkError('conflict', `${id} has changed meanwhile`, {
    hint: 'Look at it as it is now, then change it again.',
  });
}
