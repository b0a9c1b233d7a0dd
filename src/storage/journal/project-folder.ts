/**
 * The location of a project's journal: in the journal's folder, or in another folder behind a link. Moves it either way and
 * merges by entry where the target already contains a journal. An interrupted move is finished or undone when the journal
 * is opened next; nothing is deleted before it is stored in the target.
 */
import * as fs from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { listFolderSync, namesIn, syncFolderSync } from '../../files/index.ts';
import { mergeFolder } from './merge/folder.ts';

/** Folder in a repository. Git deletes it with its last file, so it is created again without asking. */
export const IN_REPOSITORY = join('.tidemark', 'journal');

/** Hidden names for the steps of a move, so that they are not listed as projects. */
const STEPS = { old: '.moved-', fresh: '.coming-', link: '.link-' } as const;

/** Returns the target of a project's link; undefined when its journal is a plain folder. */
export function targetOf(root: string, project: string): string | undefined {
  const path = join(root, project);
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  return resolve(root, fs.readlinkSync(path));
}

/** Reports whether the journal was moved to a folder that is missing now. */
export function isUnavailable(root: string, project: string): boolean {
  const target = targetOf(root, project);
  return target !== undefined && !fs.existsSync(target);
}

/** Makes sure before a write that the target of a link exists. Throws when it is missing outside a repository. */
export function ensureTarget(root: string, project: string): void {
  const target = targetOf(root, project);
  if (target === undefined || fs.existsSync(target)) return;
  const repository = dirname(dirname(target));
  if (target === join(repository, IN_REPOSITORY) && fs.existsSync(repository)) {
    fs.mkdirSync(target, { recursive: true, mode: 0o700 });
    return;
  }
  throw new TidemarkError(
    'journal.away',
    `the journal of ${project} is stored in ${target}, which does not exist`,
    {
      hint: 'Restore that folder, or run in the project: tidemark journal back',
    },
  );
}

/** Moves a project's journal to a folder and leaves a link. A journal that is already there is merged by entry. */
export async function moveProject(root: string, project: string, target: string): Promise<void> {
  const path = join(root, project);
  const at = (step: string): string => join(root, `${step}${project}`);
  const source = targetOf(root, project) ?? path;
  fs.mkdirSync(target, { recursive: true, mode: 0o700 });
  const place = fs.realpathSync(target);
  if (fs.existsSync(source) && fs.realpathSync(source) === place && source !== path) return;
  if (place === fs.realpathSync(root) || place.startsWith(fs.realpathSync(root) + sep))
    throw new TidemarkError('usage', `${target} is inside the journal`, {
      hint: 'Name another folder, or run: tidemark journal back',
    });
  refuseHiddenFolders(path);
  await mergeFolder(source, place, { project, hidden: source === path });
  fs.rmSync(at(STEPS.link), { force: true });
  fs.symlinkSync(place, at(STEPS.link), process.platform === 'win32' ? 'junction' : 'dir');
  if (source === path) {
    if (fs.existsSync(path)) fs.renameSync(path, at(STEPS.old));
  } else fs.rmSync(path);
  fs.renameSync(at(STEPS.link), path);
  syncFolderSync(root);
  await finishMove(root, project);
}

/** Copies a project's journal back into the journal's folder. The other folder stays, because others may share it. */
export async function moveBack(root: string, project: string): Promise<void> {
  const target = targetOf(root, project);
  if (target === undefined) return;
  const path = join(root, project);
  const fresh = join(root, `${STEPS.fresh}${project}`);
  fs.rmSync(fresh, { recursive: true, force: true });
  fs.mkdirSync(fresh, { mode: 0o700 });
  await mergeFolder(target, fresh, { project, hidden: false });
  fs.renameSync(path, join(root, `${STEPS.link}${project}`));
  fs.renameSync(fresh, path);
  syncFolderSync(root);
  await finishMove(root, project);
}

/** Finishes moves that a crash interrupted. */
export async function finishMoves(root: string): Promise<void> {
  const names = namesIn(root);
  const projects = names.flatMap((name) => {
    const step = Object.values(STEPS).find((prefix) => name.startsWith(prefix));
    return step === undefined ? [] : [name.slice(step.length)];
  });
  for (const project of new Set(projects)) await finishMove(root, project);
}

async function finishMove(root: string, project: string): Promise<void> {
  const path = join(root, project);
  const at = (step: string): string => join(root, `${step}${project}`);
  const [old, fresh, link] = [at(STEPS.old), at(STEPS.fresh), at(STEPS.link)];
  const exists = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (!exists(path)) {
    if (exists(link)) fs.renameSync(link, path);
    else if (exists(old)) fs.renameSync(old, path);
  }
  if (exists(old)) {
    // An editor may have written to it after the copy.
    await mergeFolder(old, fs.realpathSync(path), { project, hidden: true });
    fs.rmSync(old, { recursive: true, force: true });
  }
  fs.rmSync(fresh, { recursive: true, force: true });
  fs.rmSync(link, { force: true });
  syncFolderSync(root);
}

/** A repository or a syncing tool's own folder cannot be merged. */
function refuseHiddenFolders(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== false) return;
  const found = listFolderSync(path).find((entry) => entry.isDirectory() && entry.name.startsWith('.'));
  if (found)
    throw new TidemarkError('usage', `${join(path, found.name)} would be left behind`, {
      hint: 'Move or delete that folder first, then try again.',
    });
}
