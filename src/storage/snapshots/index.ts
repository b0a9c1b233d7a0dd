export {
  type BackupList,
  backupFolder,
  isSnapshotDue,
  listSnapshots,
  takeSnapshot,
  verifySnapshots,
} from './backup.ts';
export {
  type Manifest,
  type Snapshot,
  snapshotLock,
  type SnapshotProgress,
  Snapshots,
  type StoredFile,
} from './snapshots.ts';
