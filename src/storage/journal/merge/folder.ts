/**
 * Merges journal files, and copies a project's journal into another folder durably: files in both are merged by entry, and
 * a file that cannot be merged is stored under a new name. Never changes the source folder; may be repeated.
 */
import { existsSync, mkdirSync, renameSync, rmSync, closeSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TidemarkError } from '../../../core/index.ts';
import { JOURNAL_BYTES, MOST_ENTRIES, namesIn, readBytesSync, syncFolder } from '../../../files/index.ts';
import { fileOf, isForgottenList } from '../folders.ts';
import { joinLists } from '../forgotten-list.ts';
import { decodeText } from '../format/text-lines.ts';
import { TEMP_PREFIX, writeTemp } from '../replace.ts';
import { mergeDays } from './days.ts';

/** Users' folders rarely nest this deep; a loop of links does. */
const MAX_DEPTH = 8;

export interface FolderMerge {
  readonly project: string;
  /** Also copies files whose names begin with a dot, because their folder will be deleted. */
  readonly hidden: boolean;
}

export interface Versions {
  /** Empty when the two have no common version. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Merges two versions of a journal file for git; undefined when `path` is not a journal file or cannot be merged. */
export function mergeFiles(versions: Versions, path: string): string | undefined {
  const steps = path.replaceAll('\\', '/').split('/');
  const name = steps.at(-2) === 'archive' ? steps.slice(-2).join('/') : (steps.at(-1) ?? '');
  return mergeNamed(versions, name, 'journal', path);
}

export async function mergeFolder(
  from: string,
  to: string,
  how: FolderMerge,
  below = '',
  depth = 0,
): Promise<void> {
  if (!existsSync(join(from, below)) || depth > MAX_DEPTH) return;
  mkdirSync(join(to, below), { recursive: true, mode: 0o700 });
  const names = namesIn(join(from, below));
  if (names.length >= MOST_ENTRIES)
    // A file that is not listed would not be copied, and the folder may be deleted afterwards.
    throw new TidemarkError('journal.too-many', `${join(from, below)} contains too many files to move`, {
      hint: 'Move files that are not part of the journal out of that folder, then try again.',
    });
  for (const name of names) {
    if (name.startsWith(how.hidden ? TEMP_PREFIX : '.')) continue;
    const path = below === '' ? name : `${below}/${name}`;
    const stat = statSync(join(from, path), { throwIfNoEntry: false });
    if (stat?.isDirectory()) await mergeFolder(from, to, how, path, depth + 1);
    else if (stat?.isFile()) await mergeFile(from, to, how.project, path);
  }
}

async function mergeFile(from: string, to: string, project: string, path: string): Promise<void> {
  const mine = readBytesSync(join(from, path), JOURNAL_BYTES);
  const target = join(to, path);
  const existing = existsSync(target) ? readBytesSync(target, JOURNAL_BYTES) : undefined;
  if (existing?.equals(mine)) return;
  if (existing === undefined) return place(target, mine);
  const versions = { base: '', ours: decodeText(existing), theirs: decodeText(mine) };
  const both = mergeNamed(versions, path, project, path);
  if (both !== undefined) return place(target, both);
  const aside = freeName(target, mine);
  if (aside !== undefined) await place(aside, mine);
}

function mergeNamed(
  { base, ours, theirs }: Versions,
  name: string,
  project: string,
  path: string,
): string | undefined {
  if (isForgottenList(name)) return joinLists(ours, theirs);
  const file = fileOf(name, project);
  const context = { project, date: file?.date ?? '', file: path };
  return file && mergeDays(base.trim() === '' ? null : base, ours, theirs, context);
}

/** Returns a name such as `notes 2.md`; undefined when a file with such a name has the same content. */
function freeName(path: string, content: Buffer): string | undefined {
  const [, stem = path, ending = ''] = /^(.*?)(\.[^./]*)?$/s.exec(path) ?? [];
  for (let copy = 2; ; copy++) {
    const name = `${stem} ${copy}${ending}`;
    if (!existsSync(name)) return name;
    if (readBytesSync(name, JOURNAL_BYTES).equals(content)) return undefined;
  }
}

async function place(path: string, content: string | Buffer): Promise<void> {
  const temp = await writeTemp(join(path, '..'), content, true);
  closeSync(temp.fd);
  try {
    renameSync(temp.path, path);
  } finally {
    rmSync(temp.path, { force: true });
  }
  await syncFolder(dirname(path));
}
