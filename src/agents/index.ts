export type {
  Capabilities,
  CodingAgent,
  Finding,
  ForeignPlugins,
  FoundClient,
  Installer,
  InstallStatus,
  InstallWorld,
  Moment,
  MomentSupport,
  NoteRules,
  OwnFiles,
} from './agent.ts';
export { MOMENTS } from './agent.ts';
export { claudeConfigDir } from './claude-code/config-folder.ts';
export { claudeNotesFolder, claudeSlug } from './claude-code/own-files.ts';
export { type ClientSettings, clientSettings } from './claude-code/installer/client-settings.ts';
export { NOTE_RULES } from './claude-code/installer/settings.ts';
export { pluginFile } from './claude-code/installer/windows.ts';
export { hookCommand, putWrapper, removeWrapper } from './installing/hook-wrapper.ts';
export { isComplete, pluginVersion } from './installing/plugin-folder.ts';
export { entriesOf, whyNot } from './reading/listing.ts';
export { askOnce } from './one-shot.ts';
export {
  type LoadedFile,
  type OwnFile,
  type OwnFileWriter,
  loadedFiles,
  ownFilesOfProject,
  ownFilesOfUser,
} from './own-files.ts';
export {
  AGENT_TITLES,
  CLIENT_COMMANDS,
  CODING_AGENTS,
  codingAgent,
  undoCommand,
  readerOf,
  transcriptStamp,
  transcriptState,
} from './registry.ts';
export { findSessions, foldersOf, type SessionFile, type SessionSource, sessionSources } from './sources.ts';
export {
  type FoundTranscript,
  NO_CONVERSATION,
  type ReadOptions,
  type RefusedFile,
  type TranscriptFile,
  type TranscriptNotes,
  type TranscriptReader,
  type TranscriptState,
  type TurnRead,
  UNKNOWN_FOLDER,
  emptyNotes,
} from './transcript.ts';
