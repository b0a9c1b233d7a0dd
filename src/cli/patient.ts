/** Says that one waits, where a call takes its time and tells nothing on the way. Changes nothing about the call. */
import type { Client } from '../daemon/index.ts';
import type { Screen } from './screen.ts';

/** An answer comes in milliseconds; past this the daemon is at something long, as building its index anew. */
const WAITING_MS = 2000;

export function patient(client: Client, screen: Pick<Screen, 'progress' | 'done'>): Client {
  return {
    ...client,
    call: async <T>(...[method, args, onProgress, signal]: Parameters<Client['call']>): Promise<T> => {
      if (onProgress) return client.call<T>(method, args, onProgress, signal);
      let isShown = false;
      const timer = setTimeout(() => {
        isShown = true;
        screen.progress('Waiting for the daemon, which is busy (tidemark status, tidemark logs)…');
      }, WAITING_MS);
      try {
        return await client.call<T>(method, args, onProgress, signal);
      } finally {
        clearTimeout(timer);
        if (isShown) screen.done();
      }
    },
  };
}
