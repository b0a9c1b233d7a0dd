/** Which files of a folder are the journal, and what their names say. Everything else in there is left alone. */
import { existsSync, lstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { namesIn } from '../../files/index.ts';
import { isUnderWay, TEMP_PREFIX } from './replace.ts';
import type { JournalFile, JournalOptions } from './types.ts';

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})(?:\.([^./\\]+))?\.md$/;
const MONTH_FILE = /^(\d{4}-\d{2})(?:\.([^./\\]+))?\.md$/;
/**
 * What tools that sync folders make of a file two machines wrote at once: Dropbox, Nextcloud, Syncthing, iCloud, Google
 * Drive. The first group is the name of the file it is a copy of.
 */
const COPY =
  /^(\d{4}-\d{2}(?:-\d{2})?(?:\.(?!sync-conflict)[\w-]+?)?)(?: \([^)]*conflict[^)]*\)|[ .]sync-conflict-[\w-]+|[ ._-]conflict[^/]*| \(\d+\)| \d+)\.md$/i;
const FORGOTTEN_LIST = /^forgotten(?:\.[\w-]+)?\.jsonl$/;
const ARCHIVE = 'archive';
const PAGE = 'MEMORY.md';
const MACHINE = /^(?!.*conflict)[A-Za-z0-9_-]+$/i;
/** A write takes milliseconds: what is older was left by a crash. */
const STALE_TEMP_MS = 10 * 60 * 1000;

export function listFiles(root: string, { project }: JournalOptions): readonly JournalFile[] {
  return listPaths(root, project).flatMap((path) => fileOf(path, project) ?? []);
}

/** A file that a syncing tool has put beside the one it is a copy of. */
export interface ConflictCopy {
  readonly path: string;
  readonly of: JournalFile;
}

export function listCopies(root: string, { project }: JournalOptions): readonly ConflictCopy[] {
  return listPaths(root, project).flatMap((path) => {
    const original = copiedPath(path);
    const of = original === undefined ? undefined : fileOf(original, project);
    return of ? [{ path, of }] : [];
  });
}

/** Lists of what was forgotten, of each machine: they hold no text. */
export function listForgottenLists(root: string, { project }: JournalOptions): readonly string[] {
  return listPaths(root, project).filter(isForgottenList);
}

export function isForgottenList(path: string): boolean {
  return FORGOTTEN_LIST.test(path.slice(path.lastIndexOf('/') + 1)) && !path.includes(`/${ARCHIVE}/`);
}

/** Projects whose folder is a link to one that is not there: a disk that is not mounted, a clone that was deleted. */
export function listAway(root: string): readonly string[] {
  return names(root).filter(
    (name) =>
      !name.startsWith('.') && lstatSync(join(root, name)).isSymbolicLink() && !existsSync(join(root, name)),
  );
}

function listPaths(root: string, project: string | undefined): readonly string[] {
  const projects = project === undefined ? folders(root) : [project];
  return projects.flatMap((name) => {
    const prefix = project === undefined ? `${name}/` : '';
    return [
      ...names(join(root, prefix)).map((file) => prefix + file),
      ...names(join(root, prefix, ARCHIVE)).map((file) => `${prefix}${ARCHIVE}/${file}`),
    ];
  });
}

/** Made by a syncing tool, beside the file it is a copy of. */
export function isCopy(path: string): boolean {
  return copiedPath(path) !== undefined;
}

function copiedPath(path: string): string | undefined {
  const cut = path.lastIndexOf('/') + 1;
  const name = COPY.exec(path.slice(cut))?.[1];
  return name === undefined ? undefined : `${path.slice(0, cut)}${name}.md`;
}

/** What a path relative to the root is, if it is a file of the journal. */
export function fileOf(path: string, project: string | undefined): JournalFile | undefined {
  if (copiedPath(path) !== undefined) return undefined;
  const steps = path.split('/');
  const folder = project ?? steps.shift();
  const archive = steps[0] === ARCHIVE;
  const [name = '', ...more] = archive ? steps.slice(1) : steps;
  const match = (archive ? MONTH_FILE : DAY_FILE).exec(name);
  const date = match?.[1] && (archive ? `${match[1]}-01` : match[1]);
  if (!folder || folder.startsWith('.') || more.length > 0 || !date || Number.isNaN(Date.parse(date)))
    return undefined;
  return { path, project: folder, date, archive, ...(match[2] ? { machine: match[2] } : {}) };
}

/** The file a new entry of that day goes into. */
export function dayPath(project: string, date: string, options: JournalOptions): string {
  const name = `${date}${options.machine ? `.${options.machine}` : ''}.md`;
  if (options.project === undefined) return `${checkedFolder(project)}/${name}`;
  if (options.project === project) return name;
  throw new TidemarkError(
    'journal.other-project',
    `this journal is of ${options.project}, not of ${project}`,
  );
}

/** The archive a day of this file goes into. */
export function monthPath({ path, date, machine }: JournalFile): string {
  const folder = path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/` : '';
  return `${folder}${ARCHIVE}/${date.slice(0, 7)}${machine ? `.${machine}` : ''}.md`;
}

/** The list of what this machine's user has forgotten. */
export function forgottenListPath(project: string, options: JournalOptions): string {
  const name = `forgotten${options.machine ? `.${options.machine}` : ''}.jsonl`;
  return options.project === undefined ? `${checkedFolder(project)}/${name}` : name;
}

/** `MEMORY.md`: no day, so it is never read as one. */
export function projectPagePath(project: string, options: JournalOptions): string {
  return options.project === undefined ? `${checkedFolder(project)}/${PAGE}` : PAGE;
}

export function checkedOptions(options: JournalOptions): JournalOptions {
  if (options.machine === undefined || MACHINE.test(options.machine)) return options;
  throw new TidemarkError('journal.bad-machine', `not a name for a machine: ${options.machine}`, {
    hint: 'use letters, digits, dashes and underscores',
  });
}

/** Takes away what crashed writes left: it may hold text that has been forgotten since. */
export function sweepTemps(root: string, now: number): void {
  for (const folder of [
    '',
    ...folders(root),
    ...folders(root).map((name) => `${name}/${ARCHIVE}`),
    ARCHIVE,
  ]) {
    for (const name of names(join(root, folder))) {
      if (!name.startsWith(TEMP_PREFIX) || isUnderWay(name)) continue;
      const path = join(root, folder, name);
      const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
      if (now - written > STALE_TEMP_MS) rmSync(path, { force: true });
    }
  }
}

function checkedFolder(project: string): string {
  if (project !== '' && !/^\.|[/\\\0]/.test(project)) return project;
  throw new TidemarkError('journal.bad-project', `not the name of a project: ${project}`);
}

function folders(root: string): readonly string[] {
  return names(root).filter((name) => !name.startsWith('.') && isFolder(join(root, name)));
}

function names(folder: string): readonly string[] {
  return namesIn(folder);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
