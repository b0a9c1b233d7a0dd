/** Texts that gave way to others, once a person has seen them: they need not be kept any longer. */
import type { Stores } from '../../../memory/index.ts';
import { keepRecords } from './store.ts';

/** @returns the ids among these that had one */
export async function settleConflicts(stores: Stores, ids: readonly string[]): Promise<readonly string[]> {
  const at = new Date().toISOString();
  const wanted = new Set(ids);
  const some = stores.index.conflicts().filter(({ memory }) => wanted.has(memory));
  await stores.ledger.erase((record) => record.kind === 'conflict' && wanted.has(record.memory));
  await keepRecords(
    stores,
    some.map(({ remote, memory, lost, machine }) => ({
      kind: 'conflict',
      at,
      remote,
      memory,
      lost,
      machine,
    })),
  );
  return [...new Set(some.map(({ memory }) => memory))];
}
