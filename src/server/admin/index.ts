export { examine, type Finding } from './doctor.ts';
export type { Initialised, NewTeam } from './init.ts';
export { issueKey, withdrawKey } from './keys.ts';
export { Operator } from './operator.ts';
