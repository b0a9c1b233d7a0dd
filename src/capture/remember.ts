/** Stores memories a user writes: one by command, or the facts of a file. Finds the project of the folder. */
import {
  checkTitle,
  contentHash,
  firstState,
  memoryId,
  type Memory,
  type MemoryDraft,
  type Project,
} from '../core/index.ts';
import { personalProject, type Stores, addMemories } from '../memory/index.ts';
import { redactDeep } from '../privacy/index.ts';
import { fileSnapshotOf } from './git/file-snapshot.ts';
import { EVERYWHERE, projectOfFolder } from './projects/projects.ts';

export interface RememberRequest {
  readonly draft: MemoryDraft;
  /** The folder it is about; without one the memory is personal. */
  readonly dir?: string;
}

export async function rememberFromUser(
  stores: Stores,
  { draft, dir }: RememberRequest,
  now: Date,
): Promise<Memory> {
  checkTitle(draft.title);
  const at = now.toISOString();
  const clean = redactDeep(draft).value;
  const turn = `person-${at}`;
  const place = await placeFor(stores, dir, at);
  const memory: Memory = {
    ...clean,
    id: memoryId(at, turn + clean.title, clean.kind, 0),
    project: place.project.id,
    at,
    state: clean.state ?? firstState(clean.kind),
    provenance: { agent: 'person', session: '', turn, messages: [], by: 'person' },
  };
  const { project, files } = memory;
  const footing = fileSnapshotOf({ turn, session: '', project, at }, files, place.root, now);
  if (footing) {
    await stores.ledger.append({ kind: 'footing', ...footing });
    stores.index.putFileSnapshot(footing);
  }
  const [entry] = await addMemories(stores, [memory], [], { again: true });
  return entry ?? memory;
}

export interface Extract {
  readonly drafts: readonly MemoryDraft[];
  readonly dir: string;
  /** The file's time. */
  readonly at: string;
}

/** Stores the facts of a file. The same file again adds nothing and restores nothing that was forgotten. */
export async function storeFacts(
  stores: Stores,
  { drafts, dir, at }: Extract,
): Promise<{ readonly added: readonly Memory[]; readonly known: number }> {
  const project = (await placeFor(stores, dir, at)).project.id;
  const memories = drafts.map((draft): Memory => {
    const clean = redactDeep(draft).value;
    const turn = `file-${contentHash(`${clean.kind}\n${clean.title}`).slice(0, 32)}`;
    return {
      ...clean,
      id: memoryId(at, turn, clean.kind, 0),
      project,
      at,
      state: clean.state ?? firstState(clean.kind),
      provenance: { agent: 'file', session: '', turn, messages: [], by: 'file' },
    };
  });
  const fresh = memories.filter(
    ({ id }) => stores.index.memory(id) === undefined && !stores.index.merged(id),
  );
  const added = await addMemories(stores, fresh, []);
  return { added, known: drafts.length - added.length };
}

async function placeFor(
  stores: Stores,
  dir: string | undefined,
  at: string,
): Promise<{ readonly project: Project; readonly root?: string }> {
  if (dir) return projectOfFolder(stores, dir, at, EVERYWHERE);
  return { project: await personalProject(stores, at) };
}
