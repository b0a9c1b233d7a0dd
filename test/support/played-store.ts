/** A machine's memory played in memory, for the tests of the exchange: entries, what was forgotten, what was written down. */
import { TidemarkError, type Memory } from '../../src/core/index.ts';
import type {
  Agreed,
  Fate,
  ReplacedText,
  Note,
  OnItsWay,
  SharedStore,
  SharingChoice,
  Tombstone,
  SkippedChange,
  StoredEntry,
  Version,
} from '../../src/exchange/sync/index.ts';

export class PlayedStore implements SharedStore {
  readonly here = new Map<string, { memory: Memory; home: string | undefined }>();
  readonly forgotten = new Map<string, { state: 'hidden' | 'erased'; tombstone: Tombstone }>();
  readonly replaced: ReplacedText[] = [];
  /** Since when new entries wait, and what the user decided. */
  readonly choices = new Map<string, SharingChoice>();
  /** Memories that another process is writing. */
  readonly busy = new Set<string>();
  readonly #agreed = new Map<string, Agreed>();
  readonly #onTheirWay = new Map<string, OnItsWay>();
  readonly #machine: string;
  #cursor = 0;
  #skipped: readonly SkippedChange[] = [];

  constructor(machine: string) {
    this.#machine = machine;
  }

  write(memory: Memory): void {
    this.here.set(memory.id, { memory, home: this.here.get(memory.id)?.home });
  }

  forget(id: string, state: 'hidden' | 'erased'): void {
    const turn = this.here.get(id)?.memory.provenance.turn ?? '';
    this.here.delete(id);
    this.forgotten.set(id, { state, tombstone: { id, turn, hash: 'h' } });
  }

  /** As after the index was deleted: what is in no ledger is lost. */
  loseCursor(): void {
    this.#cursor = 0;
    this.#skipped = [];
  }

  entries(project: string): readonly Memory[] {
    return [...this.here.values()].map(({ memory }) => memory).filter((memory) => memory.project === project);
  }

  entry(project: string, id: string): StoredEntry | undefined {
    const found = this.here.get(id);
    return found?.memory.project === project ? found : undefined;
  }

  fate(project: string, id: string): Fate {
    const found = this.here.get(id);
    if (found && found.memory.project !== project) return 'moved';
    return this.forgotten.get(id)?.state ?? 'missing';
  }

  tombstone(id: string): Tombstone | undefined {
    return this.forgotten.get(id)?.tombstone;
  }

  paths() {
    return { userHome: '/home/ada', project: ['/home/ada/code/app'] };
  }

  agreed(): ReadonlyMap<string, Agreed> {
    return this.#agreed;
  }

  agreedOn(_remote: string, id: string): Agreed | undefined {
    return this.#agreed.get(id);
  }

  isOnItsWay(_remote: string, id: string): OnItsWay | undefined {
    return this.#onTheirWay.get(id);
  }

  onTheirWay(): ReadonlyMap<string, OnItsWay> {
    return this.#onTheirWay;
  }

  sharing(): ReadonlyMap<string, SharingChoice> {
    return this.choices;
  }

  cursor(): number {
    return this.#cursor;
  }

  setCursor(_remote: string, cursor: number): void {
    this.#cursor = cursor;
  }

  skipped(): readonly SkippedChange[] {
    return this.#skipped;
  }

  setSkipped(_remote: string, skipped: readonly SkippedChange[]): void {
    this.#skipped = skipped;
  }

  async note(_remote: string, notes: readonly Note[]): Promise<void> {
    for (const note of notes) {
      if (note.kind === 'waits') this.choices.set(note.memory, { state: 'waiting', at: note.at });
      if (note.kind === 'replaced text') this.replaced.push(note);
      if (note.kind === 'on its way') this.#onTheirWay.set(note.memory, note);
      if (note.kind !== 'agreed') continue;
      this.#agreed.set(note.memory, note);
      const waits = this.#onTheirWay.get(note.memory);
      if (waits && !isAfter(waits.version, note.version)) this.#onTheirWay.delete(note.memory);
    }
  }

  async take(memory: Memory, home: string): Promise<Memory> {
    if (this.busy.has(memory.id)) throw new TidemarkError('team.again', 'another process is writing');
    const before = this.here.get(memory.id);
    this.here.set(memory.id, {
      memory,
      home: before ? before.home : home === this.#machine ? undefined : home,
    });
    return memory;
  }

  async drop(_project: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) this.here.delete(id);
  }

  async bury(_project: string, tombstone: Tombstone): Promise<void> {
    this.here.delete(tombstone.id);
    this.forgotten.set(tombstone.id, { state: 'erased', tombstone });
  }
}

function isAfter(a: Version, b: Version): boolean {
  return a.clock > b.clock || (a.clock === b.clock && a.machine > b.machine);
}
