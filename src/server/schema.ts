/** At which migration the database is, and at which this program must find it. */
import { newestMigration, type TeamStore } from './store/index.ts';

export interface SchemaState {
  readonly done: number;
  readonly wanted: number;
}

/** Throws where the database does not answer. */
export async function schemaState(store: TeamStore): Promise<SchemaState> {
  const row = await store.outside((work) =>
    work.row('SELECT coalesce(max(number), 0) AS done FROM tidemark.migration'),
  );
  return { done: Number(row?.['done'] ?? 0), wanted: newestMigration() };
}
