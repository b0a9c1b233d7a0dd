/**
 * What happens while the page is open: one stream from the daemon, taken up where it broke off. A page that is not
 * looked at lets go of it: a browser has few connections to one address, and every tab would hold one.
 */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { CaptureHealth, ImportState, LiveEvent } from '../src/http/index.ts';
import { ApiError, listen } from './api.ts';
import { storeOf } from './store.ts';

export type Connection = 'connecting' | 'connected' | 'offline' | 'locked';
export type Happening = Extract<LiveEvent, { kind: 'memories' | 'recall' }>;

export interface LiveEntry {
  readonly key: number;
  readonly at: string;
  readonly event: Happening;
}

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;
const KEPT = 200;

export const connection = storeOf<Connection>('connecting');
export const happened = storeOf<readonly LiveEntry[]>([]);
export const importing = storeOf<ImportState | undefined>(undefined);
/** As last told; the overview brings it along. */
export const health = storeOf<CaptureHealth | undefined>(undefined);
export const waiting = storeOf<number | undefined>(undefined);
/** Grows whenever memories may have changed: who shows some asks again. */
export const changes = storeOf(0);
export const settingChanges = storeOf(0);

let lastId = '';
let key = 0;

export function touched(): void {
  changes.set((count) => count + 1);
}

/** Follows the stream as long as somebody looks. Returns what ends it. */
export function followLive(): () => void {
  let over: AbortController | undefined;
  const looked = () => {
    if (document.hidden) {
      over?.abort();
      over = undefined;
    } else if (!over) {
      over = new AbortController();
      void follow(over.signal);
    }
  };
  document.addEventListener('visibilitychange', looked);
  looked();
  return () => {
    document.removeEventListener('visibilitychange', looked);
    over?.abort();
  };
}

async function follow(signal: AbortSignal): Promise<void> {
  let pause = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const response = await listen('/events', lastId, signal);
      // What came while nobody listened and cannot be told any more is asked for.
      if (connection.get() === 'offline') touched();
      connection.set(() => 'connected');
      pause = FIRST_RETRY_MS;
      if (response.body) await read(response.body);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.code === 'locked') return connection.set(() => 'locked');
    }
    if (signal.aborted) return;
    connection.set(() => 'offline');
    await rest(pause, signal);
    pause = Math.min(LAST_RETRY_MS, pause * 2);
  }
}

async function read(body: ReadableStream<BufferSource>): Promise<void> {
  const events = body
    .pipeThrough(new TextDecoderStream() as TransformStream<BufferSource, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await events.read();
    if (done) return;
    if (value.id !== undefined) lastId = value.id;
    // The daemon of this page's own version made it.
    take(JSON.parse(value.data) as LiveEvent);
  }
}

function take(event: LiveEvent): void {
  switch (event.kind) {
    case 'memories':
    case 'recall': {
      const at = event.kind === 'recall' ? event.at : new Date().toISOString();
      happened.set((entries) => [{ key: ++key, at, event }, ...entries].slice(0, KEPT));
      return touched();
    }
    case 'review':
      waiting.set(() => event.waiting);
      return touched();
    case 'import':
      return importing.set(() => event.state);
    case 'settings':
      return settingChanges.set((count) => count + 1);
    case 'reset':
      return touched();
  }
}

/** Until it is time to try again, or the machine says it is back on its net, or nobody looks any more. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    signal.addEventListener('abort', end, { once: true });
  });
}
