/**
 * Which format journal, turn store and ledger are in. A newer program brings them up to date, after a snapshot of all
 * three; an older one refuses to touch them. The index has a schema version of its own and is rebuilt.
 */
import { VERSION, type Places } from '../../core/index.ts';
import { Snapshots } from '../../storage/snapshots/index.ts';
import { finishRestore, layOut } from '../repair/restore.ts';
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
  /** The snapshot of how it was. */
  readonly snapshot: string;
}

/** Brings the stores up to date, before anybody opens them. Undefined when they were. */
export async function migrate(
  places: Places,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated | undefined> {
  const newest = migrations.at(-1)?.to ?? FORMAT;
  refuseNewerFormat(places, newest);
  const marker = readMarker(places);
  // Without a marker it is new, or from before there was one.
  const from = marker?.format ?? FORMAT;
  if (marker?.migrating) await putBack(places, marker.migrating.snapshot);
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

async function putBack(places: Places, snapshot: string): Promise<void> {
  await layOut(places, places.backups, snapshot, []);
  await finishRestore(places);
}
