/** Where a project keeps its journal, and moving it: into its repository, into a folder of choice, and back. */
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { TidemarkError, type Places } from '../../core/index.ts';
import { namesIn } from '../../files/index.ts';
import { syncJournal, type Stores } from '../../memory/index.ts';
import { bringBack, IN_REPOSITORY, isAway, moveProject, targetOf } from '../../storage/journal/index.ts';
import { findRepository } from '../git/repository.ts';
import { EVERYWHERE, lookUpProject, projectOfFolder } from './project-of-event.ts';

export interface JournalLocation {
  readonly project: string;
  readonly name: string;
  /** Where the files are. */
  readonly folder: string;
  /** `home`: below the data folder, as usual. */
  readonly kind: 'home' | 'repository' | 'folder';
  /** The folder is not there now. */
  readonly away: boolean;
  readonly files: number;
  readonly entries: number;
  /** The work tree the files lie in, if they do. */
  readonly workTree?: string;
  /** This machine's name in a shared journal. */
  readonly machine?: string;
  /** The project's repository holds a journal that this machine does not use. */
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
    away: isAway(places.journal, project.id),
    files: files.length,
    entries: files.reduce((sum, { path }) => sum + stores.journal.read(path).entries.length, 0),
    ...(workTree ? { workTree } : {}),
    ...(stores.journal.machine ? { machine: stores.journal.machine } : {}),
    ...(folder !== own && holdsJournal(own) ? { unused: own } : {}),
  };
}

/** Only while nobody else writes: the folder changes under the journal's feet. */
export async function moveJournal(
  stores: Stores,
  places: Places,
  { dir, to }: MoveArgs,
  now: Date,
): Promise<JournalLocation> {
  const { project } = await projectOfFolder(stores, dir, now.toISOString(), EVERYWHERE);
  await stores.journal.settle();
  if (to === 'home') await bringBack(places.journal, project.id);
  else {
    const target = to === 'repository' ? inRepository(dir) : usable(to);
    await moveProject(places.journal, project.id, target);
  }
  await syncJournal(stores);
  return journalLocation(stores, places, dir);
}

/** The journal belongs to the main work tree: linked ones come and go. */
function inRepository(dir: string): string {
  const main = mainOf(dir);
  if (main === undefined)
    throw new TidemarkError('usage', `${dir} lies in no git repository`, {
      hint: 'Run it in one, or choose a folder: tidemark journal move <folder>',
    });
  if (!existsSync(join(main, '.git')))
    throw new TidemarkError('usage', `${main} is a bare repository: it has no files of its own`, {
      hint: 'Choose a folder: tidemark journal move <folder>',
    });
  return join(main, IN_REPOSITORY);
}

function mainOf(dir: string): string | undefined {
  return existsSync(dir) ? findRepository(dir, homedir())?.main : undefined;
}

/** A folder of its own: new, empty, or with a journal in it. */
function usable(folder: string): string {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw new TidemarkError('usage', `${folder} is not a folder`);
  if (!stat && !existsSync(dirname(folder)))
    throw new TidemarkError('usage', `${dirname(folder)} is not there`, {
      hint: 'Make that folder first, or check the name.',
    });
  const holdsOther = stat && namesIn(folder).some((name) => !name.startsWith('.')) && !holdsJournal(folder);
  if (holdsOther)
    throw new TidemarkError('usage', `${folder} holds other things, and no journal`, {
      hint: 'Name a folder of its own, which may be new: tidemark journal move <folder>',
    });
  return folder;
}

function holdsJournal(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return namesIn(folder).some((name) => /^\d{4}-\d{2}-\d{2}.*\.md$/.test(name) || name === 'archive');
}
