/** The CLI on a database, as an operator uses it. */
import type { Machine, Ran } from '../support/machine.ts';

export function operator(machine: Machine, database: string): (...args: string[]) => Promise<Ran> {
  return (...args) => machine.cli(['server', ...args], { env: { DATABASE_URL: database } });
}
