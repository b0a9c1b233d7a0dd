/** Checks that only the owner can access the data folder: folders 0700, files 0600, a few programs 0700. */
import { chmodSync, existsSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Places } from '../../core/index.ts';
import { counted } from '../screen.ts';
import { checkOf, type Check } from './check.ts';

const FOLDER = 0o700;
const FILE = 0o600;
const OTHERS = 0o077;
const SHOWN = 3;

export function permissions(places: Places, platform: NodeJS.Platform = process.platform): Check {
  const check = checkOf('permissions');
  if (!existsSync(places.home)) return check.note(`${places.home} does not exist yet`);
  if (platform === 'win32')
    return check.well('inherited from your profile folder; Windows has no file modes');
  const uid = process.getuid?.();
  const all = walk(places.home);
  const foreign = uid === undefined ? [] : all.filter(({ stat }) => stat.uid !== uid);
  if (foreign.length > 0)
    return check.wrong(
      `${counted(foreign.length, 'file')} owned by another user: ${shown(places, foreign)}`,
      `Take them back: sudo chown -R "$USER" ${places.home}`,
    );
  const locked = all.filter(({ stat }) => (stat.mode & ownerNeeds(stat)) !== ownerNeeds(stat));
  const open = all.filter(({ stat }) => (stat.mode & OTHERS) !== 0);
  const bad = [...new Set([...open, ...locked])];
  if (bad.length === 0) return check.well(`${describe(all)}, owner only (0700, 0600)`);
  const what = [
    ...(open.length > 0 ? [`others can access ${shown(places, open)}`] : []),
    ...(locked.length > 0 ? [`you cannot write ${shown(places, locked)}`] : []),
  ];
  return check.wrong(what.join('; '), 'Fix it with: tidemark doctor --fix', async () => {
    for (const { path, stat } of bad) chmodSync(path, modeFor(stat));
    // A locked folder hid the files below it.
    for (const { path, stat } of walk(places.home))
      if ((stat.mode & OTHERS) !== 0) chmodSync(path, modeFor(stat));
    return `set the permissions of ${counted(bad.length, 'file or folder', 'files and folders')}`;
  });
}

interface Found {
  readonly path: string;
  readonly stat: Stats;
}

/**
 * Lists a folder's files. Skips links, and git work trees (a journal shared that way): git sets its own modes, and the
 * folder itself keeps others out.
 */
function walk(path: string): readonly Found[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return [];
  if (!stat.isDirectory()) return [{ path, stat }];
  const inside = names(path);
  if (inside.includes('.git')) return [{ path, stat }];
  return [{ path, stat }, ...inside.flatMap((name) => walk(join(path, name)))];
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function modeFor(stat: Stats): number {
  if (stat.isDirectory()) return FOLDER;
  return (stat.mode & 0o100) !== 0 ? FOLDER : FILE;
}

function ownerNeeds(stat: Stats): number {
  return stat.isDirectory() ? FOLDER : FILE;
}

function shown(places: Places, found: readonly Found[]): string {
  const first = found
    .slice(0, SHOWN)
    .map(({ path }) => relative(places.home, path).split(sep).join('/') || places.home);
  return `${first.join(', ')}${found.length > SHOWN ? ` and ${found.length - SHOWN} more` : ''}`;
}

function describe(all: readonly Found[]): string {
  const folders = all.filter(({ stat }) => stat.isDirectory()).length;
  return `${counted(folders, 'folder')} and ${counted(all.length - folders, 'file')}`;
}
