/** Which memories and session headings go into which file. Looks only; writing is the journal's. */
import { PERSONAL_PROJECT, type Memory } from '../../core/index.ts';
import type { JournalFiles } from './_journal-files.ts';
import { dayPath } from './folders.ts';
import { dateOf } from './format/heading.ts';
import { tidyHead, tidyMemory } from './format/normalise.ts';
import type { JournalFile, PutOptions, SessionHead } from './types.ts';

/** What is to be put into one file. */
export interface Work {
  readonly file: JournalFile;
  readonly memories: { readonly memory: Memory; readonly known: boolean }[];
  readonly heads: SessionHead[];
}

/** `skipped`: left to another machine, or not wanted where it is absent. */
export function planWrites(
  files: JournalFiles,
  memories: readonly Memory[],
  heads: readonly SessionHead[],
  absent: NonNullable<PutOptions['absent']>,
): { readonly work: readonly Work[]; readonly skipped: readonly string[] } {
  const skipped: string[] = [];
  const work = new Map<string, Work>();
  const at = (path: string): Work => {
    const known = work.get(path);
    if (known) return known;
    const made = { file: files.file(path), memories: [], heads: [] };
    work.set(path, made);
    return made;
  };
  const tidyHeads = heads.map(tidyHead);
  for (const memory of memories.map(tidyMemory)) {
    const there = files.catalogue.find(memory.id);
    const own = there ? files.isOwn(there.file) : absent(memory.id) === 'make';
    if (!own) skipped.push(memory.id);
    else {
      const target = at(there?.path ?? dayPath(memory.project, dateOf(memory.at), files.options));
      target.memories.push({ memory, known: there !== undefined });
      const head = tidyHeads.find(({ id }) => id === memory.provenance.session);
      if (head && memory.project !== PERSONAL_PROJECT && !target.heads.includes(head))
        target.heads.push(head);
    }
  }
  for (const head of tidyHeads) {
    for (const path of pathsOf(files, head, memories)) {
      const target = at(path);
      if (!target.heads.includes(head)) target.heads.push(head);
    }
  }
  return { work: [...work.values()], skipped };
}

/** Where a head has something to say: wherever its session stands, and with a summary on the day it began. */
function pathsOf(files: JournalFiles, head: SessionHead, memories: readonly Memory[]): readonly string[] {
  const there = files.catalogue.filesOfSession(head.id).filter((file) => files.isOwn(file));
  const paths = there.map(({ path }) => path);
  const project =
    head.project ??
    there[0]?.project ??
    memories.find(({ provenance, project: of }) => provenance.session === head.id && of !== PERSONAL_PROJECT)
      ?.project;
  if (!head.summary || project === undefined) return paths;
  const date = dateOf(head.startedAt);
  if (there.some((file) => file.archive && file.date.slice(0, 7) === date.slice(0, 7))) return paths;
  return [...new Set([...paths, dayPath(project, date, files.options)])];
}
