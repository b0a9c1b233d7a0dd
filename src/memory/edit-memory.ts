/** Changes memories on the user's command: edit, settle, supersede, move, merge. Later merges keep the user's decisions. */
import {
  checkTitle,
  firstState,
  PERSONAL_PROJECT,
  revisionOf,
  shortId,
  TidemarkError,
  type Memory,
} from '../core/index.ts';
import { redactDeep } from '../privacy/index.ts';
import type { MemoryPatch, StateChange } from '../storage/journal/index.ts';
import { linkedTo, mergeForUser, unmergeForUser, reconcileAgain } from './add-memories.ts';
import { noMemory } from './find-by-id.ts';
import { changeBetween, recordChanges } from './record-change.ts';
import { personalProject } from './personal-project.ts';
import type { Stores } from './stores.ts';

/** Throws TidemarkError `conflict` if the entry has changed since the given revision. */
export function checkRevision(stores: Pick<Stores, 'index'>, id: string, revision: string | undefined): void {
  const memory = stores.index.memory(id);
  if (revision === undefined || !memory || revisionOf(memory) === revision) return;
  throw new TidemarkError('conflict', `${id} has changed meanwhile`, {
    hint: 'Look at its current text, then change it again.',
  });
}

/** Changes the text of a memory. An empty reason removes the reason; an empty or long title is refused. */
export async function editMemory(stores: Stores, id: string, patch: MemoryPatch): Promise<Memory> {
  const memory = known(stores, id);
  if (patch.title?.trim() === '')
    throw new TidemarkError('usage', 'a memory needs a title', {
      hint: `To remove it: tidemark forget ${shortId(memory.id)}`,
    });
  checkTitle(patch.title ?? '');
  const links = linkedTo(stores, memory.id);
  if (!(await stores.journal.update(memory.id, redactDeep(patch).value))) throw notWritten(memory);
  readBack(stores, memory.id);
  await reconcileAgain(stores, memory.project, [memory.id, ...links]);
  return recorded(stores, memory);
}

/** Closes issues, or opens them again. With `done` false, a superseded memory that is no issue becomes current again. */
export async function settleMemories(
  stores: Stores,
  ids: readonly string[],
  done: boolean,
): Promise<readonly Memory[]> {
  const memories = ids.map((id) => known(stores, id));
  const wrong = memories.find(({ kind }) => done && kind !== 'issue');
  if (wrong)
    throw new TidemarkError(
      'usage',
      `${shortId(wrong.id)} is a ${wrong.kind}: only an issue can be resolved`,
      {
        hint: 'To replace a memory by another: tidemark supersede <old> <new>',
      },
    );
  for (const memory of memories) {
    const open = firstState(memory.kind);
    await setState(stores, memory, { state: done ? 'resolved' : open, supersededBy: '' });
  }
  for (const { id, project } of memories)
    await reconcileAgain(stores, project, [id, ...linkedTo(stores, id)]);
  const settled: Memory[] = [];
  for (const memory of memories) settled.push(await recorded(stores, memory));
  return settled;
}

/** Replaces the old memory by the other and links both. */
export async function supersedeMemory(
  stores: Stores,
  old: string,
  by: string,
): Promise<readonly [Memory, Memory]> {
  const [before, after] = [known(stores, old), known(stores, by)];
  if (before.id === after.id) throw new TidemarkError('usage', 'a memory cannot replace itself');
  await setState(stores, before, { state: 'superseded', supersededBy: after.id });
  if (before.project === after.project) await reconcileAgain(stores, after.project, [before.id, after.id]);
  else {
    const supersedes = [...new Set([...(after.supersedes ?? []), before.id])];
    await setState(stores, after, { state: after.state, supersedes });
  }
  return [await recorded(stores, before), known(stores, after.id)];
}

/** Moves a memory and what is merged into it to another project. Later distilling does not move it back. */
export async function moveMemory(stores: Stores, id: string, project: string): Promise<Memory> {
  const memory = known(stores, id);
  if (project === PERSONAL_PROJECT) await personalProject(stores, new Date().toISOString());
  if (!stores.index.project(project))
    throw new TidemarkError('not-found', `there is no project ${project}`, {
      hint: 'Projects are listed by: tidemark projects',
    });
  if (memory.project === project) {
    const where = project === PERSONAL_PROJECT ? 'already applies everywhere' : `is already in ${project}`;
    throw new TidemarkError('usage', `${shortId(memory.id)} ${where}`);
  }
  const links = linkedTo(stores, memory.id);
  const pinned = stores.journal.userChanges([memory.id]).get(memory.id)?.held;
  const merged = stores.index.mergedInto(memory.id).map((one) => ({
    kind: 'merged' as const,
    at: one.memory.at,
    memory: { ...one.memory, project },
    into: memory.id,
    by: one.by,
  }));
  if (merged.length > 0) await stores.ledger.append(merged);
  if (!(await stores.journal.move(memory.id, project))) throw notWritten(memory);
  for (const record of merged) stores.index.putMerged(record);
  if (pinned) await stores.journal.setState(memory.id, memory);
  readBack(stores, memory.id);
  await reconcileAgain(stores, project, [memory.id]);
  await reconcileAgain(
    stores,
    memory.project,
    links.filter((link) => link !== memory.id),
  );
  return known(stores, memory.id);
}

/** Merges the others into the first one. */
export async function mergeMemories(stores: Stores, ids: readonly string[]): Promise<Memory> {
  const [target, ...others] = ids.map((id) => known(stores, id));
  if (!target || others.length === 0) throw new TidemarkError('usage', 'name two memories or more to merge');
  const wrong = others.find(({ project, id }) => project !== target.project || id === target.id);
  if (wrong)
    throw new TidemarkError('usage', `${shortId(wrong.id)} cannot be merged into ${shortId(target.id)}`, {
      hint: 'Only different memories of one project can be merged.',
    });
  await mergeForUser(stores, target, others);
  return known(stores, target.id);
}

/** Undoes merges of the user, by the id of the remaining entry or of a merged memory. */
export async function unmergeMemories(stores: Stores, ids: readonly string[]): Promise<readonly Memory[]> {
  const merged = ids.flatMap((id) => {
    const one = stores.index.merged(id);
    const all = one ? [one] : stores.index.mergedInto(known(stores, id).id);
    const byPerson = all.filter(({ by }) => by === 'person');
    if (byPerson.length > 0) return byPerson;
    throw new TidemarkError('not-found', `nothing was merged into ${id} by hand`, {
      hint: 'Name the memory that the others were merged into: tidemark merge --undo <id>',
    });
  });
  return unmergeForUser(stores, merged);
}

/** Records the difference to the memory as it was, and returns it as it is. */
async function recorded(stores: Stores, before: Memory): Promise<Memory> {
  const after = known(stores, before.id);
  const change = changeBetween(before, after, new Date());
  if (change) await recordChanges(stores, [change]);
  return after;
}

async function setState(stores: Stores, memory: Memory, change: StateChange): Promise<void> {
  if (!(await stores.journal.setState(memory.id, change))) throw notWritten(memory);
  readBack(stores, memory.id);
}

/** Updates the index with the entry as the journal has it now. */
function readBack(stores: Stores, id: string): void {
  const found = stores.journal.find(id);
  if (found) stores.index.upsertMemories([{ memory: found.memory, journal: found.path, line: found.line }]);
}

function known(stores: Stores, id: string): Memory {
  const memory = stores.index.memory(id);
  if (memory) return memory;
  throw noMemory(stores.index, id);
}

function notWritten({ id }: Memory): TidemarkError {
  return new TidemarkError('not-found', `${shortId(id)} is in no file of the journal`, {
    hint: 'Run: tidemark doctor',
  });
}
