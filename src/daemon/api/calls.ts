/**
 * What clients ask of the daemon, method by method: few things are answered on the main thread, reading goes to the
 * reader, and whatever changes something goes to the single writer. Holds no state of its own.
 */
import { TidemarkError, type Places } from '../../core/index.ts';
import type { Spool } from '../../storage/spool/index.ts';
import type { DaemonStatus } from '../lifecycle/daemon.ts';
import type { Queue } from '../scheduling/queue.ts';
import type { UpdateNotifier } from '../scheduling/update-notifier.ts';
import type { HookHandler, EditQuestion } from '../socket/hook-handler.ts';
import type { HubServer } from '../socket/hub-server.ts';
import type { StoredBriefs } from '../socket/stored-briefs.ts';
import { SEARCH_VECTOR_MS, type EmbedClient } from '../workers/embed-client.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { setSetting, settingRows, type SettingChange } from './setting-rows.ts';
import type { Watchers } from './watchers.ts';

export interface CallParts {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly spool: Spool;
  readonly queue: Queue;
  readonly workers: WorkerPool;
  readonly embedder: EmbedClient;
  readonly briefs: StoredBriefs;
  readonly hooks: HookHandler;
  readonly notifier: UpdateNotifier;
  readonly watchers: Watchers;
  readonly hub: HubServer;
  readonly status: () => Promise<DaemonStatus>;
  readonly stop: () => void;
  /** Told while somebody follows what happens. */
  readonly onWatch: (change: 1 | -1) => void;
}

export interface Call {
  readonly method: string;
  readonly args: unknown;
  readonly progress: (facts: unknown) => void;
  readonly signal: AbortSignal;
}

export async function answerCall(
  parts: CallParts,
  { method, args, progress, signal }: Call,
): Promise<unknown> {
  const { places, env, spool, queue, workers, embedder, hooks, watchers } = parts;
  switch (method) {
    case 'status':
      return parts.status();
    case 'stop':
      setImmediate(parts.stop);
      return { pid: process.pid };
    case 'hub.link':
      return { url: (await parts.hub.open()).link() };
    case 'embed.renew':
      return embedder.renew();
    case 'embed.health':
      return embedder.health();
    case 'settings':
      return settingRows({ places, env });
    case 'settings.set': {
      const row = setSetting({ places, env }, args as SettingChange);
      if (row.key.startsWith('embed.')) void embedder.renew();
      watchers.tell('settings', { key: row.key });
      return row;
    }
    case 'read.found':
    case 'read.search': {
      const vector = await embedder.ask(String((args as { query?: unknown }).query), SEARCH_VECTOR_MS);
      return workers.read(method, { ...(args as object), ...(vector ? { vector } : {}) });
    }
    case 'before-edit':
      return { output: await hooks.beforeEdit(args as EditQuestion) };
    case 'poison.list':
      return spool.poisoned();
    case 'poison.retry':
      return retry(parts, (args as { ids: readonly string[] }).ids);
    case 'poison.drop':
      return drop(spool, (args as { ids: readonly string[] }).ids);
    case 'updates.look':
      return parts.notifier.lookForUpdate();
    case 'watch':
      parts.onWatch(1);
      return watchers.follow(progress, signal).finally(() => parts.onWatch(-1));
    case 'drain':
      await hooks.takeInbox();
      queue.wake();
      await queue.idle();
      await workers.write('pages', {});
      await workers.noted();
      return {};
    case 'pause':
    case 'forget': {
      const result = await workers.work(method, args as object, progress, signal);
      parts.briefs.dropAll();
      await spool.sweep();
      return result;
    }
    default:
      return method.startsWith('read.')
        ? workers.read(method, args)
        : workers.work(method, args as object, progress, signal);
  }
}

/** Gives events that were set aside another three tries; those that cannot be read as events stay where they are. */
async function retry(
  { spool, queue }: CallParts,
  ids: readonly string[],
): Promise<{ retried: readonly string[]; unreadable: readonly string[] }> {
  await knownPoison(spool, ids);
  const retried: string[] = [];
  const unreadable: string[] = [];
  for (const id of ids) ((await spool.restore(id)) ? retried : unreadable).push(id);
  queue.wake();
  return { retried, unreadable };
}

async function drop(spool: Spool, ids: readonly string[]): Promise<{ dropped: readonly string[] }> {
  await knownPoison(spool, ids);
  for (const id of ids) await spool.discard(id);
  return { dropped: ids };
}

async function knownPoison(spool: Spool, ids: readonly string[]): Promise<void> {
  const known = new Set((await spool.poisoned()).map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing === undefined) return;
  throw new TidemarkError('not-found', `no event is set aside as ${missing}`, {
    hint: 'See them all with: tidemark poison',
  });
}
