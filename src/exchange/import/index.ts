export { type ExportImportReport, importExport } from './export-import.ts';
export {
  type AgentCounts,
  type ImportProgress,
  type ImportReport,
  type SkippedFile,
  importHistory,
} from './history-import.ts';
export { factsIn } from './markdown-facts.ts';
export { type PeerProgress, type PeerReport, importPeer } from './peer-import.ts';
export { PEER_NAMES, type PeerFound, type PeerName } from './peer.ts';
export { detectPeers, peerReader } from './peers.ts';
export { addNotes, listNotes, type NoteFolder, type NotesReport, removeNotes } from './note-folders.ts';
export { refreshSources } from './sources.ts';
