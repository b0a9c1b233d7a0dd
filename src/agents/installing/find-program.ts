/** Finds a client's program, and asks it for its version. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isExecutable, readTextSync, STATE_BYTES } from '../../files/index.ts';
import { parseObject, textOf } from '../reading/json.ts';

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

/** Reads the version from the package of a program that npm installed, without starting it. */
export function packageVersion(path: string): string | undefined {
  let folder = dirname(realpathSync(path));
  for (; dirname(folder) !== folder; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return textOf(parseObject(readTextSync(file, STATE_BYTES))?.['version']);
  }
  return undefined;
}
