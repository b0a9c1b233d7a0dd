/**
 * Functions for a journal that several machines share: the lists of forgotten memories, and the copies that syncing tools
 * make when two machines write a file at once. A copy is deleted only after its content was merged.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL_BYTES, readBytesSync } from '../../files/index.ts';
import type { JournalFiles } from './_journal-files.ts';
import {
  contextOf,
  forgottenListPath,
  listCopies,
  listForgottenLists,
  listUnavailable,
  type ConflictCopy,
} from './folders.ts';
import { addToList, latestTombstones } from './forgotten-list.ts';
import { decodeText } from './format/text-lines.ts';
import { mergeDays } from './merge/days.ts';
import type { JournalProblem, SharedTombstone } from './types.ts';

export async function shareTombstones(
  { root, options, safe }: JournalFiles,
  project: string,
  tombstones: readonly SharedTombstone[],
): Promise<void> {
  const path = join(root, forgottenListPath(project, options));
  await safe.change(path, (text) => addToList(text, tombstones));
}

/** Returns the latest tombstone of each memory over all machines, by the project whose folder contains the list. */
export function sharedTombstones({
  root,
  options,
}: JournalFiles): ReadonlyMap<string, readonly SharedTombstone[]> {
  const paths = listForgottenLists(root, options);
  const byProject = Map.groupBy(paths, (path) => options.project ?? path.split('/')[0] ?? '');
  return new Map(
    [...byProject].map(([project, lists]) => [
      project,
      latestTombstones(lists.map((path) => readIfPossible(root, path) ?? '')),
    ]),
  );
}

/** Merges the copies of this machine's files entry by entry and deletes them. Returns the paths of the merged copies. */
export async function mergeCopies(files: JournalFiles): Promise<readonly string[]> {
  const copies = listCopies(files.root, files.options).filter(({ of }) => files.isOwn(of));
  const merged: string[] = [];
  for (const copy of copies) if (await mergeCopy(files, copy)) merged.push(copy.path);
  return merged;
}

/** Returns the problems for `doctor`: unmerged copies, files that are not read, folders that are missing. */
export function sharedProblems(files: JournalFiles): readonly JournalProblem[] {
  const { root, options } = files;
  const copies = listCopies(root, options).map(({ path, of }) => ({
    file: path,
    line: 1,
    reason: `a copy that a syncing tool made of ${of.path}: the machine that writes that file merges it once both can be read`,
  }));
  const refused = files.list().flatMap(({ path: file }) => {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    if (!stat || (stat.isFile() && stat.size <= JOURNAL_BYTES)) return [];
    const reason = stat.isFile() ? 'too large for a file of the journal' : 'not a regular file';
    return [{ file, line: 1, reason: `${reason}: it is not read; move it away` }];
  });
  const unavailable = options.project === undefined ? listUnavailable(root) : [];
  const reason = 'the folder of this project’s journal is missing; see: tidemark journal where';
  return [...copies, ...refused, ...unavailable.map((project) => ({ file: project, line: 1, reason }))];
}

async function mergeCopy(files: JournalFiles, { path, of }: ConflictCopy): Promise<boolean> {
  const copy = readIfPossible(files.root, path);
  if (copy === undefined) return false;
  let isMerged = false;
  await files.change(of, (text) => {
    const both = text === null ? copy : mergeDays(null, text, copy, contextOf(of));
    isMerged = both !== undefined;
    return both ?? text;
  });
  if (!isMerged) return false;
  const { after } = await files.safe.change(join(files.root, path), (text) => (text === copy ? null : text));
  return after === null;
}

function readIfPossible(root: string, path: string): string | undefined {
  try {
    return decodeText(readBytesSync(join(root, path), JOURNAL_BYTES));
  } catch {
    return undefined; // deleted meanwhile
  }
}
