/** The writer thread: the only one that changes journal, turn store, ledger and index. Each handler is one kind of change. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, type Config } from '../config/index.ts';
import { localDistiller } from '../distill/index.ts';
import type { Embedded } from '../index/index.ts';
import type { MemoryPatch } from '../journal/index.ts';
import { TidemarkError, type Places, type SpooledEvent } from '../model/index.ts';
import { Held } from './_held.ts';
import { Improver, type DistillArgs } from './improver.ts';
import { notice, serveCalls } from './_worker-port.ts';
import type { Answer } from './answers.ts';
import { archiveDays, type ArchiveArgs } from './archive.ts';
import { backupFolder, isSnapshotDue, listSnapshots, takeSnapshot, verifySnapshots } from './backup.ts';
import { freshIndex } from './fresh-index.ts';
import { healJournal, healLedger, remakeEntries } from './heal.ts';
import { importHistory } from './history-import.ts';
import { importPeer, type PeerImportOptions, type PeerReport } from './peer-import.ts';
import { takeInJournal, type Intake } from './journal-intake.ts';
import { moveJournal, whereJournal, type MoveArgs } from './journal-place.ts';
import {
  editByHand,
  mergeMemories,
  moveByHand,
  rememberByHand,
  settleByHand,
  supersedeByHand,
  takeFacts,
  type ByHand,
  type Extract,
} from './by-hand.ts';
import { importExport } from './export-import.ts';
import { forgetMemories, sweepForgotten, unforget } from './forget.ts';
import { review, type Verdict } from './review.ts';
import { checkRevision } from './revision.ts';
import { applyPause, Pauses } from './pauses.ts';
import { Pipeline } from './pipeline.ts';
import { EVERYWHERE, findPlace, type CaptureScope } from './place-event.ts';
import type { Progress, Rebuilt } from './rebuild.ts';
import { finishRestore, isLaidOut, layOut, needsYes } from './restore.ts';
import { Snapshots, type SnapshotProgress } from './snapshots.ts';
import { openStores, removeIndex, type Stores } from './stores.ts';
import { refreshSources } from './sources.ts';
import { sweep } from './sweep.ts';
import { Team } from './team.ts';
import { trimTurns } from './trim-turns.ts';

/** A file that is being written in is not touched for the sake of an id. */
const EDITOR_RESTS_MS = 10_000;

/** What the person saw when they decided, to tell a conflict. */
interface Seen {
  readonly revision?: string;
}

interface Ticket {
  readonly ticket: string;
}

export function serveWriter(places: Places, env: NodeJS.ProcessEnv): void {
  const held = new Held<Writer>({
    open: (why) =>
      Writer.open(places, env, why, () =>
        held
          .use((writer) => writer.journalChanged())
          .then(() => team.wake())
          .catch(toldAs('journal changes')),
      ),
    close: (writer) => writer.close(),
    stale: (writer) => writer.stale(),
  });
  const cancels = new Map<string, AbortController>();
  const withTicket = async <T>(
    ticket: string,
    work: (signal: AbortSignal, progress: (facts: object) => void) => Promise<T>,
  ) => {
    const cancel = new AbortController();
    cancels.set(ticket, cancel);
    try {
      return await work(cancel.signal, (facts) => notice('progress', { ticket, ...facts }));
    } finally {
      cancels.delete(ticket);
    }
  };
  const improver = new Improver({
    places,
    env,
    programFolders: [join(__dirname, '..', '..')],
    use: (work) => held.use((writer) => work(writer.stores)),
    tell: notice,
  });
  const team = new Team({
    places,
    env,
    programs: __dirname,
    use: (work) => held.use((writer) => work(writer.stores)),
    refresh: () => held.use((writer) => writer.journalChanged()),
    tell: notice,
  });
  /** Whatever may have brought a turn in is a reason to look whether a model could improve it. */
  const thenImprove = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    improver.wake();
    team.wake();
    return result;
  };
  /** A change of memories by a person, told to whoever follows. `revision` is that of the first of them. */
  const byHand = <T>(
    ids: readonly string[],
    revision: string | undefined,
    change: (stores: Stores) => Promise<T>,
  ): Promise<T> =>
    held.use(async ({ stores }) => {
      checkRevision(stores, ids[0] ?? '', revision);
      const result = await change(stores);
      notice('changed', { memories: ids });
      team.wake();
      return result;
    });
  const thenExchange = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    team.wake();
    return result;
  };
  serveCalls({
    ready: () => thenImprove(held.use(() => {})),
    process: (event: SpooledEvent) => thenImprove(held.use((writer) => writer.process(event))),
    sweep: ({ now }: { now?: string }) =>
      thenImprove(held.use((writer) => writer.sweep(now ? new Date(now) : new Date()))),
    distill: (args: DistillArgs & Ticket) =>
      withTicket(args.ticket, (signal, progress) => improver.run(args, signal, progress)),
    'distill.health': () => improver.health(),
    injected: (answer: InjectionNote) => held.use((writer) => writer.noteInjection(answer)),
    redacted: (note: { at: string; counts: Record<string, number> }) =>
      held.use((writer) => writer.noteRedactions(note)),
    cancel: ({ ticket }: Ticket) => cancels.get(ticket)?.abort(),
    reindex: ({ ticket }: Ticket) =>
      withTicket(ticket, (_, progress) => held.alone((writer) => writer.reindex(progress))),
    mend: ({ why }: { why: string }) => held.renew(why),
    'embed.model': ({ model }: { model: string }) =>
      held.use(({ stores }) => ({ changed: stores.index.setVectorModel(model) })),
    'embed.wanted': ({ limit }: { limit: number }) =>
      held.use(({ stores }) => stores.index.unembedded(limit)),
    'embed.put': ({ model, embedded }: { model: string; embedded: readonly Embedded[] }) =>
      held.use(({ stores }) => stores.index.putVectors(model, embedded)),
    'embed.counts': () => held.use(({ stores }) => stores.index.vectorCounts()),
    'import.history': (args: HistoryArgs & Ticket) =>
      withTicket(args.ticket, (signal, progress) =>
        held.use((writer) => writer.importHistory(args, signal, progress)),
      ),
    'import.export': ({ ticket, path }: Ticket & { path: string }) =>
      withTicket(ticket, (signal, progress) =>
        held.use(({ stores }) => importExport(stores, places, path, progress, signal)),
      ),
    'import.peer': (args: PeerArgs & Ticket) =>
      withTicket(args.ticket, (signal, progress) =>
        held.use((writer) => writer.importPeer(args, signal, progress)),
      ),
    remember: (args: ByHand) => thenExchange(held.use((writer) => writer.remember(args))),
    forget: (args: ForgetArgs) => thenExchange(held.use((writer) => writer.forget(args))),
    edit: (args: { id: string; patch: MemoryPatch } & Seen) =>
      byHand([args.id], args.revision, (stores) => editByHand(stores, args.id, args.patch)),
    settle: (args: { ids: readonly string[]; done: boolean } & Seen) =>
      byHand(args.ids, args.revision, (stores) => settleByHand(stores, args.ids, args.done)),
    supersede: (args: { old: string; by: string } & Seen) =>
      byHand([args.old, args.by], args.revision, (stores) => supersedeByHand(stores, args.old, args.by)),
    merge: (args: { ids: readonly string[] }) =>
      byHand(args.ids, undefined, (stores) => mergeMemories(stores, args.ids)),
    move: (args: { id: string; project: string } & Seen) =>
      byHand([args.id], args.revision, (stores) => moveByHand(stores, args.id, args.project)),
    extract: (args: Extract) => thenExchange(held.use(({ stores }) => takeFacts(stores, args))),
    'team.login': (args: { server: string; key: string }) => team.login(args),
    'team.logout': () => team.logout(),
    'team.preview': (args: { project: string }) => team.preview(args),
    'team.share': (args: { project: string; join?: string; fresh?: boolean }) => team.share(args),
    'team.unshare': (args: { project: string }) => team.unshare(args),
    'team.now': () => team.now(),
    'team.seen': (args: { ids: readonly string[] }) => team.seen(args),
    backup: ({ ticket, to }: Ticket & { to?: string }) =>
      withTicket(ticket, (_, progress) => held.use((writer) => writer.backup(to, progress))),
    'backup.list': ({ from }: { from?: string }) => held.use((writer) => listSnapshots(writer.backups(from))),
    'backup.verify': ({ from }: { from?: string }) =>
      held.use((writer) => verifySnapshots(writer.backups(from))),
    // Nobody may write to stores that are about to be replaced; whoever comes next finds them stale.
    restore: (args: RestoreArgs) =>
      held
        .alone((writer) => writer.restore(args))
        .then(async (restored) => {
          await held.use(() => {});
          return restored;
        }),
    archive: (args: Partial<ArchiveArgs>) => held.use((writer) => writer.archive(args)),
    'journal.where': ({ dir }: { dir: string }) => held.use((writer) => writer.whereJournal(dir)),
    'journal.move': (args: MoveArgs) => held.alone((writer) => writer.moveJournal(args)),
    'journal.adopt': () => held.use((writer) => writer.adoptAll()),
    review: (args: Verdict) =>
      held.use(async ({ stores }) => {
        const done = await review(stores, args, new Date());
        notice('reviewed', { waiting: stores.index.waiting().length });
        if (args.approved) notice('remembered', { memories: done.map(({ id }) => id) });
        return done;
      }),
    pages: () => held.use(({ stores }) => stores.pages.flush()),
    pause: (args: PauseArgs) => held.use((writer) => writer.pause(args)),
    pauses: () => held.use((writer) => writer.pauses()),
    used: (args: UseNote) => held.use((writer) => writer.noteUse(args)),
    close: async () => {
      await Promise.all([improver.stop(), team.stop()]);
      await held.close();
    },
  });
}

export interface InjectionNote extends Answer {
  readonly session: string;
  readonly event: string;
  readonly at: string;
  readonly promptId?: string;
  /** The subagent it was put before. */
  readonly agent?: string;
}

export interface HistoryArgs {
  readonly configDir: string;
  readonly project?: string;
  /** Only the project of this folder. */
  readonly projectDir?: string;
  readonly since?: string;
  readonly dryRun?: boolean;
  readonly finished?: boolean;
}

export interface PeerArgs extends Omit<PeerImportOptions, 'scope' | 'signal'> {
  readonly projectDir?: string;
}

/** Memories that were of use to a session. */
export interface UseNote {
  readonly session: string;
  readonly memories: readonly string[];
  readonly how: 'opened' | 'echoed';
}

export interface ForgetArgs {
  readonly ids: readonly string[];
  /** Erase at once. */
  readonly now?: boolean;
  /** Bring back what was forgotten less than a day ago. */
  readonly undo?: boolean;
  readonly revision?: string;
}

export interface RestoreArgs {
  readonly name: string;
  /** A folder of snapshots other than the usual one. */
  readonly from?: string;
  readonly yes?: boolean;
}

export interface PauseArgs {
  readonly paused: boolean;
  readonly scope: 'everywhere' | 'project' | 'session';
  readonly of?: string;
}

/** The index may be replaced by a fresh one. */
type OpenStores = Omit<Stores, 'index'> & { index: Stores['index'] };

class Writer {
  readonly #stores: OpenStores;
  readonly #pipeline: Pipeline;
  readonly #pauses: Pauses;
  readonly #scope: CaptureScope;
  readonly #maxTurnBytes: number;
  readonly #archiveDays: number;
  readonly #config: Config;
  #snapshot: Promise<void> | undefined;
  /** The last day on which old days were folded. */
  #archivedOn = '';
  readonly #places: Places;
  #indexFile: number | undefined;
  readonly #closing = new AbortController();
  /** Files with entries a person wrote that have no id of their own yet. */
  readonly #byHand = new Set<string>();
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
    const ledger = await healLedger(places, backups, new Date());
    const { stores: opened, rebuild } = await openStores(places);
    // The very object, not a copy: its pages look into it for the index, which may be replaced below.
    const stores: OpenStores = opened;
    const pauses = new Pauses();
    for await (const record of stores.ledger.read()) if (record.kind === 'paused') pauses.add(record);
    const spoilt = await healJournal(stores, places, backups, new Date());
    if (!rebuild) await remakeEntries(stores, spoilt);
    if (rebuild) {
      const { index, rebuilt } = await freshIndex(places.index, stores, why || rebuild);
      stores.index = index;
      if (rebuilt.memories + rebuilt.turns > 0) notice('index rebuilt', { why: why || rebuild, ...rebuilt });
    }
    if (rebuild) await remakeEntries(stores, spoilt);
    tellHealed([...ledger.map((name) => `ledger/${name}`), ...spoilt.map(({ path }) => `journal/${path}`)]);
    const writer = new Writer(places, stores, pauses, values);
    writer.#note(await takeInJournal(stores, places));
    refreshSources(stores);
    stores.journal.watch(() => writer.#wakeOnce(onJournalChange), writer.#closing.signal);
    return writer;
  }

  private constructor(places: Places, stores: OpenStores, pauses: Pauses, config: Config) {
    this.#places = places;
    this.#stores = stores;
    this.#indexFile = inodeOf(places.index);
    this.#pauses = pauses;
    this.#scope = {
      ignore: config['capture.ignore'],
      isEnabled: (root) =>
        loadConfig({ places, env: process.env, projectDir: root }).values['capture.enabled'],
    };
    this.#maxTurnBytes = config['turns.maxMb'] * 1024 * 1024;
    this.#archiveDays = config['journal.archiveDays'];
    this.#config = config;
    this.#pipeline = new Pipeline({
      stores,
      distiller: localDistiller,
      pauses,
      scope: this.#scope,
      onCaptured: ({ turns, memories, redactions }, session) => {
        void this.noteRedactions({ at: new Date().toISOString(), counts: redactions }).catch(
          toldAs('redactions'),
        );
        if (turns + memories.length > 0)
          notice('captured', { session, turns, memories: memories.map(({ id }) => id) });
      },
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
    await this.#snapshot;
    await this.#stores.pages.flush().catch(toldAs('pages'));
    await this.#stores.journal.close();
    await Promise.all([this.#stores.turns.close(), this.#stores.ledger.close()]);
    this.#stores.index.close();
  }

  async process(event: SpooledEvent): Promise<void> {
    try {
      await this.#pipeline.process(event);
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
    await this.#archiveDaily(now);
    await this.#snapshotIfDue(now);
    return sweep(this.#stores, this.#pipeline, now);
  }

  backups(folder?: string): string {
    return folder ?? backupFolder(this.#places, this.#config);
  }

  async backup(to: string | undefined, progress: SnapshotProgress) {
    await this.#snapshot;
    return takeSnapshot(this.#places, this.backups(to), new Date(), progress);
  }

  /** What is here goes into a snapshot first: a restore can be taken back by another. */
  async restore({ name, from, yes = false }: RestoreArgs) {
    const { memories, turns } = this.#stores.index.stats();
    needsYes(memories, yes);
    const folder = this.backups(from);
    const { name: chosen } = await new Snapshots(folder).verify(name);
    const before =
      memories + turns > 0 ? await new Snapshots(this.backups()).take(this.#places, new Date()) : undefined;
    const buried = [];
    for await (const record of this.#stores.ledger.read())
      if (record.kind === 'tombstone') buried.push(record);
    const snapshot = await layOut(this.#places, folder, chosen, buried);
    return { ...snapshot, ...(before ? { before: before.name } : {}) };
  }

  archive({ days = this.#archiveDays, dryRun = false }: Partial<ArchiveArgs>) {
    return archiveDays(this.#stores, { days, dryRun }, new Date());
  }

  async noteInjection(note: InjectionNote): Promise<void> {
    const { session, event, at, where, considered, reason, agent } = note;
    const memories = [...note.memories];
    const promptId = note.promptId ?? event;
    await this.#stores.ledger.append([
      {
        kind: 'injected',
        at,
        session,
        where,
        prompt: promptId,
        memories,
        considered,
        ...(reason ? { reason } : {}),
        ...(agent ? { agent } : {}),
      },
    ]);
    const place = agent ? 'subagent' : where;
    this.#stores.index.recordInjection(
      memories.map(({ id, score }) => ({ at, session, place, promptId, memory: id, score })),
    );
  }

  async noteRedactions({
    at,
    counts,
  }: {
    at: string;
    counts: Readonly<Record<string, number>>;
  }): Promise<void> {
    if (Object.keys(counts).length === 0) return;
    await this.#stores.ledger.append([{ kind: 'redacted', at, counts }]);
    this.#stores.index.addRedactions(counts);
  }

  async noteUse({ session, memories, how }: UseNote): Promise<void> {
    const at = new Date().toISOString();
    const uses = memories.map((memory) => ({ at, session, memory, how }));
    await this.#stores.ledger.append(uses.map((use) => ({ kind: 'used', ...use }) as const));
    this.#stores.index.recordUse(uses);
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
    if (!args.dryRun) await this.noteRedactions({ at: new Date().toISOString(), counts: report.redactions });
    return report;
  }

  /** The project a folder belongs to, or would once something of it is kept. */
  async #asked({ projectDir }: { readonly projectDir?: string }): Promise<{ project?: string }> {
    if (projectDir === undefined) return {};
    return { project: (await findPlace(this.#stores, projectDir, EVERYWHERE)).project.id };
  }

  async remember(args: ByHand) {
    const memory = await rememberByHand(this.#stores, args, new Date());
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

  async pause({ paused, scope, of }: PauseArgs) {
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

  async journalChanged(): Promise<void> {
    this.#changeTold = false;
    const spoilt = await healJournal(this.#stores, this.#places, this.backups(), new Date());
    await remakeEntries(this.#stores, spoilt);
    tellHealed(spoilt.map(({ path }) => `journal/${path}`));
    const intake = await takeInJournal(this.#stores, this.#places);
    this.#note(intake);
    const { files, upserted, removed } = intake;
    if (files + intake.heard > 0) notice('journal changed', { files, upserted, removed });
  }

  #note({ byHand, copies, heard }: Intake): void {
    for (const path of byHand) this.#byHand.add(path);
    if (copies.length > 0) notice('copies taken in', { copies });
    if (heard > 0) notice('forgotten elsewhere', { memories: heard });
  }

  async moveJournal(args: MoveArgs) {
    const place = await moveJournal(this.#stores, this.#places, args, new Date());
    notice('journal moved', { project: place.project, kind: place.kind });
    return place;
  }

  whereJournal(dir: string) {
    return whereJournal(this.#stores, this.#places, dir);
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

  /** Beside everything else: the first one of a large store takes a while. */
  async #snapshotIfDue(now: Date): Promise<void> {
    const folder = this.backups();
    const { memories, turns } = this.#stores.index.stats();
    if (memories + turns === 0) return;
    if (this.#snapshot || !(await isSnapshotDue(folder, this.#config['backup.days'], now))) return;
    this.#snapshot = takeSnapshot(this.#places, folder, now, () => this.#closing.signal.throwIfAborted())
      .then(({ name, files, bytes }) => notice('snapshot', { name, files, bytes }))
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) toldAs('snapshot')(error);
      })
      .finally(() => (this.#snapshot = undefined));
  }

  async #archiveDaily(now: Date): Promise<void> {
    const today = now.toISOString().slice(0, 10);
    if (today === this.#archivedOn) return;
    this.#archivedOn = today;
    const { days, entries, skipped } = await archiveDays(this.#stores, { days: this.#archiveDays }, now);
    if (days + skipped.length > 0) notice('archived', { days, entries, skipped });
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
function toldAs(what: string): (error: unknown) => void {
  return (error) =>
    notice(`${what} not taken in`, { error: error instanceof Error ? error.message : String(error) });
}
