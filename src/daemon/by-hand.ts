/** Memories a person makes or takes away by hand, through the CLI or the agent's tools. */
import {
  contentHash,
  memoryId,
  PERSONAL_PROJECT,
  TidemarkError,
  type Memory,
  type MemoryDraft,
  type Project,
} from '../model/index.ts';
import { redactDeep } from '../privacy/index.ts';
import { writeEntries } from './keep.ts';
import { EVERYWHERE, placeFolder } from './place-event.ts';
import type { Stores } from './stores.ts';

export interface ByHand {
  readonly draft: MemoryDraft;
  /** The folder it is about; none makes it personal. */
  readonly dir?: string;
}

export async function rememberByHand(stores: Stores, { draft, dir }: ByHand, now: Date): Promise<Memory> {
  const project = dir
    ? (await placeFolder(stores, dir, now.toISOString(), EVERYWHERE)).project
    : personalProject(stores);
  const at = now.toISOString();
  const clean = redactDeep(draft).value;
  const turn = `person-${at}`;
  const memory: Memory = {
    ...clean,
    id: memoryId(at, turn + clean.title, clean.kind, 0),
    project: project.id,
    at,
    state: clean.state ?? (clean.kind === 'issue' ? 'open' : 'current'),
    provenance: { agent: 'person', session: '', turn, messages: [], by: 'person' },
  };
  await writeEntries(stores, [memory], []);
  return memory;
}

/** Takes memories out of journal and index, and leaves a tombstone without text so that they stay away. */
export async function forgetMemories(
  stores: Stores,
  ids: readonly string[],
  now: Date,
): Promise<readonly string[]> {
  const memories = ids.map((id) => {
    const memory = stores.index.memory(id);
    if (memory) return memory;
    throw new TidemarkError('not-found', `no memory ${id}`, {
      hint: 'Find ids with: tidemark search <words>',
    });
  });
  const tombstones = memories.map((memory) => ({
    kind: 'tombstone' as const,
    at: now.toISOString(),
    memory: memory.id,
    turn: memory.provenance.turn,
    hash: contentHash(`${memory.kind}\n${memory.title}\n${memory.body}`),
    state: 'erased' as const,
  }));
  await stores.ledger.append(tombstones);
  for (const tombstone of tombstones) stores.index.setTombstone(tombstone);
  await stores.journal.remove(memories.map((memory) => memory.id));
  stores.index.removeMemories(memories.map((memory) => memory.id));
  stores.index.checkpoint();
  return memories.map((memory) => memory.id);
}

function personalProject(stores: Stores): Project {
  const known = stores.index.project(PERSONAL_PROJECT);
  if (known) return known;
  const project = { id: PERSONAL_PROJECT, name: PERSONAL_PROJECT, keys: [], paths: [] };
  stores.index.upsertProject(project);
  return project;
}
