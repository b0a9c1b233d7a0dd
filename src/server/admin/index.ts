export { examine, type Finding } from './doctor.ts';
export { issueKey, withdrawKey } from './keys.ts';
export { Operator, type Initialised, type NewTeam } from './operator.ts';
export {
  eraseNext,
  leavingMember,
  offboard,
  type Erasing,
  type Leaving,
  type Left,
  type MemberExport,
} from './offboarding.ts';
export { KEPT_DAYS, pruneAll, type PruneReport } from './pruning.ts';
export { statusOf, type Rows, type Status } from './status.ts';
export { changeSettings, machineSettings, previewRetention, settingsOf, type Aged } from './team-settings.ts';
export { keepUp } from './upkeep-worker.ts';
