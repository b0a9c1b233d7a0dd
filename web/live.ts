/**
 * Live events from the server, over one stream that continues where it broke off. A hidden page closes its stream,
 * because a browser has few connections to one address and every tab would use one.
 */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { CaptureHealth, ImportState, LiveEvent } from '../src/http/index.ts';
import { ApiError, listen } from './api.ts';
import { storeOf } from './store.ts';

export type Connection = 'connecting' | 'connected' | 'offline' | 'locked';
export type ShownEvent = Extract<LiveEvent, { kind: 'memories' | 'recall' }>;

export interface LiveEntry {
  readonly key: number;
  readonly at: string;
  readonly event: ShownEvent;
}

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;
const MOST_EVENTS = 200;

export const connection = storeOf<Connection>('connecting');
export const liveEntries = storeOf<readonly LiveEntry[]>([]);
export const importing = storeOf<ImportState | undefined>(undefined);
/** From the last overview. */
export const health = storeOf<CaptureHealth | undefined>(undefined);
export const waiting = storeOf<number | undefined>(undefined);
/** Grows whenever memories may have changed; views then load again. */
export const changes = storeOf(0);
export const settingChanges = storeOf(0);

let lastId = '';
let key = 0;

export function memoriesChanged(): void {
  changes.set((count) => count + 1);
}

/** Follows the stream while the page is visible. Returns a function that ends it. */
export function followLive(): () => void {
  let over: AbortController | undefined;
  const visibilityChanged = () => {
    if (document.hidden) {
      over?.abort();
      over = undefined;
    } else if (!over) {
      over = new AbortController();
      void follow(over.signal);
    }
  };
  document.addEventListener('visibilitychange', visibilityChanged);
  visibilityChanged();
  return () => {
    document.removeEventListener('visibilitychange', visibilityChanged);
    over?.abort();
  };
}

async function follow(signal: AbortSignal): Promise<void> {
  let pause = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const response = await listen('/events', lastId, signal);
      // Events may have been missed: load everything again.
      if (connection.get() === 'offline') memoriesChanged();
      connection.set(() => 'connected');
      pause = FIRST_RETRY_MS;
      if (response.body) await read(response.body);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.code === 'locked') return connection.set(() => 'locked');
    }
    if (signal.aborted) return;
    connection.set(() => 'offline');
    await pauseFor(pause, signal);
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
    // The server has the same version as this page, so the types match.
    take(JSON.parse(value.data) as LiveEvent);
  }
}

function take(event: LiveEvent): void {
  switch (event.kind) {
    case 'memories':
    case 'recall': {
      const at = event.kind === 'recall' ? event.at : new Date().toISOString();
      liveEntries.set((entries) => [{ key: ++key, at, event }, ...entries].slice(0, MOST_EVENTS));
      return memoriesChanged();
    }
    case 'review':
      waiting.set(() => event.waiting);
      return memoriesChanged();
    case 'import':
      return importing.set(() => event.state);
    case 'settings':
      return settingChanges.set((count) => count + 1);
    case 'reset':
      return memoriesChanged();
  }
}

/** Waits until the next try, until the machine is online again, or until the page is hidden. */
function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
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
