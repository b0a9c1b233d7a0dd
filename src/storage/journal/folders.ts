/** Lists the files of the journal and reads their names. Other files in the folders are ignored. */
import { existsSync, lstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { namesIn } from '../../files/index.ts';
import { isBeingWritten, TEMP_PREFIX } from './replace.ts';
import type { DayContext, JournalFile, JournalOptions } from './types.ts';

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})(?:\.([^./\\]+))?\.md$/;
const MONTH_FILE = /^(\d{4}-\d{2})(?:\.([^./\\]+))?\.md$/;
/**
 * Copies that syncing tools make when two machines write a file at once: Dropbox, Nextcloud, Syncthing, iCloud, Google
 * Drive. The first group is the name of the original.
 */
const COPY =
  /^(\d{4}-\d{2}(?:-\d{2})?(?:\.(?!sync-conflict)[\w-]+?)?)(?: \([^)]*conflict[^)]*\)|[ .]sync-conflict-[\w-]+|[ ._-]conflict[^/]*| \(\d+\)| \d+)\.md$/i;
const FORGOTTEN_LIST = /^forgotten(?:\.[\w-]+)?\.jsonl$/;
const ARCHIVE = 'archive';
const MACHINE = /^(?!.*conflict)[A-Za-z0-9_-]+$/i;
/** A write takes milliseconds: an older file was left by a crash. */
const STALE_TEMP_MS = 10 * 60 * 1000;

export function listFiles(root: string, { project }: JournalOptions): readonly JournalFile[] {
  return listPaths(root, project).flatMap((path) => fileOf(path, project) ?? []);
}

/** A copy that a syncing tool made next to the original. */
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

/** Returns the lists of forgotten memories of all machines. */
export function listForgottenLists(root: string, { project }: JournalOptions): readonly string[] {
  return listPaths(root, project).filter(isForgottenList);
}

export function isForgottenList(path: string): boolean {
  return FORGOTTEN_LIST.test(path.slice(path.lastIndexOf('/') + 1)) && !path.includes(`/${ARCHIVE}/`);
}

/** Returns projects whose folder is a link to a missing folder: an unmounted disk, a deleted clone. */
export function listUnavailable(root: string): readonly string[] {
  return namesIn(root).filter(
    (name) =>
      !name.startsWith('.') && lstatSync(join(root, name)).isSymbolicLink() && !existsSync(join(root, name)),
  );
}

function listPaths(root: string, project: string | undefined): readonly string[] {
  const projects = project === undefined ? folders(root) : [project];
  return projects.flatMap((name) => {
    const prefix = project === undefined ? `${name}/` : '';
    return [
      ...namesIn(join(root, prefix)).map((file) => prefix + file),
      ...namesIn(join(root, prefix, ARCHIVE)).map((file) => `${prefix}${ARCHIVE}/${file}`),
    ];
  });
}

/** Reports whether a syncing tool made this copy. */
export function isCopy(path: string): boolean {
  return copiedPath(path) !== undefined;
}

function copiedPath(path: string): string | undefined {
  const cut = path.lastIndexOf('/') + 1;
  const name = COPY.exec(path.slice(cut))?.[1];
  return name === undefined ? undefined : `${path.slice(0, cut)}${name}.md`;
}

/** Reads a path relative to the root; undefined when it is not a file of the journal. */
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

/** Returns the file for a new entry of that day. */
export function dayPath(project: string, date: string, options: JournalOptions): string {
  const name = `${date}${options.machine ? `.${options.machine}` : ''}.md`;
  if (options.project === undefined) return `${checkedFolder(project)}/${name}`;
  if (options.project === project) return name;
  throw new TidemarkError(
    'journal.other-project',
    `this journal is for ${options.project}, not for ${project}`,
  );
}

/** Returns the archive for a day file. */
export function monthPath({ path, date, machine }: JournalFile): string {
  const folder = path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/` : '';
  return `${folder}${ARCHIVE}/${date.slice(0, 7)}${machine ? `.${machine}` : ''}.md`;
}

/** Returns the list of memories forgotten on this machine. */
export function forgottenListPath(project: string, options: JournalOptions): string {
  const name = `forgotten${options.machine ? `.${options.machine}` : ''}.jsonl`;
  return options.project === undefined ? `${checkedFolder(project)}/${name}` : name;
}

export function contextOf({ project, date, path }: JournalFile): DayContext {
  return { project, date, file: path };
}

export function checkedOptions(options: JournalOptions): JournalOptions {
  if (options.machine === undefined || MACHINE.test(options.machine)) return options;
  throw new TidemarkError('journal.bad-machine', `not a valid machine name: ${options.machine}`, {
    hint: 'use letters, digits, dashes and underscores',
  });
}

/** Deletes temporary files of crashed writes, because they may contain text that was forgotten since. */
export function sweepTemps(root: string, now: number): void {
  for (const folder of [
    '',
    ...folders(root),
    ...folders(root).map((name) => `${name}/${ARCHIVE}`),
    ARCHIVE,
  ]) {
    for (const name of namesIn(join(root, folder))) {
      if (!name.startsWith(TEMP_PREFIX) || isBeingWritten(name)) continue;
      const path = join(root, folder, name);
      const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
      if (now - written > STALE_TEMP_MS) rmSync(path, { force: true });
    }
  }
}

function checkedFolder(project: string): string {
  if (project !== '' && !/^\.|[/\\\0]/.test(project)) return project;
  throw new TidemarkError('journal.bad-project', `not a valid project name: ${project}`);
}

function folders(root: string): readonly string[] {
  return namesIn(root).filter((name) => !name.startsWith('.') && isFolder(join(root, name)));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
