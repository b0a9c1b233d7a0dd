/**
 * Finds and removes the invented sample project, which earlier versions stored in the user's memory. Recognises it by the
 * ids of its sessions, which no other session has. Keeps everything that the user's own sessions said.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Memory, Places } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { targetOf } from '../storage/journal/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import type { Stores } from './stores.ts';

/** The sessions in plugin/sample. */
export const SAMPLE_SESSIONS: readonly string[] = [
  '15a0980d-5670-562f-ad7a-8f80b6b1175a',
  '47ff6462-cc42-5d0c-a0f6-b8d672de3435',
  'd0073df2-be5e-50cc-abdb-9fc52ae18fe5',
];

export interface SampleFound {
  readonly project: string;
  readonly sessions: number;
  readonly memories: number;
  /** Memories in its project that the user's own sessions made: they stay. */
  readonly own: number;
}

export function findSample(index: MemoryIndex): SampleFound | undefined {
  const found = partsOf(index);
  if (!found) return undefined;
  const { project, sessions, memories, own } = found;
  return { project, sessions: sessions.length, memories: memories.length, own };
}

/** Call it only while nothing else uses the stores, and rebuild the index afterwards: it still has the sample. */
export async function removeSample(stores: Stores, places: Places): Promise<SampleFound | undefined> {
  const { index, journal, turns, ledger } = stores;
  const found = findSample(index);
  const parts = partsOf(index);
  if (!found || !parts) return undefined;
  const { project, sessions, memories, turns: said } = parts;
  await journal.remove(memories);
  for (const session of sessions) await journal.dropSession(session);
  await turns.erase(project, said);
  const isWhole = found.own === 0 && index.sessions({ project }).length === sessions.length;
  await ledger.erase(recordsOf(parts, isWhole));
  if (isWhole && targetOf(places.journal, project) === undefined)
    for (const folder of [places.journal, places.turns])
      await rm(join(folder, project), { recursive: true, force: true });
  return found;
}

interface Parts {
  readonly project: string;
  readonly sessions: readonly string[];
  readonly memories: readonly string[];
  readonly turns: readonly string[];
  readonly own: number;
}

function partsOf(index: MemoryIndex): Parts | undefined {
  const sessions = SAMPLE_SESSIONS.flatMap((id) => index.session(id) ?? []);
  const [first] = sessions;
  if (!first) return undefined;
  const { project } = first;
  const ids = sessions.map(({ id }) => id);
  const limit = Number.MAX_SAFE_INTEGER;
  const isInvented = ({ provenance }: Memory): boolean => ids.includes(provenance.session);
  // An own memory that says the same may be merged into one of the sample.
  const memories = ids
    .flatMap((session) => index.memoriesBy({ session, limit }))
    .filter(({ id }) => index.mergedInto(id).every(({ memory }) => isInvented(memory)))
    .map(({ id }) => id);
  return {
    project,
    sessions: ids,
    memories,
    turns: ids.flatMap((id) => index.turnsIn(id)).map(({ id }) => id),
    own:
      index.memoryCount({ project }) - memories.filter((id) => index.memory(id)?.project === project).length,
  };
}

/** Returns a test for the ledger records of the sample, and with `isWhole` for those of its project. */
function recordsOf(parts: Parts, isWhole: boolean): (record: LedgerRecord) => boolean {
  const [sessions, memories, turns] = [parts.sessions, parts.memories, parts.turns].map(
    (ids) => new Set(ids),
  );
  return (record) => {
    const { session, turn, memory, of, project } = record as Readonly<Record<string, unknown>>;
    const isOf = (ids: ReadonlySet<string> | undefined, id: unknown): boolean =>
      typeof id === 'string' && (ids?.has(id) ?? false);
    if (record.kind === 'merged' || record.kind === 'waiting')
      return isOf(sessions, record.memory.provenance.session);
    if (record.kind === 'project') return isWhole && record.project.id === parts.project;
    return (
      isOf(sessions, session) ||
      isOf(turns, turn) ||
      isOf(turns, of) ||
      isOf(memories, memory) ||
      (isWhole && project === parts.project)
    );
  };
}
