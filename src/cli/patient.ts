/** Shows "waiting" during a slow call that reports no progress. Does not change the call itself. */
import type { Client } from '../daemon/index.ts';
import type { Screen } from './screen.ts';

/** An answer takes milliseconds; after this the daemon is busy with something long, such as rebuilding its index. */
const WAITING_MS = 2000;

export function patient(client: Client, screen: Pick<Screen, 'progress' | 'done'>): Client {
  return {
    ...client,
    call: async (name, args, onProgress, signal) => {
      if (onProgress) return client.call(name, args, onProgress, signal);
      let isShown = false;
      const timer = setTimeout(() => {
        isShown = true;
        screen.progress('Waiting for the daemon, which is busy (tidemark status, tidemark logs)…');
      }, WAITING_MS);
      try {
        return await client.call(name, args, onProgress, signal);
      } finally {
        clearTimeout(timer);
        if (isShown) screen.done();
      }
    },
  };
}
