/** Finds a client's program, and asks it for its version. */
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isExecutable } from '../../files/index.ts';

/** Folders that installers use; they may be missing from the PATH that we were started with. */
const USUAL_PLACES = ['.local/bin', '.npm-global/bin', '.bun/bin', '.volta/bin'];
/** A client's program may take seconds to start on a busy machine. */
const VERSION_TIMEOUT_MS = 15_000;

export function findProgram(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const home = env['HOME'] || homedir();
  const folders = [
    ...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...USUAL_PLACES.map((place) => join(home, place)),
  ];
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return folders.flatMap((folder) => names.map((one) => join(folder, one))).find(isExecutable);
}

/** Undefined if the program does not run, or prints none. */
export function programVersion(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ['--version'], { env, timeout: VERSION_TIMEOUT_MS }, (error, stdout) =>
      resolve(error ? undefined : /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(stdout)?.[0]),
    );
  });
}
