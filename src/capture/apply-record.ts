/** Applies one record of the ledger to the index. A rebuild replays them all; an import and the team exchange apply new ones. */
import type { MemoryIndex } from '../database/index.ts';
import { applyMerged, applySession, promptKey, putImportedSummary } from '../memory/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { putPending } from './agent-notes.ts';
import { applySource } from './known-sources.ts';
import { applyPause } from './pauses.ts';
import { injectionsIn } from './record-use.ts';

export function applyRecord(index: MemoryIndex, record: LedgerRecord): void {
  switch (record.kind) {
    case 'project':
      return index.upsertProject(record.project);
    case 'session':
      return applySession(index, record);
    case 'distilled':
      return index.markDistilled(record.turn, record.by, record.memories);
    case 'injected':
      return index.recordInjection(injectionsIn(record));
    case 'tombstone':
      return index.setTombstone(record);
    case 'prompt':
      return index.setMeta(promptKey(record.session), JSON.stringify(record));
    case 'paused':
      return applyPause(index, record);
    case 'redacted':
      return index.addRedactions(record.counts);
    case 'passed':
      return index.markPassed(record);
    case 'summary':
      return putImportedSummary(index, record);
    case 'merged':
      return applyMerged(index, record);
    case 'waiting':
      return index.putWaiting(record.memory);
    case 'noted':
      return putPending(index, record);
    case 'changed':
      return index.putChange(record);
    case 'review':
      return index.removeWaiting([record.memory]);
    case 'opened':
      return index.recordOpened([record]);
    case 'source':
      return applySource(index, record);
    case 'footing':
      return index.putFileSnapshot(record);
    case 'shared':
      return index.putShare(record);
    case 'outbox':
      return index.putOutgoing(record);
    case 'sharing':
      return index.putSharing(record);
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
