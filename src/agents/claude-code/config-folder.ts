/** Claude Code's folder of settings and sessions. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function claudeConfigDir(env: NodeJS.ProcessEnv): string {
  return env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude');
}
