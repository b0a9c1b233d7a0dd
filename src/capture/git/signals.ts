/**
 * Signals of memories as seen from one work tree: whether their files changed, whether their branch is merged, how often
 * they were used. Created for one question; reads a bounded number of bytes.
 */
import { statSync } from 'node:fs';
import { PERSONAL_PROJECT, type Memory } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import type { FileChange, FilesNow, Signals } from '../../recall/index.ts';
import { branchState, type Branches } from './branches.ts';
import { GONE, ReadBudget, type FileStates } from './file-states.ts';
import type { Repository } from './repository.ts';

/** About ten milliseconds of reading and hashing; after that, sizes and times are compared. */
const READ_BYTES = 8 * 1024 * 1024;
/** How many branches of a project are compared; older ones are merged or abandoned. */
export const KNOWN_HEADS = 500;

export interface Viewpoint {
  /** Undefined without a folder: then every memory is seen from its own project's folder. */
  readonly project?: string;
  readonly root?: string;
  readonly repository?: Repository | undefined;
}

export interface GitState {
  readonly states: FileStates;
  readonly branches: Branches;
}

export function signalsFrom(index: MemoryIndex, { states, branches }: GitState, from: Viewpoint): Signals {
  const budget = new ReadBudget(READ_BYTES);
  const seen = new Map<string, FilesNow>();
  const roots = new Map<string, string | undefined>();
  const rootOf = (project: string): string | undefined => {
    if (project === from.project) return from.root;
    if (!roots.has(project)) roots.set(project, index.project(project)?.paths.find(isFolder));
    return roots.get(project);
  };
  const { repository, project } = from;
  const view = repository && project && branches.view(repository, index.branchHeads(project, KNOWN_HEADS));
  return {
    files(memory) {
      const known = seen.get(memory.id) ?? filesNow(index, memory, rootOf(memory.project), states, budget);
      seen.set(memory.id, known);
      return known;
    },
    branch(memory) {
      const { branch } = memory;
      if (!repository?.branch || !branch || branch === repository.branch) return 'here';
      if (memory.project !== project) return 'here';
      const head = index.fileSnapshot(memory.provenance.turn)?.head;
      return branchState(view || undefined, repository.branch, { branch, ...(head ? { head } : {}) });
    },
    opened: (memories) => index.openedIn(memories),
  };
}

function filesNow(
  index: MemoryIndex,
  memory: Memory,
  root: string | undefined,
  states: FileStates,
  budget: ReadBudget,
): FilesNow {
  if (root === undefined || memory.files.length === 0 || memory.project === PERSONAL_PROJECT)
    return { known: 0, changes: [] };
  const fileSnapshots = index.fileSnapshotsOf(memory);
  let known = 0;
  const changes: FileChange[] = [];
  for (const file of memory.files) {
    const before = fileSnapshots.flatMap(({ files }) => files[file] ?? []);
    const state = before.length > 0 ? states.look(root, file, budget) : undefined;
    if (!state) continue;
    known++;
    if (before.includes(state.blob)) continue;
    if (state.blob === GONE) changes.push({ file, how: 'gone' });
    else changes.push({ file, how: 'changed', at: new Date(state.modifiedAt).toISOString() });
  }
  return { known, changes };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
