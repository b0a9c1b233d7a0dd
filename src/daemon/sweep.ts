/**
 * Picks up what no hook told of: transcripts that grew after a killed terminal, sessions that never ended.
 * Runs when the daemon starts and every minute after.
 */
import { statSync } from 'node:fs';
import type { Pipeline } from './pipeline.ts';
import { closeSession, INTERRUPTED_AFTER_MS } from './sessions.ts';
import type { Stores } from './stores.ts';

/** A terminal that was killed says nothing; a transcript this long without a word has been left. */
const LEFT_AFTER_MS = 60 * 60 * 1000;

export interface Swept {
  readonly read: number;
  readonly closed: number;
}

export async function sweep(stores: Stores, pipeline: Pipeline, now: Date): Promise<Swept> {
  let read = 0;
  for (const mark of stores.index.transcripts()) {
    const stat = statSync(mark.path, { throwIfNoEntry: false });
    const session = stores.index.session(mark.session);
    if (!stat || !session) continue;
    const left = session.status === 'active' && now.getTime() - stat.mtimeMs > LEFT_AFTER_MS;
    const grown = stat.size !== mark.size || stat.mtimeMs !== mark.mtime;
    if (!grown && !left) continue;
    await pipeline.read(session, mark.path, left ? { stoppedAt: stat.mtime.toISOString() } : {});
    read++;
  }
  let closed = 0;
  for (const session of stores.index.sessions({ status: 'active', limit: Number.MAX_SAFE_INTEGER })) {
    if (now.getTime() - Date.parse(session.lastAt) < INTERRUPTED_AFTER_MS) continue;
    if (session.transcript)
      await pipeline.read(session, session.transcript, { stoppedAt: now.toISOString() });
    await closeSession(stores, session.id, { status: 'interrupted', at: session.lastAt });
    closed++;
  }
  return { read, closed };
}
