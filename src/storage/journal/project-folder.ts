/**
 * Where the journal of one project lies: in the journal's folder, or elsewhere with a link there that leads to it. Moves
 * it either way, entry by entry where the other place holds a journal already. A move that is cut short is finished, or
 * was not begun, when the journal is opened next; nothing is taken away before it stands in the other place.
 */
import * as fs from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { listFolderSync, namesIn, syncFolderSync } from '../../files/index.ts';
import { mergeFolder } from './merge/folder.ts';

/** In a repository: below its root. Git takes it away with its last file, so it is made again there without a question. */
export const IN_REPOSITORY = join('.tidemark', 'journal');

/** Steps of a move, hidden from whoever lists projects. */
const STEPS = { old: '.moved-', fresh: '.coming-', link: '.link-' } as const;

/** Where a project's folder leads to; nothing where it is a folder of its own. */
export function targetOf(root: string, project: string): string | undefined {
  const path = join(root, project);
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  return resolve(root, fs.readlinkSync(path));
}

/** It was moved to a folder that is not there now. */
export function isAway(root: string, project: string): boolean {
  const target = targetOf(root, project);
  return target !== undefined && !fs.existsSync(target);
}

/** For a write: the folder a link leads to has to be there. */
export function makeTarget(root: string, project: string): void {
  const target = targetOf(root, project);
  if (target === undefined || fs.existsSync(target)) return;
  const repository = dirname(dirname(target));
  if (target === join(repository, IN_REPOSITORY) && fs.existsSync(repository)) {
    fs.mkdirSync(target, { recursive: true, mode: 0o700 });
    return;
  }
  throw new TidemarkError(
    'journal.away',
    `the journal of ${project} is kept in ${target}, which is not there`,
    {
      hint: 'Bring that folder back, or run in the project: tidemark journal back',
    },
  );
}

/** Moves a project's journal to a folder, and leaves a link to it. What is there already stays, joined by entry. */
export async function moveProject(root: string, project: string, target: string): Promise<void> {
  const path = join(root, project);
  const at = (step: string): string => join(root, `${step}${project}`);
  const source = targetOf(root, project) ?? path;
  fs.mkdirSync(target, { recursive: true, mode: 0o700 });
  const place = fs.realpathSync(target);
  if (fs.existsSync(source) && fs.realpathSync(source) === place && source !== path) return;
  if (place === fs.realpathSync(root) || place.startsWith(fs.realpathSync(root) + sep))
    throw new TidemarkError('usage', `${target} lies in the journal itself`, {
      hint: 'Name a folder elsewhere, or run: tidemark journal back',
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

/** Copies a project's journal back into the journal's folder. The other place keeps what it has: others may share it. */
export async function bringBack(root: string, project: string): Promise<void> {
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

/** Ends what a crash cut short. Cheap where there is nothing. */
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
  const isThere = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (!isThere(path)) {
    if (isThere(link)) fs.renameSync(link, path);
    else if (isThere(old)) fs.renameSync(old, path);
  }
  if (isThere(old)) {
    // An editor may have written to it after it was copied.
    await mergeFolder(old, fs.realpathSync(path), { project, hidden: true });
    fs.rmSync(old, { recursive: true, force: true });
  }
  fs.rmSync(fresh, { recursive: true, force: true });
  fs.rmSync(link, { force: true });
  syncFolderSync(root);
}

/** A repository or a syncing tool's own folder cannot be joined with another. */
function refuseHiddenFolders(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== false) return;
  const found = listFolderSync(path).find((entry) => entry.isDirectory() && entry.name.startsWith('.'));
  if (found)
    throw new TidemarkError('usage', `${join(path, found.name)} would be left behind`, {
      hint: 'Move or delete that folder first, then try again.',
    });
}
