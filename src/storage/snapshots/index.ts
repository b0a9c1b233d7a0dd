export {
  type BackupList,
  backupFolder,
  isSnapshotDue,
  listSnapshots,
  takeSnapshot,
  verifySnapshots,
} from './backup.ts';
export { snapshotLock } from './snapshots.ts';
export {
  type KeptFile,
  type Manifest,
  type Snapshot,
  type SnapshotProgress,
  Snapshots,
} from './snapshots.ts';
