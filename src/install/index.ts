export { commandFor, putCommand, removeCommand } from './command.ts';
export { faultsOf, wantedAsItIs } from './faults.ts';
export { oldHooks, replaceOldHooks } from './hook-form.ts';
export {
  type PluginInstalled,
  installPlugin,
  plannedCommands,
  removalSteps,
  uninstallPlugin,
} from './plugin.ts';
export { type Origin, marketplaceRoot, originOf } from './program.ts';
export { purgeData, removeProgram } from './remove.ts';
