/** Installs the shell command `tidemark`: a script in ~/.local/bin, if that is on the PATH and the name is free. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const MARK = "# Tidemark's command line, put here by `tidemark install`; `tidemark uninstall` takes it away.";

export type Command =
  | { readonly kind: 'there'; readonly path: string }
  /** Where it would be created. */
  | { readonly kind: 'possible'; readonly path: string }
  | { readonly kind: 'none' };

/** `plugin`: the folder whose bin/tidemark the command runs. */
export function commandFor(plugin: string, env: NodeJS.ProcessEnv): Command {
  const folders = (env['PATH'] ?? '').split(delimiter);
  const own = placeOf(env);
  // npx and npm add temporary folders to the PATH of what they run.
  const found = folders
    .filter((folder) => folder !== '' && !folder.includes('node_modules') && !folder.includes('_npx'))
    .map((folder) => join(folder, 'tidemark'))
    .find((file) => existsSync(file));
  if (found && !(found === own && isOurs(found) && readFileSync(found, 'utf8') !== scriptFor(plugin)))
    return { kind: 'there', path: found };
  if (own === undefined || process.platform === 'win32' || !folders.includes(join(own, '..')))
    return { kind: 'none' };
  return { kind: 'possible', path: own };
}

export function putCommand(path: string, plugin: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, scriptFor(plugin), { mode: 0o755 });
}

/** Removes only a command that we created. */
export function removeCommand(env: NodeJS.ProcessEnv): string | undefined {
  const path = placeOf(env);
  if (path === undefined || !existsSync(path) || !isOurs(path)) return undefined;
  rmSync(path);
  return path;
}

function placeOf(env: NodeJS.ProcessEnv): string | undefined {
  const home = env['HOME'];
  return home ? join(home, '.local', 'bin', 'tidemark') : undefined;
}

function isOurs(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(MARK);
  } catch {
    return false;
  }
}

function scriptFor(plugin: string): string {
  const program = join(plugin, 'bin', 'tidemark').replaceAll("'", `'\\''`);
  return `#!/bin/sh\n${MARK}\nexec sh '${program}' "$@"\n`;
}
