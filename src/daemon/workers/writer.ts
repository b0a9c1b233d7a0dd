/**
 * The stores, as the writer thread has them open: repaired when they open, watched, swept, closed. Runs one thing after
 * another; the caller makes sure that no one else writes.
 */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  applyPause,
  EVERYWHERE,
  lookUpProject,
  noteFromAgent,
  noteRedactions,
  openStores,
  Pauses,
  Pipeline,
  sweep,
  UnfinishedReads,
  type CaptureScope,
  type NoteOutcome,
  type NoteRequest,
  type Processed,
} from '../../capture/index.ts';
import { loadConfig, type Config } from '../../config/index.ts';
import { given, TidemarkError, type Places, type SpooledEvent } from '../../core/index.ts';
import { localDistiller } from '../../distill/index.ts';
import {
  importHistory,
  importPeer,
  refreshSources,
  type ImportProgress,
  type PeerProgress,
  type PeerReport,
} from '../../exchange/import/index.ts';
import {
  removeIndex,
  sessionNamed,
  sweepForgotten,
  takeInJournal,
  trimTurns,
  undoLast,
  type Intake,
  type Stores,
  type Undone,
  removeSample,
  type SampleFound,
} from '../../memory/index.ts';
import type { JournalFile } from '../../storage/journal/index.ts';
import { backupFolder } from '../../storage/snapshots/index.ts';
import type { ArgsOf, Task } from '../api/table.ts';
import { factsOf } from '../lifecycle/log.ts';
import { replaceIndex, type Progress, type Rebuilt } from '../repair/rebuild.ts';
import { damagedFiles, rebuildEntries, repairJournal, repairLedger } from '../repair/repair-files.ts';
import { finishRestore, isRestorePending } from '../repair/restore.ts';
import { Chores } from '../scheduling/chores.ts';
import { notice } from './worker-port.ts';

/** A file that was edited this recently gets no ids: an editor may still have it open. */
const EDITOR_RESTS_MS = 10_000;

export type PauseSpans = ReturnType<Pauses['current']>;

/** The index may be replaced by a new one. */
type OpenStores = Omit<Stores, 'index'> & { index: Stores['index'] };

export class Writer {
  readonly #stores: OpenStores;
  readonly #pipeline: Pipeline;
  readonly #pauses: Pauses;
  readonly #scope: CaptureScope;
  readonly #maxTurnBytes: number;
  readonly chores: Chores;
  readonly #places: Places;
  #indexFile: number | undefined;
  readonly #closing = new AbortController();
  /** Files with entries by the user that have no id yet. */
  readonly #withoutIds = new Set<string>();
  /** Transcripts the sweep could not read: each is logged once. */
  readonly #unread = new Set<string>();
  readonly #reads: UnfinishedReads;
  #changeReported = false;
  #problem: string | undefined;

  /** `why`: the reason not to trust the index any more, if it is opened again because of one. */
  static async open(
    places: Places,
    env: NodeJS.ProcessEnv,
    why: string,
    onJournalChange: () => void,
  ): Promise<Writer> {
    const { values } = loadConfig({ places, env });
    const restored = await finishRestore(places);
    if (restored !== undefined || why !== '') removeIndex(places.index);
    if (restored !== undefined) notice('restored', { from: restored });
    const backups = backupFolder(places, values);
    const damagedLedger = new Set<string>();
    const opened = await openStores(places, ({ file }) => damagedLedger.add(basename(file)));
    const stores: OpenStores = opened.stores;
    let pauses = await pausesOf(stores);
    if (damagedLedger.size > 0) {
      await repairLedger(places, damagedLedger, backups, new Date());
      pauses = await pausesOf(stores);
    }
    const damaged = damagedFiles(stores);
    await repairJournal(damaged, places, backups, new Date());
    if (!opened.rebuild) await rebuildEntries(stores, damaged);
    else {
      const reason = why || opened.rebuild;
      // Entries of damaged files come back before the reader sees the new index.
      const finish = (rebuilt: Stores) => rebuildEntries(rebuilt, damaged);
      const { index, rebuilt } = await replaceIndex(places.index, stores, reason, () => {}, finish);
      stores.index = index;
      if (rebuilt.memories + rebuilt.turns > 0) notice('index rebuilt', { why: reason, ...rebuilt });
    }
    reportRepaired([
      ...[...damagedLedger].map((name) => `ledger/${name}`),
      ...damaged.map(({ path }) => `journal/${path}`),
    ]);
    const writer = new Writer(places, stores, pauses, values);
    writer.#report(await takeInJournal(stores, places));
    refreshSources(stores);
    stores.journal.watch(() => writer.#reportChangeOnce(onJournalChange), writer.#closing.signal);
    return writer;
  }

  private constructor(places: Places, stores: OpenStores, pauses: Pauses, config: Config) {
    this.#places = places;
    this.#stores = stores;
    this.#reads = new UnfinishedReads({
      file: join(places.run, 'doubtful-reads.json'),
      onRead: (name, path) => notice(name, { path }),
    });
    this.#indexFile = inodeOf(places.index);
    this.#pauses = pauses;
    this.#scope = captureScope(places);
    this.#maxTurnBytes = config['turns.maxMb'] * 1024 * 1024;
    this.chores = new Chores({ places, stores, config, report: notice, onFailure: logFailure });
    this.#pipeline = new Pipeline({
      stores,
      distiller: localDistiller,
      pauses,
      scope: this.#scope,
      onCaptured: ({ turns, memories, redactions }, session) => {
        this.#noteRedactions(redactions).catch((error: unknown) => logFailure('redactions', error));
        if (turns + memories.length > 0)
          notice('captured', { session, turns, memories: memories.map(({ id }) => id) });
      },
      onProgress: () => notice('progressed', {}),
    });
  }

  note(request: NoteRequest): Promise<NoteOutcome> {
    return noteFromAgent(this.#stores, request, this.#scope, new Date());
  }

  get stores(): Stores {
    return this.#stores;
  }

  /** Why everything must be opened again: the index was deleted or is damaged, or a snapshot is to be restored. */
  stale(): string | undefined {
    if (inodeOf(this.#places.index) !== this.#indexFile) return 'the index file was deleted';
    return this.#problem ?? (isRestorePending(this.#places) ? 'a snapshot is being restored' : undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.chores.close();
    await this.#stores.journal.close();
    await Promise.all([this.#stores.turns.close(), this.#stores.ledger.close()]);
    this.#stores.index.close();
  }

  async process(event: SpooledEvent, hurried: boolean): Promise<Processed> {
    try {
      return await this.#pipeline.process(event, hurried);
    } catch (error) {
      if (error instanceof TidemarkError && error.code === 'index-corrupt') this.#problem = error.message;
      throw error;
    }
  }

  async sweep(now: Date) {
    const erased = await sweepForgotten(this.#stores, this.#places, now);
    if (erased > 0) notice('erased', { memories: erased });
    const trimmed = await trimTurns(this.#stores, this.#maxTurnBytes, now);
    if (trimmed) notice('turns dropped', { turns: trimmed.turns, from: trimmed.from, to: trimmed.to });
    await this.#adoptRested(now);
    refreshSources(this.#stores);
    await this.chores.daily(now);
    return sweep(this.#stores, this.#pipeline, {
      now,
      reads: this.#reads,
      onProblem: (path, error) => {
        if (!this.#unread.has(path)) notice('transcript not read', factsOf(error));
        this.#unread.add(path);
      },
    });
  }

  /** Must be called while no one else uses the stores: they get the new index. */
  async reindex(progress: Progress): Promise<Rebuilt> {
    const { index, rebuilt } = await replaceIndex(this.#places.index, this.#stores, '', progress);
    this.#stores.index = index;
    this.#indexFile = inodeOf(this.#places.index);
    return rebuilt;
  }

  /** Must be called while no one else uses the stores, like `reindex`. */
  async removeSample(): Promise<SampleFound | null> {
    const removed = await removeSample(this.#stores, this.#places);
    if (removed) await this.reindex(() => {});
    return removed ?? null;
  }

  async importHistory(args: ArgsOf<'import.history'>, { signal, progress }: Task<ImportProgress>) {
    const options = {
      ...args,
      ...(await this.#projectOf(args.projectDir)),
      dryRun: args.dryRun ?? false,
      finished: args.finished ?? false,
      scope: this.#scope,
      signal,
    };
    return importHistory(this.#stores, this.#pipeline, options, progress);
  }

  async importPeer(
    args: ArgsOf<'import.peer'>,
    { signal, progress }: Task<PeerProgress>,
  ): Promise<PeerReport> {
    const options = { ...args, ...(await this.#projectOf(args.projectDir)), scope: this.#scope, signal };
    const report = await importPeer(this.#stores, this.#pipeline, this.#places, options, progress);
    if (!args.dryRun) await this.#noteRedactions(report.redactions);
    return report;
  }

  /** The project of a folder, or the one it would become. */
  async #projectOf(dir: string | undefined): Promise<{ project?: string }> {
    if (dir === undefined) return {};
    return { project: (await lookUpProject(this.#stores, dir, EVERYWHERE)).project.id };
  }

  #noteRedactions(counts: Readonly<Record<string, number>>): Promise<void> {
    return noteRedactions(this.#stores, { at: new Date().toISOString(), counts });
  }

  async pause({ paused, scope, of: named }: ArgsOf<'pause'>): Promise<PauseSpans> {
    const of = named && scope === 'session' ? sessionNamed(this.#stores.index, named) : named;
    const at = new Date().toISOString();
    const record = { kind: 'paused', at, paused, scope, ...(of ? { target: of } : {}) } as const;
    await this.#stores.ledger.append([record]);
    this.#pauses.add(record);
    applyPause(this.#stores.index, record);
    return this.#pauses.current();
  }

  /** Undoes the last turn of the session; without one, the last step in the folder's project. */
  async undo({ session: named, dir, preview }: ArgsOf<'undo'>): Promise<Undone> {
    const { index } = this.#stores;
    const { project } = await this.#projectOf(dir);
    const [session = ''] = named
      ? [sessionNamed(index, named)]
      : index.sessions({ limit: 1, ...(project ? { project } : {}) }).map(({ id }) => id);
    return undoLast(this.#stores, this.#places, {
      session,
      ...(named ? {} : { project: project ?? '' }),
      ...given({ preview }),
      at: new Date(),
    });
  }

  /** Takes in edits of the journal's files. Where the index is damaged too, the next opening does it (see `stale`). */
  async journalChanged(): Promise<void> {
    this.#changeReported = false;
    const damaged = this.#damaged();
    if (!damaged) return;
    await repairJournal(damaged, this.#places, this.chores.backups(), new Date());
    await rebuildEntries(this.#stores, damaged);
    reportRepaired(damaged.map(({ path }) => `journal/${path}`));
    const intake = await takeInJournal(this.#stores, this.#places);
    this.#report(intake);
    const { files, upserted, removed } = intake;
    if (files + intake.forgottenElsewhere > 0) notice('journal changed', { files, upserted, removed });
  }

  /** Undefined where the index is damaged too: it does not know the entries to rebuild. */
  #damaged(): readonly JournalFile[] | undefined {
    try {
      const damaged = damagedFiles(this.#stores);
      if (damaged.length === 0 || this.#stores.index.problems().length === 0) return damaged;
    } catch (error) {
      if (!(error instanceof TidemarkError) || error.code !== 'index-corrupt') throw error;
    }
    this.#problem = 'the index cannot be read';
    return undefined;
  }

  #report({ byHand, copies, forgottenElsewhere }: Intake): void {
    for (const path of byHand) this.#withoutIds.add(path);
    if (copies.length > 0) notice('copies taken in', { copies });
    if (forgottenElsewhere > 0) notice('forgotten elsewhere', { memories: forgottenElsewhere });
  }

  /** Writes missing ids now, however recent the edit: the user asked for it. */
  async adoptAll(): Promise<{ files: number }> {
    await this.journalChanged();
    let files = 0;
    for (const { path } of await this.#stores.journal.files()) {
      if (await this.#stores.journal.adopt(path)) files++;
      this.#withoutIds.delete(path);
    }
    await this.journalChanged();
    return { files };
  }

  /** One report for many changed files, as after a switch of branches: taking in looks at all of them. */
  #reportChangeOnce(report: () => void): void {
    if (this.#changeReported) return;
    this.#changeReported = true;
    report();
  }

  /** Writes the missing ids of files that were not edited for a while. */
  async #adoptRested(now: Date): Promise<void> {
    for (const path of this.#withoutIds) {
      const { mtimeMs } = statSync(join(this.#places.journal, path), { throwIfNoEntry: false }) ?? {};
      if (mtimeMs !== undefined && now.getTime() - mtimeMs < EDITOR_RESTS_MS) continue;
      this.#withoutIds.delete(path);
      if (mtimeMs !== undefined) await this.#stores.journal.adopt(path);
    }
  }
}

/** Reads the settings each time, so that a change applies at once. */
function captureScope(places: Places): CaptureScope {
  return {
    get ignore() {
      return loadConfig({ places, env: process.env }).values['capture.ignore'];
    },
    isEnabled: (root) => loadConfig({ places, env: process.env, projectDir: root }).values['capture.enabled'],
  };
}

/** Logs a failure of background work, which must not end the thread. */
export function logFailure(what: string, error: unknown): void {
  notice(`${what} failed`, { error: error instanceof Error ? error.message : String(error) });
}

async function pausesOf({ ledger }: Pick<Stores, 'ledger'>): Promise<Pauses> {
  const pauses = new Pauses();
  for await (const record of ledger.read('paused')) if (record.kind === 'paused') pauses.add(record);
  return pauses;
}

function reportRepaired(files: readonly string[]): void {
  if (files.length === 0) return;
  notice('repaired', { files });
  const what = files.length === 1 ? (files[0] ?? '') : `${files.length} files`;
  notice('to the user', {
    text: `Tidemark found ${what} damaged and repaired it from the last snapshot, the index and the turns. The damaged copy is in ~/.tidemark/spoilt.`,
  });
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
