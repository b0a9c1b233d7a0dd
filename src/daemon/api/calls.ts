/** Answers the daemon's calls: on the main thread, or by passing them to the reader or the writer. Has no state. */
import * as v from 'valibot';
import { given, TidemarkError, type Places } from '../../core/index.ts';
import type { Spool } from '../../storage/spool/index.ts';
import type { DaemonStatus } from '../lifecycle/daemon.ts';
import type { Queue } from '../scheduling/queue.ts';
import type { UpdateNotifier } from '../scheduling/update-notifier.ts';
import type { HookHandler } from '../socket/hook-handler.ts';
import type { HubServer } from '../socket/hub-server.ts';
import type { StoredBriefs } from '../socket/stored-briefs.ts';
import { SEARCH_VECTOR_MS, type EmbedClient } from '../workers/embed-client.ts';
import type { SmallClient } from '../workers/small-client.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { setSetting, settingRows } from './setting-rows.ts';
import {
  CALLS,
  type ArgsOf,
  type CallName,
  type Handlers,
  type MainCalls,
  type ResultOf,
  type Task,
} from './table.ts';
import type { Watchers } from './watchers.ts';

export interface CallParts {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly spool: Spool;
  readonly queue: Queue;
  readonly workers: WorkerPool;
  readonly embedder: EmbedClient;
  readonly small: SmallClient;
  readonly briefs: StoredBriefs;
  readonly hooks: HookHandler;
  readonly notifier: UpdateNotifier;
  readonly watchers: Watchers;
  readonly hub: HubServer;
  readonly status: () => Promise<DaemonStatus>;
  readonly stop: () => void;
}

export type AnswerCall = <N extends CallName>(name: N, args: ArgsOf<N>, task: Task) => Promise<ResultOf<N>>;

/** Checks a call from outside. Throws `unknown-call` or `bad-call`. */
export function parseCall(name: string, args: unknown): { readonly name: CallName; readonly args: never } {
  const hint = 'The client and the daemon may be of different versions. Run: tidemark doctor';
  if (!isCallName(name))
    throw new TidemarkError('unknown-call', `the daemon has no call "${name}"`, { hint });
  const parsed = v.safeParse(CALLS[name].args, args);
  // `never`: the schema of this name has checked them, and no type ties the two together.
  if (parsed.success) return { name, args: parsed.output as never };
  const [issue] = parsed.issues;
  const where = v.getDotPath(issue);
  throw new TidemarkError('bad-call', `${name}: ${where ? `${where}: ` : ''}${issue.message}`, { hint });
}

export function answerCalls(parts: CallParts): AnswerCall {
  const main = mainHandlers(parts);
  const { workers, embedder } = parts;
  // `as never` below: the table ties name, arguments and thread together, TypeScript cannot follow it here.
  return async (name, args, task) => {
    switch (CALLS[name].side) {
      case 'main':
        return (await main[name as keyof MainCalls](args as never, task)) as never;
      case 'reader':
        return (await workers.read(name as never, args as never)) as never;
      case 'writer':
        try {
          return (await workers.write(name as never, args as never, { timeoutMs: 0, ...task })) as never;
        } finally {
          // Any of them, an import above all, may have stored a text that needs a vector.
          embedder.wake();
        }
    }
  };
}

function mainHandlers(parts: CallParts): Handlers<MainCalls> {
  const { places, env, spool, queue, workers, embedder, briefs, hooks, watchers } = parts;
  /** Removes paused or forgotten content from stored briefs and the spool too. */
  const thenClean = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    briefs.dropAll();
    await spool.sweep();
    return result;
  };
  const reload = async (): Promise<void> => {
    await Promise.all([embedder.reload(), parts.small.reload()]);
  };
  const processAll = async (): Promise<void> => {
    await hooks.takeInbox();
    queue.wake();
    await queue.idle();
  };
  return {
    status: () => parts.status(),
    stop: () => {
      setImmediate(parts.stop);
      return { pid: process.pid };
    },
    drain: async () => {
      await processAll();
      await workers.write('ready', {}); // opens and repairs the stores, also without an event
      return workers.settled().then(() => ({}));
    },
    watch: (_, { progress, signal }) => watchers.follow(progress, signal),
    'hub.link': async () => ({ url: (await parts.hub.open()).link() }),
    'updates.check': () => parts.notifier.checkUpdate(),
    settings: () => settingRows({ places, env }),
    'settings.set': (change) => {
      const row = setSetting({ places, env }, change);
      if (row.key.startsWith('embed.')) void reload();
      watchers.publish('settings', { key: row.key });
      return row;
    },
    'embed.reload': reload,
    'embed.health': () => embedder.health(),
    'keep.health': async () => {
      const found = parts.small.found();
      return {
        ...(found.kind === 'model' ? { model: found.version } : { ...found, model: null }),
        ...(await workers.read('keep.counts', {})),
        ...workers.keeping,
      };
    },
    'after-read': async (question) => ({ output: await hooks.atToolCall.afterRead(question) }),
    'before-edit': async (question) => ({ output: await hooks.atToolCall.beforeEdit(question) }),
    'before-command': async (question) => ({ output: await hooks.atToolCall.beforeCommand(question) }),
    'quarantine.list': () => spool.quarantined(),
    'quarantine.retry': async ({ ids }) => {
      await requireQuarantined(spool, ids);
      const retried: string[] = [];
      const unreadable: string[] = [];
      for (const id of ids) ((await spool.restore(id)) ? retried : unreadable).push(id);
      queue.wake();
      return { retried, unreadable };
    },
    'quarantine.drop': async ({ ids }) => {
      await requireQuarantined(spool, ids);
      for (const id of ids) await spool.discard(id);
      return { dropped: ids };
    },
    'read.search': async (args) => {
      const vector = await embedder.ask(args.query, SEARCH_VECTOR_MS);
      return workers.read('read.search', { ...args, ...given({ vector }) });
    },
    'read.found': async (args) => {
      const vector = await embedder.ask(args.query, SEARCH_VECTOR_MS);
      return workers.read('read.found', { ...args, ...given({ vector }) });
    },
    pause: (args) => thenClean(workers.write('pause', args, { timeoutMs: 0 })),
    forget: (args) => thenClean(workers.write('forget', args, { timeoutMs: 0 })),
    undo: async (args) => {
      await processAll(); // the user may be faster than the last turn
      return thenClean(workers.write('undo', args, { timeoutMs: 0 }));
    },
  };
}

function isCallName(name: string): name is CallName {
  return Object.hasOwn(CALLS, name);
}

async function requireQuarantined(spool: Spool, ids: readonly string[]): Promise<void> {
  const known = new Set((await spool.quarantined()).map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing === undefined) return;
  throw new TidemarkError('not-found', `no event is set aside as ${missing}`, {
    hint: 'See them all with: tidemark failed',
  });
}
