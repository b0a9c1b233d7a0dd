/** The writer thread: the only one that changes journal, turn store, ledger and index. Each handler is one kind of change. */
import { join } from 'node:path';
import {
  type MoveArgs,
  noteInjection,
  noteRedactions,
  noteUse,
  type InjectionNote,
  type RedactionNote,
  type UseNote,
  storeFacts,
  type RememberRequest,
  type Extract,
} from '../../capture/index.ts';
import type { Places, SpooledEvent } from '../../core/index.ts';
import type { Embedded } from '../../database/index.ts';
import { Improver, type DistillArgs } from '../../distill/index.ts';
import { importExport } from '../../exchange/import/index.ts';
import { type Wish, type AskedProject, Team } from '../../exchange/sync/team/index.ts';
import { Reopenable } from '../../files/index.ts';
import {
  type ArchiveArgs,
  editMemory,
  mergeMemories,
  moveMemory,
  settleMemories,
  supersedeMemory,
  unmergeMemories,
  review,
  type Verdict,
  checkRevision,
  type Stores,
} from '../../memory/index.ts';
import type { MemoryPatch } from '../../storage/journal/index.ts';
import { listSnapshots, verifySnapshots } from '../../storage/snapshots/index.ts';
import type { RestoreArgs } from '../scheduling/chores.ts';
import { notice, serveCalls } from './worker-port.ts';
import {
  toldAs,
  Writer,
  type ForgetArgs,
  type HistoryArgs,
  type PauseArgs,
  type PeerArgs,
} from './writer.ts';

/** What the person saw when they decided, to tell a conflict. */
interface Seen {
  readonly revision?: string;
}

interface Ticket {
  readonly ticket: string;
}

export function serveWriter(places: Places, env: NodeJS.ProcessEnv): void {
  const writerStore = new Reopenable<Writer>({
    open: (why) =>
      Writer.open(places, env, why, () =>
        takeChanges()
          .then(() => team.wake())
          .catch(toldAs('journal changes')),
      ),
    close: (writer) => writer.close(),
    stale: (writer) => writer.stale(),
  });
  /** What was found may be a reason to open everything anew, which the next use does. */
  const takeChanges = async (): Promise<void> => {
    await writerStore.use((writer) => writer.journalChanged());
    await writerStore.use(() => {});
  };
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
    use: (work) => writerStore.use((writer) => work(writer.stores)),
    tell: notice,
  });
  const team = new Team({
    places,
    env,
    programs: __dirname,
    use: (work) => writerStore.use((writer) => work(writer.stores)),
    refresh: takeChanges,
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
    writerStore.use(async ({ stores }) => {
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
    ready: () => thenImprove(writerStore.use(() => {})),
    process: async ({ event, hurried }: { event: SpooledEvent; hurried: boolean }) => {
      const processed = await writerStore.use((writer) => {
        notice('begun', { id: event.id });
        return writer.process(event, hurried);
      });
      return processed === 'done' ? thenImprove(Promise.resolve(processed)) : processed;
    },
    sweep: ({ now }: { now?: string }) =>
      thenImprove(writerStore.use((writer) => writer.sweep(now ? new Date(now) : new Date()))),
    distill: (args: DistillArgs & Ticket) =>
      withTicket(args.ticket, (signal, progress) => improver.run(args, signal, progress)),
    'distill.health': () => improver.health(),
    injected: (answer: InjectionNote) => writerStore.use(({ stores }) => noteInjection(stores, answer)),
    redacted: (note: RedactionNote) => writerStore.use(({ stores }) => noteRedactions(stores, note)),
    cancel: ({ ticket }: Ticket) => cancels.get(ticket)?.abort(),
    reindex: ({ ticket }: Ticket) =>
      withTicket(ticket, (_, progress) => writerStore.alone((writer) => writer.reindex(progress))),
    mend: ({ why }: { why: string }) => writerStore.reopen(why),
    'embed.model': ({ model }: { model: string }) =>
      writerStore.use(({ stores }) => ({ changed: stores.index.setVectorModel(model) })),
    'embed.wanted': ({ limit }: { limit: number }) =>
      writerStore.use(({ stores }) => stores.index.unembedded(limit)),
    'embed.put': ({ model, embedded }: { model: string; embedded: readonly Embedded[] }) =>
      writerStore.use(({ stores }) => stores.index.putVectors(model, embedded)),
    'embed.counts': () => writerStore.use(({ stores }) => stores.index.vectorCounts()),
    'import.history': (args: HistoryArgs & Ticket) =>
      withTicket(args.ticket, (signal, progress) =>
        writerStore.use((writer) => writer.importHistory(args, signal, progress)),
      ),
    'import.export': ({ ticket, path }: Ticket & { path: string }) =>
      withTicket(ticket, (signal, progress) =>
        writerStore.use(({ stores }) => importExport(stores, places, path, progress, signal)),
      ),
    'import.peer': (args: PeerArgs & Ticket) =>
      withTicket(args.ticket, (signal, progress) =>
        writerStore.use((writer) => writer.importPeer(args, signal, progress)),
      ),
    remember: (args: RememberRequest) => thenExchange(writerStore.use((writer) => writer.remember(args))),
    forget: (args: ForgetArgs) => thenExchange(writerStore.use((writer) => writer.forget(args))),
    edit: (args: { id: string; patch: MemoryPatch } & Seen) =>
      byHand([args.id], args.revision, (stores) => editMemory(stores, args.id, args.patch)),
    settle: (args: { ids: readonly string[]; done: boolean } & Seen) =>
      byHand(args.ids, args.revision, (stores) => settleMemories(stores, args.ids, args.done)),
    supersede: (args: { old: string; by: string } & Seen) =>
      byHand([args.old, args.by], args.revision, (stores) => supersedeMemory(stores, args.old, args.by)),
    merge: (args: { ids: readonly string[] }) =>
      byHand(args.ids, undefined, (stores) => mergeMemories(stores, args.ids)),
    unmerge: (args: { ids: readonly string[] }) =>
      byHand(args.ids, undefined, (stores) => unmergeMemories(stores, args.ids)),
    move: (args: { id: string; project: string } & Seen) =>
      byHand([args.id], args.revision, (stores) => moveMemory(stores, args.id, args.project)),
    extract: (args: Extract) => thenExchange(writerStore.use(({ stores }) => storeFacts(stores, args))),
    'team.greet': (args: { server: string }) => team.greet(args),
    'team.login': (args: { server: string; key: string }) => team.login(args),
    'team.logout': () => team.logout(),
    'team.hub': () => team.hubLink(),
    'team.preview': (args: AskedProject) => team.preview(args),
    'team.share': (args: AskedProject & Wish) => team.share(args),
    'team.unshare': (args: { project: string }) => team.unshare(args),
    'team.now': () => team.now(),
    'team.seen': (args: { ids: readonly string[] }) => team.seen(args),
    backup: ({ ticket, to }: Ticket & { to?: string }) =>
      withTicket(ticket, (_, progress) => writerStore.use((writer) => writer.chores.backup(to, progress))),
    'backup.list': ({ from }: { from?: string }) =>
      writerStore.use((writer) => listSnapshots(writer.chores.backups(from))),
    'backup.verify': ({ from }: { from?: string }) =>
      writerStore.use((writer) => verifySnapshots(writer.chores.backups(from))),
    // Nobody may write to stores that are about to be replaced; whoever comes next finds them stale.
    restore: (args: RestoreArgs) =>
      writerStore
        .alone((writer) => writer.chores.restore(args))
        .then(async (restored) => {
          await writerStore.use(() => {});
          return restored;
        }),
    archive: (args: Partial<ArchiveArgs>) => writerStore.use((writer) => writer.chores.archive(args)),
    'journal.where': ({ dir }: { dir: string }) => writerStore.use((writer) => writer.journalLocation(dir)),
    'journal.move': (args: MoveArgs) => writerStore.alone((writer) => writer.moveJournal(args)),
    'journal.adopt': () => writerStore.use((writer) => writer.adoptAll()),
    review: (args: Verdict) =>
      writerStore.use(async ({ stores }) => {
        const done = await review(stores, args, new Date());
        notice('reviewed', { waiting: stores.index.waiting().length });
        if (args.approved) notice('remembered', { memories: done.map(({ id }) => id) });
        return done;
      }),
    pages: () => writerStore.use(({ stores }) => stores.pages.flush()),
    pause: (args: PauseArgs) => writerStore.use((writer) => writer.pause(args)),
    pauses: () => writerStore.use((writer) => writer.pauses()),
    used: (args: UseNote) => writerStore.use(({ stores }) => noteUse(stores, args)),
    close: async () => {
      await Promise.all([improver.stop(), team.stop()]);
      await writerStore.close();
    },
  });
}
