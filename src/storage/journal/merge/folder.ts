/**
 * One project's journal brought into another folder, durably: files that stand in both are joined by entry, and whatever
 * cannot be joined is put beside under a name of its own. Changes nothing in the folder it comes from; may be repeated.
 */
import { existsSync, mkdirSync, renameSync, rmSync, closeSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TidemarkError } from '../../../core/index.ts';
import { JOURNAL_BYTES, MOST_ENTRIES, namesIn, readBytesSync, syncFolder } from '../../../files/index.ts';
import { fileOf, isForgottenList } from '../folders.ts';
import { joinLists } from '../forgotten-list.ts';
import { decodeText } from '../format/decode.ts';
import { TEMP_PREFIX, writeTemp } from '../replace.ts';
import { mergeDays } from './days.ts';

/** A person's own folders in there may nest, but hardly this deep; a loop of links does. */
const MOST_DEEP = 8;

export interface FolderMerge {
  readonly project: string;
  /** Files whose names begin with a dot come along: the folder they are in goes. */
  readonly hidden: boolean;
}

export async function mergeFolder(
  from: string,
  to: string,
  how: FolderMerge,
  below = '',
  depth = 0,
): Promise<void> {
  if (!existsSync(join(from, below)) || depth > MOST_DEEP) return;
  mkdirSync(join(to, below), { recursive: true, mode: 0o700 });
  const names = namesIn(join(from, below));
  if (names.length >= MOST_ENTRIES)
    // What is not listed would not be copied, and the folder may be removed afterwards.
    throw new TidemarkError('journal.too-many', `${join(from, below)} holds too many files to be moved`, {
      hint: 'Move what is not part of the journal out of that folder, then try again.',
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
  const there = existsSync(target) ? readBytesSync(target, JOURNAL_BYTES) : undefined;
  if (there?.equals(mine)) return;
  if (there === undefined) return place(target, mine);
  const both = joinedText(decodeText(there), decodeText(mine), path, project);
  if (both !== undefined) return place(target, both);
  const aside = freeName(target, mine);
  if (aside !== undefined) await place(aside, mine);
}

function joinedText(there: string, mine: string, path: string, project: string): string | undefined {
  if (isForgottenList(path)) return joinLists(there, mine);
  const file = fileOf(path, project);
  return file && mergeDays(null, there, mine, { project, date: file.date, file: path });
}

/** `notes 2.md`; none where a file under such a name holds the same already. */
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
