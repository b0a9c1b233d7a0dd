/** Finds the user's own Claude Code program. */
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isExecutable } from '../../files/index.ts';

/** Folders that installers use; they may be missing from the PATH the daemon was started with. */
const USUAL_PLACES = ['.local/bin', '.claude/local', '.npm-global/bin', '.bun/bin'];

export function findClient(env: NodeJS.ProcessEnv): string | undefined {
  const home = env['HOME'] ?? homedir();
  const folders = [
    ...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...USUAL_PLACES.map((place) => join(home, place)),
  ];
  const names = process.platform === 'win32' ? ['claude.exe'] : ['claude'];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}
