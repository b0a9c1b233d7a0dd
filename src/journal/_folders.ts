/** Which files of a folder are the journal, and what their names say. Everything else in there is left alone. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../model/index.ts';
import { TEMP_PREFIX } from './_replace.ts';
import type { JournalFile, JournalOptions } from './types.ts';

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})(?:\.([^./\\]+))?\.md$/;
const MONTH_FILE = /^(\d{4}-\d{2})(?:\.([^./\\]+))?\.md$/;
const ARCHIVE = 'archive';
const PAGE = 'MEMORY.md';
const MACHINE = /^[A-Za-z0-9_-]+$/;
/** A write takes milliseconds: what is older was left by a crash. */
const STALE_TEMP_MS = 10 * 60 * 1000;

export function listFiles(root: string, { project }: JournalOptions): readonly JournalFile[] {
  const projects = project === undefined ? folders(root) : [project];
  return projects.flatMap((name) => {
    const prefix = project === undefined ? `${name}/` : '';
    const found = [
      ...names(join(root, prefix)).map((file) => prefix + file),
      ...names(join(root, prefix, ARCHIVE)).map((file) => `${prefix}${ARCHIVE}/${file}`),
    ];
    return found.flatMap((path) => fileOf(path, project) ?? []);
  });
}

/** What a path relative to the root is, if it is a file of the journal. */
export function fileOf(path: string, project: string | undefined): JournalFile | undefined {
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

/** `MEMORY.md`: no day, so it is never read as one. */
export function pagePath(project: string, options: JournalOptions): string {
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
      if (!name.startsWith(TEMP_PREFIX)) continue;
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
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
