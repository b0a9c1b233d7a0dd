export { examine, type Finding } from './doctor.ts';
export { issueKey, withdrawKey } from './keys.ts';
export { Operator, type Initialised, type NewTeam } from './operator.ts';
