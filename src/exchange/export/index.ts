export { type ProjectExport, claudeMemImport } from './claude-mem.ts';
export { type ExportHead, exportReads } from './export-reads.ts';
export { EXPORT_FORMAT, type ExportRecord, readRecord, writeRecord } from './export-record.ts';
export { everMemFiles, type EverMemProject } from './evermem.ts';
export { factsFile } from './facts.ts';
export { memsearchFiles } from './memsearch.ts';
