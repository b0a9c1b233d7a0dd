export {
  byTime,
  EXPORT_FORMAT,
  portableKeys,
  readRecord,
  writeRecord,
  type ExportRecord,
  type RecordRead,
} from './export-record.ts';
export { claudeMemImport, type ExportedSession, type ProjectExport } from './claude-mem.ts';
export { memsearchFiles, type TextFile } from './memsearch.ts';
