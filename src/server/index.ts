export type { Finding, Initialised, NewTeam, Operator } from './admin/index.ts';
export { examineDatabase, runServer, withOperator, type RunOptions } from './main.ts';
