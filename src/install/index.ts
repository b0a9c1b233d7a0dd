export {
  type AgentInstalled,
  type AgentRemoved,
  type AgentState,
  type Failure,
  type InstallableAgent,
  agentStates,
  clientCopies,
  installableAgents,
  installAgent,
  installStatus,
  isInstalled,
  removeAgent,
} from './agents.ts';
export { commandFor, putCommand, removeCommand } from './command.ts';
export { type Reach, reachCommand } from './reach-command.ts';
export { programFaults } from './faults.ts';
export { type Kept, keptData } from './kept.ts';
export { oldHooks, replaceOldHooks } from './hook-form.ts';
export { type Origin, originOf, placeProgram, pluginFolder } from './program.ts';
export { installTimes } from './record.ts';
export { purgeData, removeProgram } from './remove.ts';
