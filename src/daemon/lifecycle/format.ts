/**
 * Migrates the format of journal, turn store and ledger, after a snapshot of all three. An older program refuses to
 * touch newer data. The index has a schema version of its own and is rebuilt.
 */
import { VERSION, type Places } from '../../core/index.ts';
import { Snapshots } from '../../storage/snapshots/index.ts';
import { finishRestore, stageRestore } from '../repair/restore.ts';
import { FORMAT, readMarker, refuseNewerFormat, writeMarker } from './format-marker.ts';

export interface Migration {
  /** The format it makes, one more than the one before. */
  readonly to: number;
  readonly why: string;
  readonly run: (places: Places) => void | Promise<void>;
}

/** Append only, in order. Format 1 is what 0.1 writes. */
export const MIGRATIONS: readonly Migration[] = [];

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** The snapshot from before. */
  readonly snapshot: string;
}

/** Must run before the stores are opened. Returns undefined when nothing was to do. */
export async function migrate(
  places: Places,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated | undefined> {
  const newest = migrations.at(-1)?.to ?? FORMAT;
  refuseNewerFormat(places, newest);
  const marker = readMarker(places);
  // Without a marker the data is new, or older than the marker.
  const from = marker?.format ?? FORMAT;
  if (marker?.migrating) {
    await stageRestore(places, places.backups, marker.migrating.snapshot, []);
    await finishRestore(places);
  }
  const pending = migrations.filter(({ to }) => to > from);
  if (pending.length === 0) {
    if (!marker || marker.migrating) writeMarker(places, { format: from, version: VERSION });
    return undefined;
  }
  const { name: snapshot } = await new Snapshots(places.backups).take(places, new Date());
  writeMarker(places, { format: from, version: VERSION, migrating: { to: newest, snapshot } });
  for (const migration of pending) await migration.run(places);
  writeMarker(places, { format: newest, version: VERSION });
  return { from, to: newest, snapshot };
}
