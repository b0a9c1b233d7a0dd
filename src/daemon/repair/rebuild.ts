/**
 * Fills an empty index from journal, turn store and ledger. Everything in the index must come from these stores, because
 * the index may be deleted at any time.
 */
import { applyRecord } from '../../capture/index.ts';
import { indexedTurn, turnHash } from '../../database/index.ts';
import { refreshSources } from '../../exchange/import/index.ts';
import {
  syncJournal,
  summarizeSession,
  touchSession,
  sessionTurns,
  BUILT,
  type Stores,
} from '../../memory/index.ts';

const TURNS_AT_ONCE = 200;

export interface Rebuilt {
  readonly memories: number;
  readonly turns: number;
  readonly sessions: number;
}

export type Progress = (done: { readonly step: string; readonly count: number }) => void;

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

/** How far transcripts were read is not kept: those that may still grow are read again from the start by the sweep. */
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
