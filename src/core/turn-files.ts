/** The files of a turn, named relative to the project's root. Files elsewhere on the machine are left out. Pure. */
import { posix } from 'node:path';
import { namedSymbols } from './symbols.ts';
import type { Turn } from './turn.ts';

/** How many a memory names. */
export const MAX_FILES = 12;

export function projectFiles(
  paths: readonly string[],
  turn: Turn,
  root: string | undefined,
): readonly string[] {
  const base = slashes(root ?? turn.cwd ?? '');
  const named = paths.map((path) => relative(slashes(path), base)).filter((path) => path !== undefined);
  return [...new Set(named)];
}

export function editedFiles(turn: Turn, root?: string): readonly string[] {
  return projectFiles(
    turn.tools
      .filter((tool) => tool.status === 'ok' || tool.status === 'unknown')
      .flatMap((tool) => tool.edited),
    turn,
    root,
  );
}

export function readFiles(turn: Turn, root?: string): readonly string[] {
  return projectFiles(
    turn.tools.flatMap((tool) => tool.read),
    turn,
    root,
  );
}

/** Files of the turn that define a name in the text. */
export function namedFiles(text: string, turn: Turn, root?: string): readonly string[] {
  const defined = turn.tools.flatMap(({ defines = [] }) => defines);
  if (defined.length === 0) return [];
  const named = namedSymbols(text);
  const files = defined.filter(({ names }) => names.some((name) => named.has(name)));
  return projectFiles(
    files.map(({ file }) => file),
    turn,
    root,
  );
}

function relative(path: string, base: string): string | undefined {
  if (!isAbsolute(path)) return posix.normalize(path);
  if (base === '') return posix.basename(path);
  const folder = base.endsWith('/') ? base : `${base}/`;
  // The client writes the drive's letter in either case.
  const isBelow = isOnDrive(path)
    ? path.toLowerCase().startsWith(folder.toLowerCase())
    : path.startsWith(folder);
  return isBelow ? path.slice(folder.length) : undefined;
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || isOnDrive(path);
}

function isOnDrive(path: string): boolean {
  return /^[A-Za-z]:\//.test(path);
}

/** A transcript may come from a Windows machine. */
function slashes(path: string): string {
  return path.includes('\\') ? path.replaceAll('\\', '/') : path;
}
