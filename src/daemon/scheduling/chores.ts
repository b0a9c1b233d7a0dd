/** Daily work that can also be requested: archives old days of the journal, takes snapshots, restores one. */
import type { Config } from '../../config/index.ts';
import { given, TidemarkError, type Places } from '../../core/index.ts';
import { archiveDays, type Stores } from '../../memory/index.ts';
import {
  backupFolder,
  isSnapshotDue,
  takeSnapshot,
  Snapshots,
  type SnapshotProgress,
} from '../../storage/snapshots/index.ts';
import type { ArgsOf } from '../api/table.ts';
import { previewRestore } from '../repair/preview-restore.ts';
import { stageRestore } from '../repair/restore.ts';

export interface ChoresOptions {
  readonly places: Places;
  readonly stores: Stores;
  readonly config: Config;
  readonly report: (what: string, facts: object) => void;
  readonly onFailure: (what: string, error: unknown) => void;
}

export class Chores {
  readonly #options: ChoresOptions;
  readonly #closing = new AbortController();
  #snapshot: Promise<void> | undefined;
  /** The last day on which old days were archived. */
  #archivedOn = '';

  constructor(options: ChoresOptions) {
    this.#options = options;
  }

  /** Whether a snapshot is being taken. */
  get busy(): boolean {
    return this.#snapshot !== undefined;
  }

  async daily(now: Date): Promise<void> {
    await this.#archiveDaily(now);
    await this.#snapshotIfDue(now);
  }

  /** Cancels a snapshot under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#snapshot;
  }

  archive({ days = this.#options.config['journal.archiveDays'], dryRun = false }: ArgsOf<'archive'>) {
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

  /** Takes a snapshot of the current data first, so that a restore can be undone. */
  async restore({ name, from, yes = false }: ArgsOf<'restore'>) {
    const { places, stores } = this.#options;
    const { memories, turns } = stores.index.stats();
    const folder = this.backups(from);
    await new Snapshots(folder).read(name); // a missing snapshot is reported before consent is asked for
    if (memories > 0 && !yes) throw needsConsent(memories);
    const { name: chosen } = await new Snapshots(folder).verify(name);
    const before =
      memories + turns > 0 ? await new Snapshots(this.backups()).take(places, new Date()) : undefined;
    const tombstones = [];
    for await (const record of stores.ledger.read()) if (record.kind === 'tombstone') tombstones.push(record);
    const snapshot = await stageRestore(places, folder, chosen, tombstones);
    return { ...snapshot, ...given({ before: before?.name }) };
  }

  previewRestore({ name, from }: ArgsOf<'restore.preview'>) {
    const { places, stores } = this.#options;
    return previewRestore(places, stores, this.backups(from), name);
  }

  async #archiveDaily(now: Date): Promise<void> {
    const today = now.toISOString().slice(0, 10);
    if (today === this.#archivedOn) return;
    this.#archivedOn = today;
    const { days, entries, skipped } = await this.archive({});
    if (days + skipped.length > 0) this.#options.report('archived', { days, entries, skipped });
  }

  /** In the background: the first snapshot of a large store takes a while. */
  async #snapshotIfDue(now: Date): Promise<void> {
    const { places, stores, config, report, onFailure } = this.#options;
    const folder = this.backups();
    const { memories, turns } = stores.index.stats();
    if (memories + turns === 0) return;
    if (this.#snapshot || !(await isSnapshotDue(folder, config['backup.days'], now))) return;
    this.#snapshot = takeSnapshot(places, folder, now, () => this.#closing.signal.throwIfAborted())
      .then(({ name, files, bytes }) => report('snapshot', { name, files, bytes }))
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) onFailure('snapshot', error);
      })
      .finally(() => (this.#snapshot = undefined));
  }
}

function needsConsent(memories: number): TidemarkError {
  const what = memories === 1 ? 'the one memory' : `the ${memories} memories`;
  return new TidemarkError('usage', `this replaces ${what} stored here`, {
    hint: 'Run it again with --yes; a snapshot of the current data is taken first. To see what would change: --dry-run',
  });
}
