export type { Finding, Initialised, NewTeam } from './admin/index.ts';
export {
  examineDatabase,
  missingPackages,
  runServer,
  withOperator,
  type Database,
  type RunOptions,
} from './main.ts';
export type { OperatorCalls, Trial } from './trial/index.ts';
