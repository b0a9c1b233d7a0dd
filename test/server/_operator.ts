/** Runs the CLI on a database, like an operator. */
import type { Machine, Ran } from '../support/machine.ts';

export function operator(machine: Machine, database: string): (...args: string[]) => Promise<Ran> {
  return (...args) => machine.cli(['server', ...args], { env: { DATABASE_URL: database } });
}
