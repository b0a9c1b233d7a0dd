export type { Aged, Finding, Initialised, Leaving, Left, NewTeam, Status } from './admin/index.ts';
export {
  examineDatabase,
  missingPackages,
  runServer,
  withOperator,
  type Database,
  type RunOptions,
} from './main.ts';
export type { OperatorCalls, Trial } from './trial/index.ts';
