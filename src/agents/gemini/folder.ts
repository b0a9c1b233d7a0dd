/** Gemini CLI's folder of settings, extensions and sessions. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function geminiFolder(env: NodeJS.ProcessEnv): string {
  return join(env['GEMINI_CLI_HOME'] || env['HOME'] || homedir(), '.gemini');
}
