/**
 * Names a file relative to a project's root, also when a link or a backslash spells the path differently. Reads links,
 * changes nothing, never throws.
 */
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** File systems on which `Src/A.ts` and `src/a.ts` are the same file. */
const CASELESS = process.platform === 'win32' || process.platform === 'darwin';

/** The name as given, then the name of the real path; none for a file outside. `root` is a real path. */
export function namesInProject(file: string, root: string, caseless: boolean = CASELESS): readonly string[] {
  const spellings = [slashes(file), slashes(realPath(file))];
  const names = spellings.map((path) => below(path, slashes(root), caseless));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Whether there is a regular file. The words of a shell command may be anything. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // a missing file, or a word that is no path
  }
}

/** The nearest existing folder of a file: a Write may create folders. */
export function folderOf(file: string): string {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) if (isReal(at)) return at;
  return dirname(file);
}

function below(path: string, root: string, caseless: boolean): string | undefined {
  const folder = root.endsWith('/') ? root : `${root}/`;
  const [start, expected] = [path.slice(0, folder.length), folder].map((text) =>
    caseless ? text.toLowerCase() : text,
  );
  return start === expected && path.length > folder.length ? path.slice(folder.length) : undefined;
}

/** Resolves the existing part of a path. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

function isReal(path: string): boolean {
  try {
    realpathSync(path);
    return true;
  } catch {
    return false;
  }
}

function slashes(path: string): string {
  // Only Windows paths; elsewhere a backslash may be part of a name.
  return /^(?:[A-Za-z]:\\|\\\\)/.test(path) ? path.replaceAll('\\', '/') : path;
}
