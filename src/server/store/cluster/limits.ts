/** The use of limits by keys and networks, of all servers together. */
import type { TeamStore } from '../store.ts';
import { number, text } from '../values.ts';

/** Adds what was used. @returns the level of each name, of all servers together */
export async function useLimits(
  store: TeamStore,
  used: ReadonlyMap<string, number>,
  perSecond: number,
): Promise<ReadonlyMap<string, number>> {
  // Sorted, so that two servers lock the rows in the same order.
  const names = [...used.keys()].toSorted();
  const rows = await store.outside((work) =>
    work.rows('SELECT of_name, of_level FROM tidemark.use_limits($1, $2, $3)', [
      names,
      names.map((name) => used.get(name) ?? 0),
      perSecond,
    ]),
  );
  return new Map(rows.map((row) => [text(row, 'of_name'), number(row, 'of_level')]));
}

/** Removes what has run off long ago. */
export async function forgetLimits(store: TeamStore): Promise<void> {
  await store.outside((work) => work.row('SELECT tidemark.forget_limits()'));
}
