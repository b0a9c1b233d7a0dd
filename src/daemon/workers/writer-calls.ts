/** The writer thread: the only one that changes journal, turn store, ledger and index. */
import { join } from 'node:path';
import {
  journalLocation,
  moveJournal,
  noteInjection,
  noteRedactions,
  noteOpened,
  rememberFromUser,
  storeFacts,
} from '../../capture/index.ts';
import type { Places } from '../../core/index.ts';
import { Keeper } from '../../distill/index.ts';
import { addNotes, importExport, listNotes, removeNotes } from '../../exchange/import/index.ts';
import { Team } from '../../exchange/sync/team/index.ts';
import { Reopenable } from '../../files/index.ts';
import {
  checkRevision,
  editMemory,
  forgetMemories,
  mergeMemories,
  moveMemory,
  review,
  settleMemories,
  supersedeMemory,
  unforget,
  unmergeMemories,
  type Stores,
} from '../../memory/index.ts';
import { listSnapshots, verifySnapshots } from '../../storage/snapshots/index.ts';
import type { WriterCalls } from '../api/table.ts';
import { smallModel } from './_small-model.ts';
import { notice, serveCalls } from './worker-port.ts';
import { logFailure, Writer } from './writer.ts';

export function serveWriter(places: Places, env: NodeJS.ProcessEnv): void {
  const onJournalChange = () =>
    takeChanges()
      .then(() => team.wake())
      .catch((error: unknown) => logFailure('journal changes', error));
  const open = new Reopenable<Writer>({
    open: (why) => Writer.open(places, env, why, onJournalChange),
    close: (writer) => writer.close(),
    stale: (writer) => writer.stale(),
  });
  const use = <T>(work: (stores: Stores) => T | Promise<T>) => open.use(({ stores }) => work(stores));
  /** The second use opens everything again where the first one found a reason to. */
  const takeChanges = async (): Promise<void> => {
    await open.use((writer) => writer.journalChanged());
    await open.use(() => {});
  };
  const keeper = new Keeper({ use, model: smallModel, file: join(places.run, 'keeping.json'), tell: notice });
  const team = new Team({ places, env, programs: __dirname, use, refresh: takeChanges, tell: notice });
  const thenExchange = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    team.wake();
    return result;
  };
  /** For work that may have stored many turns: the small model reads them, and the next sweep exchanges the entries. */
  const thenKeep = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    keeper.wake();
    return result;
  };
  /** For work that may have stored a turn. */
  const thenKeepAndExchange = <T>(work: Promise<T>): Promise<T> => thenKeep(thenExchange(work));
  /** A change of memories by the user, reported to those who watch. `revision` is that of the first memory. */
  const byHand = <T>(
    ids: readonly string[],
    revision: string | undefined,
    change: (stores: Stores) => Promise<T>,
  ): Promise<T> =>
    thenExchange(
      use(async (stores) => {
        checkRevision(stores, ids[0] ?? '', revision);
        const result = await change(stores);
        notice('changed', { memories: ids });
        return result;
      }),
    );
  const close = async (): Promise<void> => {
    await Promise.all([keeper.stop(), team.stop()]);
    await open.close();
  };
  serveCalls<WriterCalls>({
    ready: () => thenKeepAndExchange(open.use(() => {})),
    rest: async () => {
      const isBusy = keeper.busy || team.busy;
      if (isBusy || (await open.use(({ chores }) => chores.busy))) return false;
      await close();
      return true;
    },
    process: async ({ event, hurried }) => {
      const processed = await open.use((writer) => {
        notice('begun', { id: event.id });
        return writer.process(event, hurried);
      });
      if (processed !== 'done') return processed;
      return thenKeepAndExchange(Promise.resolve(processed));
    },
    sweep: ({ now }) =>
      thenKeepAndExchange(open.use((writer) => writer.sweep(now ? new Date(now) : new Date()))),
    injected: (note) => use((stores) => noteInjection(stores, note)),
    redacted: (note) => use((stores) => noteRedactions(stores, note)),
    opened: (note) => use((stores) => noteOpened(stores, note)),
    repair: ({ why }) => open.reopen(why),
    reindex: (_, { progress }) => thenKeep(open.alone((writer) => writer.reindex(progress))),
    'sample.remove': () => open.alone((writer) => writer.removeSample()),
    pause: (args) => open.use((writer) => writer.pause(args)),
    close,

    'embed.model': ({ model }) => use(({ index }) => ({ changed: index.setVectorModel(model) })),
    'embed.wanted': ({ limit }) => use(({ index }) => index.unembedded(limit)),
    'embed.put': ({ model, embedded }) => use(({ index }) => index.putVectors(model, embedded)),
    'embed.counts': () => use(({ index }) => index.vectorCounts()),
    'import.history': (args, task) => thenKeep(open.use((writer) => writer.importHistory(args, task))),
    'import.peer': (args, task) => thenKeep(open.use((writer) => writer.importPeer(args, task))),
    'import.export': ({ path }, { signal, progress }) =>
      use((stores) => importExport(stores, places, path, progress, signal)),

    'notes.add': (args) => use((stores) => addNotes(stores, places, args)),
    'notes.remove': ({ folder }) => use(async (stores) => (await removeNotes(stores, folder)) ?? null),
    'notes.list': () => use(async (stores) => listNotes(stores)),

    remember: (args) =>
      thenExchange(
        use(async (stores) => {
          const memory = await rememberFromUser(stores, args, new Date());
          notice('remembered', { memories: [memory.id] });
          return memory;
        }),
      ),
    note: (args) =>
      thenExchange(
        open.use(async (writer) => {
          const outcome = await writer.note(args);
          if (outcome.kind === 'stored' && outcome.memory && !outcome.waits)
            notice('remembered', { memories: [outcome.memory.id] });
          return outcome;
        }),
      ),
    extract: (args) => thenExchange(use((stores) => storeFacts(stores, args))),
    forget: ({ ids, undo = false, now = false, revision }) =>
      thenExchange(
        use(async (stores) => {
          const at = new Date();
          if (!undo) checkRevision(stores, ids[0] ?? '', revision);
          const done = undo
            ? await unforget(stores, places, ids, at)
            : await forgetMemories(stores, places, ids, { at, erase: now, byUser: true });
          notice(undo ? 'restored' : 'forgotten', { memories: done });
          return done;
        }),
      ),
    undo: (args) =>
      thenExchange(
        open.use(async (writer) => {
          const undone = await writer.undo(args);
          if (args.preview) return undone;
          const { step, forgotten, restored } = undone;
          const [how, memories] =
            step === 'forget' ? (['restored', restored] as const) : (['forgotten', forgotten] as const);
          notice(how, { memories: memories.map(({ id }) => id) });
          return undone;
        }),
      ),
    edit: ({ id, patch, revision }) => byHand([id], revision, (stores) => editMemory(stores, id, patch)),
    settle: ({ ids, done, revision }) => byHand(ids, revision, (stores) => settleMemories(stores, ids, done)),
    supersede: ({ old, by, revision }) =>
      byHand([old, by], revision, (stores) => supersedeMemory(stores, old, by)),
    merge: ({ ids }) => byHand(ids, undefined, (stores) => mergeMemories(stores, ids)),
    unmerge: ({ ids }) => byHand(ids, undefined, (stores) => unmergeMemories(stores, ids)),
    move: ({ id, project, revision }) => byHand([id], revision, (stores) => moveMemory(stores, id, project)),
    review: (args) =>
      use(async (stores) => {
        const done = await review(stores, args, new Date());
        notice('reviewed', { waiting: stores.index.waiting().length });
        if (args.approved) notice('remembered', { memories: done.map(({ id }) => id) });
        return done;
      }),

    'team.greet': (args) => team.greet(args),
    'team.login': (args) => team.login(args),
    'team.logout': () => team.logout(),
    'team.hub': () => team.hubLink(),
    'team.preview': (args) => team.preview(args),
    'team.share': (args) => team.share(args),
    'team.unshare': (args) => team.unshare(args),
    'team.decide': (args) => team.decide(args),
    'team.now': () => team.now(),
    'team.seen': (args) => team.seen(args),

    backup: ({ to }, { progress }) => open.use(({ chores }) => chores.backup(to, progress)),
    'backup.list': ({ from }) => open.use(({ chores }) => listSnapshots(chores.backups(from))),
    'backup.verify': ({ from }) => open.use(({ chores }) => verifySnapshots(chores.backups(from))),
    // Alone: no one may write to stores that are about to be replaced. The next use finds them stale.
    restore: async (args) => {
      const restored = await open.alone(({ chores }) => chores.restore(args));
      await thenKeep(open.use(() => {}));
      return restored;
    },
    'restore.preview': (args) => open.alone(({ chores }) => chores.previewRestore(args)),
    archive: (args) => open.use(({ chores }) => chores.archive(args)),
    'journal.where': ({ dir }) => use((stores) => journalLocation(stores, places, dir)),
    'journal.move': (args) =>
      open.alone(async ({ stores }) => {
        const place = await moveJournal(stores, places, args, new Date());
        notice('journal moved', { project: place.project, kind: place.kind });
        return place;
      }),
    'journal.adopt': () => open.use((writer) => writer.adoptAll()),
  });
}
