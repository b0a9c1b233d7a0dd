/** Remembers which process runs the client of a session. A client that was killed sends no event; its process is gone. */
import type { ClientProcess } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { isSame } from '../files/index.ts';

/** Kept in the index only: without it, a killed client is noticed later, by its silence. */
export function noteClient(index: MemoryIndex, session: string, client: ClientProcess): void {
  const noted = JSON.stringify(client);
  if (index.meta(clientKey(session)) !== noted) index.setMeta(clientKey(session), noted);
}

/** Whether the client's process is known and does not run any more. */
export function isClientGone(index: MemoryIndex, session: string): boolean {
  const noted = index.meta(clientKey(session));
  if (!noted) return false;
  const { pid, startTime } = JSON.parse(noted) as ClientProcess; // written above
  return !isSame(pid, startTime);
}

function clientKey(session: string): string {
  return `client:${session}`;
}
