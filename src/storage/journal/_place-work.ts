/** Plans which memories and session heads go into which file. Writes nothing. */
import { PERSONAL_PROJECT, type Memory } from '../../core/index.ts';
import type { JournalFiles } from './_journal-files.ts';
import { dayPath } from './folders.ts';
import { dateOf } from './format/heading.ts';
import { tidyHead, tidyMemory } from './format/normalise.ts';
import type { JournalFile, SessionHead } from './types.ts';

/** The memories and heads for one file. */
export interface Work {
  readonly file: JournalFile;
  readonly memories: { readonly memory: Memory; readonly known: boolean }[];
  readonly heads: SessionHead[];
}

/** `skipped`: ids in files of another machine. */
export function planWrites(
  files: JournalFiles,
  memories: readonly Memory[],
  heads: readonly SessionHead[],
): { readonly work: readonly Work[]; readonly skipped: readonly string[] } {
  const skipped: string[] = [];
  const work = new Map<string, Work>();
  const at = (path: string): Work => {
    const known = work.get(path);
    if (known) return known;
    const added = { file: files.file(path), memories: [], heads: [] };
    work.set(path, added);
    return added;
  };
  const tidyHeads = heads.map(tidyHead);
  for (const memory of memories.map(tidyMemory)) {
    const found = files.catalogue.find(memory.id);
    if (found && !files.isOwn(found.file)) skipped.push(memory.id);
    else {
      const target = at(found?.path ?? dayPath(memory.project, dateOf(memory.at), files.options));
      target.memories.push({ memory, known: found !== undefined });
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

/** Returns the files for a head: every file with its session, and with a summary also the day the session began. */
function pathsOf(files: JournalFiles, head: SessionHead, memories: readonly Memory[]): readonly string[] {
  const own = files.catalogue.filesOfSession(head.id).filter((file) => files.isOwn(file));
  const paths = own.map(({ path }) => path);
  const project =
    head.project ??
    own[0]?.project ??
    memories.find(({ provenance, project: of }) => provenance.session === head.id && of !== PERSONAL_PROJECT)
      ?.project;
  if (!head.summary || project === undefined) return paths;
  const date = dateOf(head.startedAt);
  if (own.some((file) => file.archive && file.date.slice(0, 7) === date.slice(0, 7))) return paths;
  return [...new Set([...paths, dayPath(project, date, files.options)])];
}
