/**
 * What clients ask of the daemon, method by method: few things are answered on the main thread, reading goes to the
 * reader, and whatever changes something goes to the single writer. Holds no state of its own.
 */
import { TidemarkError, type Places } from '../../core/index.ts';
import type { Spool } from '../../storage/spool/index.ts';
import type { DaemonStatus } from '../lifecycle/daemon.ts';
import type { Queue } from '../scheduling/queue.ts';
import type { Lookout } from '../scheduling/update-notifier.ts';
import type { Desk, EditQuestion } from '../socket/hook-handler.ts';
import type { HubSeat } from '../socket/hub-server.ts';
import type { KeptBriefs } from '../socket/stored-briefs.ts';
import { SEARCH_VECTOR_MS, type Meaning } from '../workers/embed-client.ts';
import type { Staff } from '../workers/worker-pool.ts';
import { setSetting, settingRows, type SettingChange } from './setting-rows.ts';
import type { Watchers } from './watchers.ts';

export interface CallParts {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly spool: Spool;
  readonly queue: Queue;
  readonly staff: Staff;
  readonly meaning: Meaning;
  readonly briefs: KeptBriefs;
  readonly desk: Desk;
  readonly lookout: Lookout;
  readonly watchers: Watchers;
  readonly hub: HubSeat;
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
  const { places, env, spool, queue, staff, meaning, desk, watchers } = parts;
  switch (method) {
    case 'status':
      return parts.status();
    case 'stop':
      setImmediate(parts.stop);
      return { pid: process.pid };
    case 'hub.link':
      return { url: (await parts.hub.open()).link() };
    case 'embed.renew':
      return meaning.renew();
    case 'embed.health':
      return meaning.health();
    case 'settings':
      return settingRows({ places, env });
    case 'settings.set': {
      const row = setSetting({ places, env }, args as SettingChange);
      if (row.key.startsWith('embed.')) void meaning.renew();
      watchers.tell('settings', { key: row.key });
      return row;
    }
    case 'read.found':
    case 'read.search': {
      const vector = await meaning.ask(String((args as { query?: unknown }).query), SEARCH_VECTOR_MS);
      return staff.read(method, { ...(args as object), ...(vector ? { vector } : {}) });
    }
    case 'before-edit':
      return { output: await desk.beforeEdit(args as EditQuestion) };
    case 'poison.list':
      return spool.poisoned();
    case 'poison.retry':
      return retry(parts, (args as { ids: readonly string[] }).ids);
    case 'poison.drop':
      return drop(spool, (args as { ids: readonly string[] }).ids);
    case 'updates.look':
      return parts.lookout.lookForUpdate();
    case 'watch':
      parts.onWatch(1);
      return watchers.follow(progress, signal).finally(() => parts.onWatch(-1));
    case 'drain':
      await desk.takeInbox();
      queue.wake();
      await queue.idle();
      await staff.write('pages', {});
      await staff.noted();
      return {};
    case 'pause':
    case 'forget': {
      const result = await staff.work(method, args as object, progress, signal);
      parts.briefs.dropAll();
      await spool.sweep();
      return result;
    }
    default:
      return method.startsWith('read.')
        ? staff.read(method, args)
        : staff.work(method, args as object, progress, signal);
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
