/**
 * Makes the index again from journal, turn store and ledger. Nothing may be in the index that does not come from here,
 * or deleting it would lose something.
 */
import type { MemoryIndex } from '../index/index.ts';
import { indexedTurn, turnHash } from './keep.ts';
import { syncJournal } from './journal-sync.ts';
import type { LedgerRecord } from './ledger-record.ts';
import { noteSummary } from './model-summary.ts';
import { applyPause } from './pauses.ts';
import { applySession, summarizeSession, touchSession, wholeTurns } from './sessions.ts';
import { applySource, refreshSources } from './sources.ts';
import { BUILT, type Stores } from './stores.ts';
import { applyMerged } from './upkeep.ts';
import { metaKey } from './without-transcript.ts';

const TURNS_AT_ONCE = 200;

export interface Rebuilt {
  readonly memories: number;
  readonly turns: number;
  readonly sessions: number;
}

export type Progress = (done: { readonly step: string; readonly count: number }) => void;

export async function rebuildIndex(stores: Stores, progress: Progress = () => {}): Promise<Rebuilt> {
  stores.index.clear();
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
    if (session.endedAt) summarizeSession(stores, session.id, await wholeTurns(stores, session.id));
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

/** What a record of the ledger means for the index. */
export function applyRecord(index: MemoryIndex, record: LedgerRecord): void {
  switch (record.kind) {
    case 'project':
      return index.upsertProject(record.project);
    case 'session':
      return applySession(index, record);
    case 'distilled':
      return index.markDistilled(record.turn, record.by, record.memories);
    case 'injected':
      return index.recordInjection(
        record.memories.map(({ id, score }) => ({
          at: record.at,
          session: record.session,
          place: record.agent ? 'subagent' : record.where,
          promptId: record.prompt ?? '',
          memory: id,
          score,
        })),
      );
    case 'tombstone':
      return index.setTombstone(record);
    case 'prompt':
      return index.setMeta(metaKey(record.session), JSON.stringify(record));
    case 'paused':
      return applyPause(index, record);
    case 'redacted':
      return index.addRedactions(record.counts);
    case 'cost':
      return index.recordCost(record);
    case 'passed':
      return index.markPassed(record);
    case 'reply':
      return noteSummary(index, record);
    case 'merged':
      return applyMerged(index, record);
    case 'waiting':
      return index.putWaiting(record.memory);
    case 'review':
      return index.removeWaiting([record.memory]);
    case 'used':
      return index.recordUse([record]);
    case 'source':
      return applySource(index, record);
    case 'footing':
      return index.putFooting(record);
    case 'shared':
      return index.putShare(record);
    case 'outbox':
      return index.putOutgoing(record);
    case 'exchanged':
      return index.putExchanged(record);
    case 'conflict':
      return record.text === undefined
        ? index.removeConflicts([record.memory])
        : index.putConflict({ ...record, text: record.text });
    case 'dropped':
      return;
  }
}
