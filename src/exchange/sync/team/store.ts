/** Implements the exchange's store on journal, ledger and index. */
import { homedir } from 'node:os';
import { applyRecord } from '../../../capture/index.ts';
import { given, TidemarkError, type Memory, type Places } from '../../../core/index.ts';
import type { Exchanged, Outgoing, Skipped } from '../../../database/index.ts';
import { forgetMemories, type Stores } from '../../../memory/index.ts';
import type { LedgerRecord } from '../../../storage/ledger/index.ts';
import type {
  Agreed,
  Fate,
  Note,
  OnItsWay,
  SharedStore,
  Tombstone as SharedTombstone,
  StoredEntry,
} from '../index.ts';

export function teamStore(stores: Stores, places: Places, machine: string): SharedStore {
  return new TeamStore(stores, places, machine);
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
  const found = stores.index.conflicts().filter(({ memory }) => ids.includes(memory));
  await stores.ledger.erase((record) => record.kind === 'conflict' && ids.includes(record.memory));
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

class TeamStore implements SharedStore {
  readonly #stores: Stores;
  readonly #places: Places;
  readonly #machine: string;

  constructor(stores: Stores, places: Places, machine: string) {
    this.#stores = stores;
    this.#places = places;
    this.#machine = machine;
  }

  entries(project: string): readonly Memory[] {
    const all = this.#stores.index.memoriesBy({ project, limit: Number.MAX_SAFE_INTEGER });
    return all.filter((memory) => !this.#isBeingWritten(memory));
  }

  /** A hand-written entry has a provisional id until the editor is idle; sent now, it would become a second entry. */
  #isBeingWritten({ id, provenance }: Memory): boolean {
    return provenance.turn === '' && provenance.by === 'person' && this.#stores.journal.isUnnamed(id);
  }

  entry(project: string, id: string): StoredEntry | undefined {
    const found = this.#stores.journal.find(id);
    if (found?.memory.project !== project || this.#stores.index.isForgotten(id)) return undefined;
    const home = this.#stores.journal.homeOf(id);
    return { memory: found.memory, home: home === false ? undefined : home };
  }

  fate(project: string, id: string): Fate {
    const { index, journal } = this.#stores;
    const state = index.tombstone(id)?.state;
    if (state === 'hidden' || state === 'erased') return state;
    const elsewhere = journal.find(id);
    if (elsewhere) return elsewhere.memory.project === project ? 'missing' : 'moved';
    return index.merged(id) ? 'merged' : 'missing';
  }

  tombstone(id: string): SharedTombstone | undefined {
    const found = this.#stores.index.tombstone(id);
    return found && { id, turn: found.turn, hash: found.hash };
  }

  paths(project: string) {
    return { userHome: homedir(), project: this.#stores.index.project(project)?.paths ?? [] };
  }

  agreed(remote: string): ReadonlyMap<string, Agreed> {
    return new Map(this.#stores.index.exchanged(remote).map((one) => [one.memory, agreedOf(one)]));
  }

  agreedOn(remote: string, id: string): Agreed | undefined {
    const one = this.#stores.index.exchangedOne(remote, id);
    return one && agreedOf(one);
  }

  onTheirWay(remote: string): ReadonlyMap<string, OnItsWay> {
    return new Map(this.#stores.index.outgoing(remote).map((one) => [one.memory, onItsWay(one)]));
  }

  isOnItsWay(remote: string, id: string): OnItsWay | undefined {
    const one = this.#stores.index.outgoingOne(remote, id);
    return one && onItsWay(one);
  }

  cursor(remote: string): number {
    return this.#stores.index.teamCursor(remote);
  }

  setCursor(remote: string, cursor: number): void {
    this.#stores.index.setTeamCursor(remote, cursor);
  }

  skipped(remote: string): readonly Skipped[] {
    return this.#stores.index.teamSkipped(remote);
  }

  setSkipped(remote: string, skipped: readonly Skipped[]): void {
    this.#stores.index.setTeamSkipped(remote, skipped);
  }

  note(remote: string, notes: readonly Note[]): Promise<void> {
    const at = new Date().toISOString();
    return appendRecords(
      this.#stores,
      notes.map((note) => recordOf(remote, note, at)),
    );
  }

  async take(memory: Memory, home: string, seen: Memory | undefined): Promise<Memory> {
    const { journal, index, pages } = this.#stores;
    const found = await journal.take(memory, home === this.#machine ? undefined : home, seen);
    if (!found)
      throw new TidemarkError('team.again', `${memory.id} is being edited`, {
        hint: 'It is retried automatically.',
      });
    index.upsertMemories([{ memory: found.memory, journal: found.path, line: found.line }]);
    pages.touch(memory.project);
    return found.memory;
  }

  async drop(project: string, ids: readonly string[]): Promise<void> {
    await this.#stores.journal.remove(ids);
    this.#stores.index.removeMemories(ids);
    this.#stores.pages.touch(project);
  }

  /** The user's own entry can be restored for a day. */
  async bury(project: string, { id, turn, hash }: SharedTombstone): Promise<void> {
    const { index } = this.#stores;
    const at = new Date();
    if (index.isForgotten(id)) return;
    const here = index.memory(id);
    if (here?.id === id && here.project === project) {
      await forgetMemories(this.#stores, this.#places, [id], { at, erase: here.author !== undefined });
      return;
    }
    await appendRecords(this.#stores, [
      { kind: 'tombstone', at: at.toISOString(), memory: id, turn, hash, state: 'erased' },
    ]);
  }
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
    case 'replaced text': {
      const { memory, lost, text, machine } = note;
      return { kind: 'conflict', at, remote, memory, lost, machine, text };
    }
  }
}
