export {
  claudeConfigDir,
  findClaudeCode,
  installedPlugins,
  OLDEST_CLIENT,
  removeLeftovers,
  type ClaudeCode,
} from './claude-code.ts';
export { commandFor, putCommand, removeCommand, type Command } from './command.ts';
export { oldHooks, replaceOldHooks } from './hook-form.ts';
export { faultsOf, wantedAsItIs, type Fault, type FaultCode } from './faults.ts';
export {
  installPlugin,
  isInClient,
  plannedCommands,
  removalSteps,
  uninstallPlugin,
  type PluginInstalled,
} from './plugin.ts';
export { driverCommand, setUpMerging, type Merging } from './merging.ts';
export { isWhole, marketplaceRoot, originOf, type Origin } from './program.ts';
export { purgeData, removeProgram } from './remove.ts';
export { PLUGIN, type Outcome as SettingsOutcome } from './settings.ts';
