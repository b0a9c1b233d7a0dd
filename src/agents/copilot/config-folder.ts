/** Finds the folder of Copilot's settings and sessions. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function copilotHome(env: NodeJS.ProcessEnv): string {
  return env['COPILOT_HOME'] || join(env['HOME'] || homedir(), '.copilot');
}
