/** Finds the folders of Qwen Code. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Its settings. */
export function qwenHome(env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] || homedir();
  return resolved(env['QWEN_HOME'], home) ?? join(home, '.qwen');
}

/** Its sessions, which the user may keep elsewhere. */
export function qwenRuntime(env: NodeJS.ProcessEnv): string {
  return resolved(env['QWEN_RUNTIME_DIR'], env['HOME'] || homedir()) ?? qwenHome(env);
}

/** As the client reads it: `~` is the home. A path that is relative to the client's own folder is unknown to us. */
function resolved(folder: string | undefined, home: string): string | undefined {
  if (!folder) return undefined;
  const path = /^~(?=$|[/\\])/.test(folder) ? join(home, folder.slice(1)) : folder;
  return isAbsolute(path) ? path : undefined;
}
