/** Reports where a project's journal is stored, and moves it: into its repository, into another folder, and back. */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { TidemarkError, type Places } from '../../core/index.ts';
import { namesIn } from '../../files/index.ts';
import { syncJournal, type Stores } from '../../memory/index.ts';
import {
  IN_REPOSITORY,
  isUnavailable,
  moveBack,
  moveProject,
  targetOf,
} from '../../storage/journal/index.ts';
import { findRepository } from '../git/repository.ts';
import { EVERYWHERE, lookUpProject, projectOfFolder } from './projects.ts';

export interface JournalLocation {
  readonly project: string;
  readonly name: string;
  /** Where the files are. */
  readonly folder: string;
  /** `home`: below the data folder, as usual. */
  readonly kind: 'home' | 'repository' | 'folder';
  /** The folder does not exist now. */
  readonly away: boolean;
  readonly files: number;
  readonly entries: number;
  /** The work tree that contains the files. */
  readonly workTree?: string;
  /** This machine's name in a shared journal. */
  readonly machine?: string;
  /** A journal in the project's repository that this machine does not use. */
  readonly unused?: string;
}

export interface MoveArgs {
  readonly dir: string;
  /** `repository`, `home`, or an absolute path. */
  readonly to: string;
}

export async function journalLocation(stores: Stores, places: Places, dir: string): Promise<JournalLocation> {
  const { project } = await lookUpProject(stores, dir, EVERYWHERE);
  const folder = targetOf(places.journal, project.id) ?? join(places.journal, project.id);
  const files = stores.journal.files().filter((file) => file.project === project.id);
  const isHome = folder === join(places.journal, project.id);
  const workTree = existsSync(folder) ? findRepository(folder, homedir())?.root : undefined;
  const own = join(mainOf(dir) ?? dir, IN_REPOSITORY);
  return {
    project: project.id,
    name: project.name,
    folder,
    kind: isHome ? 'home' : folder.endsWith(IN_REPOSITORY) ? 'repository' : 'folder',
    away: isUnavailable(places.journal, project.id),
    files: files.length,
    entries: files.reduce((sum, { path }) => sum + stores.journal.read(path).entries.length, 0),
    ...(workTree ? { workTree } : {}),
    ...(stores.journal.machine ? { machine: stores.journal.machine } : {}),
    ...(folder !== own && containsJournal(own) ? { unused: own } : {}),
  };
}

/** Call it only while nothing else writes: the journal's folder changes. */
export async function moveJournal(
  stores: Stores,
  places: Places,
  { dir, to }: MoveArgs,
  now: Date,
): Promise<JournalLocation> {
  const { project } = await projectOfFolder(stores, dir, now.toISOString(), EVERYWHERE);
  await stores.journal.settle();
  if (to === 'home') await moveBack(places.journal, project.id);
  else {
    const target = to === 'repository' ? inRepository(dir) : usable(to);
    await moveProject(places.journal, project.id, target);
  }
  await syncJournal(stores);
  return journalLocation(stores, places, dir);
}

/** The journal is stored in the main work tree: linked ones are temporary. */
function inRepository(dir: string): string {
  const main = mainOf(dir);
  if (main === undefined)
    throw new TidemarkError('usage', `${dir} is not in a git repository`, {
      hint: 'Run it in one, or choose a folder: tidemark journal move <folder>',
    });
  if (!existsSync(join(main, '.git')))
    throw new TidemarkError('usage', `${main} is a bare repository without a work tree`, {
      hint: 'Choose a folder: tidemark journal move <folder>',
    });
  const folder = join(main, IN_REPOSITORY);
  // It comes with the clone: a link points anywhere.
  for (const path of [dirname(folder), folder]) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat || stat.isDirectory()) continue;
    throw new TidemarkError('usage', `${path} is ${stat.isSymbolicLink() ? 'a link' : 'not a folder'}`, {
      hint: 'Remove it, or choose a folder: tidemark journal move <folder>',
    });
  }
  return folder;
}

function mainOf(dir: string): string | undefined {
  return existsSync(dir) ? findRepository(dir, homedir())?.main : undefined;
}

/** Accepts a folder that is new, empty, or contains a journal. */
function usable(folder: string): string {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw new TidemarkError('usage', `${folder} is not a folder`);
  if (!stat && !existsSync(dirname(folder)))
    throw new TidemarkError('usage', `${dirname(folder)} does not exist`, {
      hint: 'Create that folder first, or check the name.',
    });
  const containsOther =
    stat && namesIn(folder).some((name) => !name.startsWith('.')) && !containsJournal(folder);
  if (containsOther)
    throw new TidemarkError('usage', `${folder} contains other files and no journal`, {
      hint: 'Choose a new or empty folder: tidemark journal move <folder>',
    });
  return folder;
}

function containsJournal(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return namesIn(folder).some((name) => /^\d{4}-\d{2}-\d{2}.*\.md$/.test(name) || name === 'archive');
}
