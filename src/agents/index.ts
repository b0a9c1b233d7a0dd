export { findClient } from './claude-code/find-client.ts';
export {
  type ClaudeCode,
  OLDEST_CLIENT,
  claudeConfigDir,
  findClaudeCode,
  installedPlugins,
  marketplaceSource,
  pluginCommand,
  removeLeftovers,
} from './claude-code/installer/client.ts';
export { SettingsFile } from './claude-code/installer/settings-file.ts';
export { MARKETPLACE, NOTE_RULES, type Outcome, PLUGIN } from './claude-code/installer/settings.ts';
export { pluginFile } from './claude-code/installer/windows.ts';
export { readTurns } from './claude-code/reader/claude-code.ts';
export { subagentsOf } from './claude-code/reader/subagents.ts';
export { type ReadOptions, type TranscriptNotes, type TurnRead, emptyNotes } from './transcript.ts';
