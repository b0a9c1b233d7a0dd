/**
 * A file about to be changed, by the names it has in a project: relative to the root, whichever way a link or the other
 * kind of slash spells it. Reads links, changes nothing, never throws.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** File systems that take `Src/A.ts` and `src/a.ts` for the same. */
const CASELESS = process.platform === 'win32' || process.platform === 'darwin';

/** As it was named, then as it really is; none when it lies outside. `root` is a real path. */
export function namesInProject(file: string, root: string, caseless: boolean = CASELESS): readonly string[] {
  const spellings = [slashes(file), slashes(realPath(file))];
  const names = spellings.map((path) => below(path, slashes(root), caseless));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The nearest folder around a file that is there: what a Write makes may need folders of its own. */
export function folderOf(file: string): string {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) if (isReal(at)) return at;
  return dirname(file);
}

function below(path: string, root: string, caseless: boolean): string | undefined {
  const folder = root.endsWith('/') ? root : `${root}/`;
  const [start, wanted] = [path.slice(0, folder.length), folder].map((text) =>
    caseless ? text.toLowerCase() : text,
  );
  return start === wanted && path.length > folder.length ? path.slice(folder.length) : undefined;
}

/** Of a file that is not there yet, as much as is there. */
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
  // Only Windows spells it so; elsewhere a backslash may be part of a name.
  return /^(?:[A-Za-z]:\\|\\\\)/.test(path) ? path.replaceAll('\\', '/') : path;
}
