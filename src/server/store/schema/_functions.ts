/** Settings of functions that several migrations create. A migration never changes, so neither does this text. */

/** A function that runs with the rights of the lookup role, for the caller of the transaction. */
export const DEFINER = 'SECURITY DEFINER SET search_path = pg_catalog, pg_temp';

/** Nested loops over indexes: statistics are outdated after a large push, and a kept plan must not depend on them. */
export const BY_INDEX =
  'SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off';
