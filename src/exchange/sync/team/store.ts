/** Implements the exchange's store on journal, ledger and index. */
import { homedir } from 'node:os';
import { applyRecord } from '../../../capture/index.ts';
import { given, shortId, TidemarkError, type Memory, type Places } from '../../../core/index.ts';
import type { Exchanged, Outgoing } from '../../../database/index.ts';
import { eraseLeftovers, forgetMemories, type Stores } from '../../../memory/index.ts';
import type { LedgerRecord } from '../../../storage/ledger/index.ts';
import type { Agreed, Note, OnItsWay, SharedStore } from '../index.ts';

export function teamStore(stores: Stores, places: Places, machine: string): SharedStore {
  const { index, journal } = stores;
  // A hand-written entry has a provisional id until the editor is idle; sent now, it would become a second entry.
  const isBeingWritten = ({ id, provenance }: Memory): boolean =>
    provenance.turn === '' && provenance.by === 'person' && journal.hasDerivedId(id);
  const cameFrom = (project: string, id: string): boolean =>
    index.shares().some((one) => one.project === project && index.exchangedOne(one.remote, id) !== undefined);
  return {
    entries: (project) =>
      index
        .memoriesBy({ project, limit: Number.MAX_SAFE_INTEGER })
        .filter((memory) => !isBeingWritten(memory)),
    entry(project, id) {
      const found = journal.find(id);
      if (found?.memory.project !== project || index.isForgotten(id)) return undefined;
      const home = journal.writerOf(id);
      return { memory: found.memory, home: home === false ? undefined : home };
    },
    fate(project, id) {
      const state = index.tombstone(id)?.state;
      if (state === 'hidden' || state === 'erased') return state;
      const elsewhere = journal.find(id);
      if (elsewhere) return elsewhere.memory.project === project ? 'missing' : 'moved';
      return index.merged(id) ? 'merged' : 'missing';
    },
    tombstone(id) {
      const found = index.tombstone(id);
      return found && { id, turn: found.turn, hash: found.hash };
    },
    paths: (project) => ({ userHome: homedir(), project: index.project(project)?.paths ?? [] }),
    agreed: (remote) => new Map(index.exchanged(remote).map((one) => [one.memory, agreedOf(one)])),
    agreedOn(remote, id) {
      const one = index.exchangedOne(remote, id);
      return one && agreedOf(one);
    },
    onTheirWay: (remote) => new Map(index.outgoing(remote).map((one) => [one.memory, onItsWay(one)])),
    isOnItsWay(remote, id) {
      const one = index.outgoingOne(remote, id);
      return one && onItsWay(one);
    },
    sharing: () => new Map(index.sharing().map(({ memory, state, at }) => [memory, { state, at }])),
    cursor: (remote) => index.teamCursor(remote),
    setCursor: (remote, cursor) => index.setTeamCursor(remote, cursor),
    skipped: (remote) => index.teamSkipped(remote),
    setSkipped: (remote, skipped) => index.setTeamSkipped(remote, skipped),
    note(remote, notes) {
      const at = new Date().toISOString();
      return appendRecords(
        stores,
        notes.map((note) => recordOf(remote, note, at)),
      );
    },
    async take(memory, home, seen) {
      const found = await journal.take(memory, home === machine ? undefined : home, seen);
      if (!found)
        throw new TidemarkError('team.again', `${memory.id} is being edited`, {
          hint: 'It is retried automatically.',
        });
      index.upsertMemories([{ memory: found.memory, journal: found.path, line: found.line }]);
      return found.memory;
    },
    async drop(project, ids) {
      await journal.remove(ids);
      index.removeMemories(ids);
    },
    async bury(project, { id, turn, hash }) {
      if (index.tombstone(id)?.state === 'erased') return;
      const at = new Date();
      const here = index.memory(id);
      if (here?.id !== id || index.isForgotten(id))
        return eraseLeftovers(stores, places, { at: at.toISOString(), memory: id, turn, hash, project });
      // A member can name any id. In another project only an entry is erased that was moved there from this one.
      if (here.project !== project && (here.author === undefined || !cameFrom(project, id))) return;
      // The user's own entry is not erased at once: it can be restored for a day.
      await forgetMemories(stores, places, [id], { at, erase: here.author !== undefined });
    },
  };
}

/** Writes the ledger first, because the index is built from it. */
export async function appendRecords(stores: Stores, records: readonly LedgerRecord[]): Promise<void> {
  await stores.ledger.append(records);
  stores.index.transaction(() => records.forEach((record) => applyRecord(stores.index, record)));
}

/**
 * Deletes replaced texts that the user has seen.
 * @returns the ids among these that had one
 */
export async function settleConflicts(stores: Stores, ids: readonly string[]): Promise<readonly string[]> {
  const at = new Date().toISOString();
  const found = stores.index
    .conflicts()
    .filter(({ memory }) => ids.includes(memory) || ids.includes(shortId(memory)));
  const settled = new Set(found.map(({ memory }) => memory));
  await stores.ledger.erase((record) => record.kind === 'conflict' && settled.has(record.memory));
  await appendRecords(
    stores,
    found.map(({ remote, memory, lost, machine }) => ({
      kind: 'conflict',
      at,
      remote,
      memory,
      lost,
      machine,
    })),
  );
  return [...new Set(found.map(({ memory }) => memory))];
}

function agreedOf({ memory, state, clock, machine, hash, home, author }: Exchanged): Agreed {
  return { memory, state, version: { clock, machine }, hash, ...given({ home, author }) };
}

function onItsWay({ memory, action, clock, machine, hash }: Outgoing): OnItsWay {
  return { memory, action, version: { clock, machine }, hash };
}

function recordOf(remote: string, note: Note, at: string): LedgerRecord {
  switch (note.kind) {
    case 'agreed': {
      const { version, kind: _, ...rest } = note;
      return { kind: 'exchanged', at, remote, ...rest, ...version };
    }
    case 'on its way': {
      const { version, kind: _, ...rest } = note;
      return { kind: 'outbox', at, remote, ...rest, ...version };
    }
    case 'waits':
      return { kind: 'sharing', at: note.at, memory: note.memory, state: 'waiting' };
    case 'replaced text': {
      const { memory, lost, text, machine } = note;
      return { kind: 'conflict', at, remote, memory, lost, machine, text };
    }
  }
}
