/** Makes, lists and verifies snapshots: their folder and when one is due. */
import type { Config } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import {
  lastSnapshotAt,
  snapshotLock,
  Snapshots,
  type Snapshot,
  type SnapshotProgress,
} from './snapshots.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface BackupList {
  readonly folder: string;
  readonly snapshots: readonly Snapshot[];
}

export function backupFolder(places: Places, config: Pick<Config, 'backup.folder'>): string {
  return config['backup.folder'] || places.backups;
}

export async function takeSnapshot(
  places: Places,
  folder: string,
  now: Date,
  progress?: SnapshotProgress,
): Promise<Snapshot & { readonly folder: string; readonly dropped: number }> {
  return snapshotLock.run(async () => {
    const snapshots = new Snapshots(folder);
    const taken = await snapshots.take(places, now, progress);
    const dropped = await snapshots.rotate(now);
    return { ...taken, folder, dropped: dropped.length };
  });
}

export async function isSnapshotDue(folder: string, days: number, now: Date): Promise<boolean> {
  if (days === 0) return false;
  const last = await lastSnapshotAt(folder);
  return last === undefined || now.getTime() - last.getTime() >= days * DAY_MS;
}

export async function listSnapshots(folder: string): Promise<BackupList> {
  return { folder, snapshots: await new Snapshots(folder).list() };
}

/** Returns every snapshot with the reason why it cannot be restored, if there is one. */
export async function verifySnapshots(
  folder: string,
): Promise<readonly { readonly name: string; readonly problem?: string }[]> {
  const snapshots = new Snapshots(folder);
  const checked: { name: string; problem?: string }[] = [];
  for (const file of await snapshots.names()) {
    const name = file.replace(/\.json$/, '');
    try {
      await snapshots.verify(file);
      checked.push({ name });
    } catch (error) {
      checked.push({ name, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  return checked;
}
