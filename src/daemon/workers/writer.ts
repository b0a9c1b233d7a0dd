/**
 * The stores as the writer thread holds them: opened and healed together, watched, swept, closed. What goes on inside is
 * one thing after another; whoever calls sees to it that nobody else writes.
 */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  UnfinishedReads,
  rememberFromUser,
  type RememberRequest,
  moveJournal,
  journalLocation,
  type MoveArgs,
  noteRedactions,
  applyPause,
  Pauses,
  Pipeline,
  type Processed,
  EVERYWHERE,
  lookUpProject,
  type CaptureScope,
  openStores,
  sweep,
} from '../../capture/index.ts';
import { loadConfig, type Config } from '../../config/index.ts';
import { TidemarkError, type Places, type SpooledEvent } from '../../core/index.ts';
import { localDistiller } from '../../distill/index.ts';
import {
  importHistory,
  importPeer,
  type PeerImportOptions,
  type PeerReport,
  refreshSources,
} from '../../exchange/import/index.ts';
import {
  forgetMemories,
  sweepForgotten,
  unforget,
  takeInJournal,
  type Intake,
  sessionNamed,
  checkRevision,
  removeIndex,
  type Stores,
  trimTurns,
} from '../../memory/index.ts';
import type { JournalFile } from '../../storage/journal/index.ts';
import { backupFolder } from '../../storage/snapshots/index.ts';
import { factsOf } from '../lifecycle/log.ts';
import { freshIndex } from '../repair/fresh-index.ts';
import type { Progress, Rebuilt } from '../repair/rebuild.ts';
import { repairJournal, repairLedger, rebuildEntries, damagedFiles } from '../repair/repair-files.ts';
import { finishRestore, isLaidOut } from '../repair/restore.ts';
import { Chores } from '../scheduling/chores.ts';
import { notice } from './worker-port.ts';

/** A file that is being written in is not touched for the sake of an id. */
const EDITOR_RESTS_MS = 10_000;

export interface HistoryArgs {
  readonly configDir: string;
  readonly project?: string;
  /** Only the project of this folder. */
  readonly projectDir?: string;
  /** Only sessions whose id begins so. */
  readonly session?: string;
  readonly since?: string;
  readonly dryRun?: boolean;
  readonly finished?: boolean;
}

export interface PeerArgs extends Omit<PeerImportOptions, 'scope' | 'signal'> {
  readonly projectDir?: string;
}

export interface ForgetArgs {
  readonly ids: readonly string[];
  /** Erase at once. */
  readonly now?: boolean;
  /** Bring back what was forgotten less than a day ago. */
  readonly undo?: boolean;
  readonly revision?: string;
}

export interface PauseArgs {
  readonly paused: boolean;
  readonly scope: 'everywhere' | 'project' | 'session';
  readonly of?: string;
}

/** The index may be replaced by a fresh one. */
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
  /** Files with entries a person wrote that have no id of their own yet. */
  readonly #byHand = new Set<string>();
  /** Transcripts the sweep could not read: each is logged once. */
  readonly #unread = new Set<string>();
  readonly #reads: UnfinishedReads;
  #changeTold = false;
  #trouble: string | undefined;

  /** `why` the index is not to be believed any more, if it is opened again for that. */
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
    const ledger = new Set<string>();
    const { stores: opened, rebuild } = await openStores(places, ({ file }) => ledger.add(basename(file)));
    // The very object, not a copy: its pages look into it for the index, which may be replaced below.
    const stores: OpenStores = opened;
    let pauses = await pausesOf(stores);
    if (ledger.size > 0) {
      await repairLedger(places, ledger, backups, new Date());
      pauses = await pausesOf(stores);
    }
    const spoilt = damagedFiles(stores);
    await repairJournal(spoilt, places, backups, new Date());
    if (!rebuild) await rebuildEntries(stores, spoilt);
    if (rebuild) {
      const { index, rebuilt } = await freshIndex(places.index, stores, why || rebuild);
      stores.index = index;
      if (rebuilt.memories + rebuilt.turns > 0) notice('index rebuilt', { why: why || rebuild, ...rebuilt });
    }
    if (rebuild) await rebuildEntries(stores, spoilt);
    tellHealed([
      ...[...ledger].map((name) => `ledger/${name}`),
      ...spoilt.map(({ path }) => `journal/${path}`),
    ]);
    const writer = new Writer(places, stores, pauses, values);
    writer.#note(await takeInJournal(stores, places));
    refreshSources(stores);
    stores.journal.watch(() => writer.#wakeOnce(onJournalChange), writer.#closing.signal);
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
    this.#scope = {
      // As it stands now: a folder that somebody has just left out is not to be remembered once more.
      get ignore() {
        return loadConfig({ places, env: process.env }).values['capture.ignore'];
      },
      isEnabled: (root) =>
        loadConfig({ places, env: process.env, projectDir: root }).values['capture.enabled'],
    };
    this.#maxTurnBytes = config['turns.maxMb'] * 1024 * 1024;
    this.chores = new Chores({
      places,
      stores,
      config,
      tell: notice,
      onFailure: (what, error) => toldAs(what)(error),
    });
    this.#pipeline = new Pipeline({
      stores,
      distiller: localDistiller,
      pauses,
      scope: this.#scope,
      onCaptured: ({ turns, memories, redactions }, session) => {
        const note = { at: new Date().toISOString(), counts: redactions };
        void noteRedactions(this.#stores, note).catch(toldAs('redactions'));
        if (turns + memories.length > 0)
          notice('captured', { session, turns, memories: memories.map(({ id }) => id) });
      },
      onProgress: () => notice('progressed', {}),
    });
  }

  get stores(): Stores {
    return this.#stores;
  }

  /** Somebody deleted or replaced the index while we had it open, or it turned out to be damaged. */
  stale(): string | undefined {
    if (inodeOf(this.#places.index) !== this.#indexFile) return 'the index file was deleted';
    return this.#trouble ?? isLaidOut(this.#places);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.chores.close();
    await this.#stores.pages.flush().catch(toldAs('pages'));
    await this.#stores.journal.close();
    await Promise.all([this.#stores.turns.close(), this.#stores.ledger.close()]);
    this.#stores.index.close();
  }

  async process(event: SpooledEvent, hurried: boolean): Promise<Processed> {
    try {
      return await this.#pipeline.process(event, hurried);
    } catch (error) {
      if (error instanceof TidemarkError && error.code === 'index-corrupt') this.#trouble = error.message;
      throw error;
    }
  }

  async sweep(now: Date) {
    const erased = await sweepForgotten(this.#stores, this.#places, now);
    if (erased > 0) notice('erased', { memories: erased });
    const trimmed = await trimTurns(this.#stores, this.#maxTurnBytes, now);
    if (trimmed) notice('turns dropped', { turns: trimmed.turns, from: trimmed.from, to: trimmed.to });
    await this.#adopt(now);
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

  /** Only while nobody else uses the stores: everybody finds the new index in them afterwards. */
  async reindex(progress: Progress): Promise<Rebuilt> {
    const { index, rebuilt } = await freshIndex(this.#places.index, this.#stores, '', progress);
    this.#stores.index = index;
    this.#indexFile = inodeOf(this.#places.index);
    return rebuilt;
  }

  async importHistory(args: HistoryArgs, signal: AbortSignal, progress: (facts: object) => void) {
    const options = {
      ...args,
      ...(await this.#asked(args)),
      dryRun: args.dryRun ?? false,
      finished: args.finished ?? false,
      scope: this.#scope,
      signal,
    };
    return importHistory(this.#stores, this.#pipeline, options, progress);
  }

  async importPeer(
    args: PeerArgs,
    signal: AbortSignal,
    progress: (facts: object) => void,
  ): Promise<PeerReport> {
    const options = { ...args, ...(await this.#asked(args)), scope: this.#scope, signal };
    const report = await importPeer(this.#stores, this.#pipeline, this.#places, options, progress);
    if (!args.dryRun)
      await noteRedactions(this.#stores, { at: new Date().toISOString(), counts: report.redactions });
    return report;
  }

  /** The project a folder belongs to, or would once something of it is kept. */
  async #asked({ projectDir }: { readonly projectDir?: string }): Promise<{ project?: string }> {
    if (projectDir === undefined) return {};
    return { project: (await lookUpProject(this.#stores, projectDir, EVERYWHERE)).project.id };
  }

  async remember(args: RememberRequest) {
    const memory = await rememberFromUser(this.#stores, args, new Date());
    notice('remembered', { memories: [memory.id] });
    return memory;
  }

  async forget({ ids, undo = false, now = false, revision }: ForgetArgs) {
    const at = new Date();
    if (!undo) checkRevision(this.#stores, ids[0] ?? '', revision);
    const done = undo
      ? await unforget(this.#stores, this.#places, ids, at)
      : await forgetMemories(this.#stores, this.#places, ids, { at, erase: now });
    notice(undo ? 'restored' : 'forgotten', { memories: done });
    return done;
  }

  async pause({ paused, scope, of: named }: PauseArgs) {
    const of = named && scope === 'session' ? sessionNamed(this.#stores.index, named) : named;
    const record = {
      kind: 'paused',
      at: new Date().toISOString(),
      paused,
      scope,
      ...(of ? { target: of } : {}),
    } as const;
    await this.#stores.ledger.append([record]);
    this.#pauses.add(record);
    applyPause(this.#stores.index, record);
    return this.pauses();
  }

  pauses() {
    return this.#pauses.current();
  }

  /** Leaves it to the next opening where that is the only way to lose nothing: see `stale`. */
  async journalChanged(): Promise<void> {
    this.#changeTold = false;
    const spoilt = this.#spoilt();
    if (!spoilt) return;
    await repairJournal(spoilt, this.#places, this.chores.backups(), new Date());
    await rebuildEntries(this.#stores, spoilt);
    tellHealed(spoilt.map(({ path }) => `journal/${path}`));
    const intake = await takeInJournal(this.#stores, this.#places);
    this.#note(intake);
    const { files, upserted, removed } = intake;
    if (files + intake.forgottenElsewhere > 0) notice('journal changed', { files, upserted, removed });
  }

  /** Undefined where the index is spoilt too: it knows nothing of the entries to make again, and is built anew first. */
  #spoilt(): readonly JournalFile[] | undefined {
    try {
      const spoilt = damagedFiles(this.#stores);
      if (spoilt.length === 0 || this.#stores.index.problems().length === 0) return spoilt;
    } catch (error) {
      if (!(error instanceof TidemarkError) || error.code !== 'index-corrupt') throw error;
    }
    this.#trouble = 'the index cannot be read';
    return undefined;
  }

  #note({ byHand, copies, forgottenElsewhere }: Intake): void {
    for (const path of byHand) this.#byHand.add(path);
    if (copies.length > 0) notice('copies taken in', { copies });
    if (forgottenElsewhere > 0) notice('forgotten elsewhere', { memories: forgottenElsewhere });
  }

  async moveJournal(args: MoveArgs) {
    const place = await moveJournal(this.#stores, this.#places, args, new Date());
    notice('journal moved', { project: place.project, kind: place.kind });
    return place;
  }

  journalLocation(dir: string) {
    return journalLocation(this.#stores, this.#places, dir);
  }

  /** Writes the ids that are missing now, however fresh the edit: a person asked for it. */
  async adoptAll(): Promise<{ files: number }> {
    await this.journalChanged();
    let files = 0;
    for (const { path } of await this.#stores.journal.files()) {
      if (await this.#stores.journal.adopt(path)) files++;
      this.#byHand.delete(path);
    }
    await this.journalChanged();
    return { files };
  }

  /** A branch switch changes a hundred files; taking in what changed looks at all of them anyway. */
  #wakeOnce(tell: () => void): void {
    if (this.#changeTold) return;
    this.#changeTold = true;
    tell();
  }

  /** Entries made by hand get their ids written once the person's editor has rested. */
  async #adopt(now: Date): Promise<void> {
    for (const path of this.#byHand) {
      const { mtimeMs } = statSync(join(this.#places.journal, path), { throwIfNoEntry: false }) ?? {};
      if (mtimeMs !== undefined && now.getTime() - mtimeMs < EDITOR_RESTS_MS) continue;
      this.#byHand.delete(path);
      if (mtimeMs !== undefined) await this.#stores.journal.adopt(path);
    }
  }
}

async function pausesOf({ ledger }: Pick<Stores, 'ledger'>): Promise<Pauses> {
  const pauses = new Pauses();
  for await (const record of ledger.read()) if (record.kind === 'paused') pauses.add(record);
  return pauses;
}

function tellHealed(files: readonly string[]): void {
  if (files.length === 0) return;
  notice('healed', { files });
  const what = files.length === 1 ? (files[0] ?? '') : `${files.length} files`;
  notice('to the user', {
    text: `Tidemark found ${what} damaged and healed it from the last snapshot and what else it knows; the damaged copy is in ~/.tidemark/spoilt.`,
  });
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** For what is done on the side: it must not end the thread, and must not go unseen. */
export function toldAs(what: string): (error: unknown) => void {
  return (error) =>
    notice(`${what} not taken in`, { error: error instanceof Error ? error.message : String(error) });
}
