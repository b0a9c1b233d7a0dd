/**
 * Fills an empty index from journal, turn store and ledger. Everything in the index must come from these stores, because
 * the index may be deleted at any time.
 */
import { existsSync, renameSync } from 'node:fs';
import { applyRecord } from '../../capture/index.ts';
import { indexedTurn, MemoryIndex, turnHash } from '../../database/index.ts';
import { refreshSources } from '../../exchange/import/index.ts';
import {
  syncJournal,
  summarizeSession,
  touchSession,
  sessionTurns,
  BUILT,
  REBUILT,
  removeIndex,
  type Stores,
} from '../../memory/index.ts';

const TURNS_AT_ONCE = 200;

export interface Rebuilt {
  readonly memories: number;
  readonly turns: number;
  readonly sessions: number;
}

export interface RebuildProgress {
  readonly step: string;
  readonly count: number;
}

export type Progress = (done: RebuildProgress) => void;

/**
 * Builds a new index beside the old one and replaces the old one with it. Until then the old one answers, and an
 * interrupted build leaves nothing. Closes the old index. `why` is shown by `doctor`; empty when the user asked. `finish`
 * gets the stores with the new index before anyone reads it.
 */
export async function replaceIndex(
  path: string,
  stores: Stores,
  why: string,
  progress: Progress = () => {},
  finish: (stores: Stores) => Promise<void> = async () => {},
): Promise<{ readonly index: MemoryIndex; readonly rebuilt: Rebuilt }> {
  const beside = `${path}.new`;
  removeIndex(beside);
  const index = MemoryIndex.open(beside);
  let rebuilt: Rebuilt;
  try {
    rebuilt = await rebuildIndex({ ...stores, index }, progress);
    await finish({ ...stores, index });
    if (why !== '' && rebuilt.memories + rebuilt.turns > 0)
      index.setMeta(REBUILT, JSON.stringify({ at: new Date().toISOString(), why }));
    if (existsSync(path)) takeVectors(index, path);
    index.checkpoint();
  } finally {
    index.close();
  }
  stores.index.close();
  // The old log must be removed before the rename, or SQLite would take it for the log of the new file.
  removeIndex(path);
  renameSync(beside, path);
  return { index: MemoryIndex.open(path), rebuilt };
}

export async function rebuildIndex(stores: Stores, progress: Progress = () => {}): Promise<Rebuilt> {
  let records = 0;
  for await (const record of stores.ledger.read()) {
    applyRecord(stores.index, record);
    if (++records % 1000 === 0) progress({ step: 'ledger', count: records });
  }
  let turns = 0;
  let batch: ReturnType<typeof indexedTurn>[] = [];
  for await (const { turn, location } of stores.turns.scan()) {
    if (stores.index.isForgottenTurn(turn.id)) continue;
    batch.push(indexedTurn(turn, location, turnHash(turn)));
    if (++turns % TURNS_AT_ONCE !== 0) continue;
    stores.index.upsertTurns(batch);
    batch = [];
    progress({ step: 'turns', count: turns });
  }
  stores.index.upsertTurns(batch);
  for (const session of stores.index.sessions({ limit: Number.MAX_SAFE_INTEGER })) {
    touchSession(stores, session.id);
    if (session.endedAt) summarizeSession(stores, session.id, await sessionTurns(stores, session.id));
  }
  await syncJournal(stores);
  refreshSources(stores);
  expectGrowth(stores);
  stores.index.setMeta(BUILT, new Date().toISOString());
  const { memories, sessions, turns: indexed } = stores.index.stats();
  return { memories, sessions, turns: indexed };
}

/** Read positions are not stored elsewhere: the sweep reads transcripts that may still grow from the start. */
function expectGrowth(stores: Stores): void {
  for (const session of stores.index.sessions({ limit: Number.MAX_SAFE_INTEGER })) {
    if (!session.transcript || session.status !== 'active') continue;
    const { id, project, transcript } = session;
    stores.index.setTranscript({
      path: transcript,
      session: id,
      project,
      readOffset: 0,
      size: -1,
      inode: 0,
      mtime: 0,
      headHash: '',
    });
  }
}

/** Vectors take minutes to make. A damaged old index must not stop the build; then they are made again. */
function takeVectors(index: MemoryIndex, path: string): void {
  try {
    index.takeVectorsFrom(path);
  } catch {
    // They are made again in the background.
  }
}
