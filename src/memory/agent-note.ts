/**
 * Stores a note that the agent made with a tool, beside the other memories of its turn. Its id derives from the tool call,
 * so that the agent can name it at once, also while the turn is not stored yet.
 */
import {
  AGENT_MAKER,
  given,
  memoryId,
  type Memory,
  type MemoryKind,
  type Operation,
  type StoredTurn,
} from '../core/index.ts';
import { endedTarget } from './_ends.ts';
import { addMemories, memoriesOf } from './add-memories.ts';
import { queueOrStore } from './review.ts';
import type { Stores } from './stores.ts';

export interface NoteOf {
  readonly at: string;
  /** The client's id of the tool call. */
  readonly call: string;
  /** For an `end`: the memory that takes the place of the ended one. */
  readonly by?: string;
  readonly root?: string;
}

export interface StoredNote {
  /** The new memory, if the note adds one. */
  readonly memory?: Memory;
  readonly waits: boolean;
  readonly ended: readonly Memory[];
}

export function noteId(at: string, call: string, kind: MemoryKind): string {
  return memoryId(at, `note ${call || at}`, kind, 0);
}

/** `turn.session` is empty for a note that belongs to no session. */
export async function storeAgentNote(
  stores: Stores,
  turn: StoredTurn,
  operation: Operation,
  { at, call, by, root }: NoteOf,
): Promise<StoredNote> {
  const moment = { id: turn.id, startedAt: at };
  const end = (id: string, successor: string | undefined): readonly Memory[] =>
    endedTarget(stores, moment, id, { maker: AGENT_MAKER, ...given({ by: successor }) });
  if (operation.op === 'end') {
    const ended = end(operation.id, by);
    await put(stores, ended, turn, root);
    return { waits: false, ended: ended.map((memory) => stores.index.memory(memory.id) ?? memory) };
  }
  const [drafted] = memoriesOf([operation.draft], turn, AGENT_MAKER, root);
  if (!drafted) return { waits: false, ended: [] };
  const memory: Memory = { ...drafted, at, id: noteId(at, call, drafted.kind) };
  const waits = stores.needsReview(root) && stores.index.memory(memory.id) === undefined;
  if (waits) {
    const supersedes = operation.ends.length > 0 ? operation.ends : undefined;
    await put(stores, [{ ...memory, ...given({ supersedes }) }], turn, root);
    return { memory, waits, ended: [] };
  }
  const ended = operation.ends.flatMap((id) => end(id, memory.id));
  const [entry] = await put(stores, [memory, ...ended], turn, root);
  return { memory: stores.index.memory(memory.id) ?? entry ?? memory, waits, ended };
}

function put(
  stores: Stores,
  memories: readonly Memory[],
  turn: StoredTurn,
  root: string | undefined,
): Promise<readonly Memory[]> {
  if (memories.length === 0) return Promise.resolve([]);
  if (turn.session === '' && !stores.needsReview(root)) return addMemories(stores, memories, []);
  return queueOrStore(stores, memories, turn, root);
}
