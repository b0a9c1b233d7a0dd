/** What is done once a day, or when somebody asks: old days fold into months, a snapshot is taken, one is brought back. */
import type { Config } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import { archiveDays, type ArchiveArgs, type Stores } from '../../memory/index.ts';
import {
  backupFolder,
  isSnapshotDue,
  takeSnapshot,
  Snapshots,
  type SnapshotProgress,
} from '../../storage/snapshots/index.ts';
import { layOut, needsConsent } from '../repair/restore.ts';

export interface RestoreArgs {
  readonly name: string;
  /** A folder of snapshots other than the usual one. */
  readonly from?: string;
  readonly yes?: boolean;
}

export interface ChoresOptions {
  readonly places: Places;
  readonly stores: Stores;
  readonly config: Config;
  readonly tell: (what: string, facts: object) => void;
  readonly onFailure: (what: string, error: unknown) => void;
}

export class Chores {
  readonly #options: ChoresOptions;
  readonly #closing = new AbortController();
  #snapshot: Promise<void> | undefined;
  /** The last day on which old days were folded. */
  #archivedOn = '';

  constructor(options: ChoresOptions) {
    this.#options = options;
  }

  async daily(now: Date): Promise<void> {
    await this.#archiveDaily(now);
    await this.#snapshotIfDue(now);
  }

  /** A snapshot under way is given up. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#snapshot;
  }

  archive({ days = this.#options.config['journal.archiveDays'], dryRun = false }: Partial<ArchiveArgs>) {
    return archiveDays(this.#options.stores, { days, dryRun }, new Date());
  }

  backups(folder?: string): string {
    const { places, config } = this.#options;
    return folder ?? backupFolder(places, config);
  }

  async backup(to: string | undefined, progress: SnapshotProgress) {
    await this.#snapshot;
    return takeSnapshot(this.#options.places, this.backups(to), new Date(), progress);
  }

  /** What is here goes into a snapshot first: a restore can be taken back by another. */
  async restore({ name, from, yes = false }: RestoreArgs) {
    const { places, stores } = this.#options;
    const { memories, turns } = stores.index.stats();
    const folder = this.backups(from);
    await new Snapshots(folder).read(name); // nobody is asked to agree to what is not there
    needsConsent(memories, yes);
    const { name: chosen } = await new Snapshots(folder).verify(name);
    const before =
      memories + turns > 0 ? await new Snapshots(this.backups()).take(places, new Date()) : undefined;
    const buried = [];
    for await (const record of stores.ledger.read()) if (record.kind === 'tombstone') buried.push(record);
    const snapshot = await layOut(places, folder, chosen, buried);
    return { ...snapshot, ...(before ? { before: before.name } : {}) };
  }

  async #archiveDaily(now: Date): Promise<void> {
    const today = now.toISOString().slice(0, 10);
    if (today === this.#archivedOn) return;
    this.#archivedOn = today;
    const { days, entries, skipped } = await this.archive({});
    if (days + skipped.length > 0) this.#options.tell('archived', { days, entries, skipped });
  }

  /** Beside everything else: the first one of a large store takes a while. */
  async #snapshotIfDue(now: Date): Promise<void> {
    const { places, stores, config, tell, onFailure } = this.#options;
    const folder = this.backups();
    const { memories, turns } = stores.index.stats();
    if (memories + turns === 0) return;
    if (this.#snapshot || !(await isSnapshotDue(folder, config['backup.days'], now))) return;
    this.#snapshot = takeSnapshot(places, folder, now, () => this.#closing.signal.throwIfAborted())
      .then(({ name, files, bytes }) => tell('snapshot', { name, files, bytes }))
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) onFailure('snapshot', error);
      })
      .finally(() => (this.#snapshot = undefined));
  }
}
