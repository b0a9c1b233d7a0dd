/**
 * Picks up what no hook told of: transcripts that grew after a killed terminal, sessions that never ended.
 * Runs when the daemon starts and every minute after.
 */
import { existsSync, statSync } from 'node:fs';
import { subagentsOf } from '../agents/index.ts';
import type { TranscriptMark } from '../database/index.ts';
import { closeSession, IMPORTED, INTERRUPTED_AFTER_MS, type Stores } from '../memory/index.ts';
import type { Pipeline } from './pipeline.ts';

/** A terminal that was killed says nothing; a transcript this long without a word has been left. */
const LEFT_AFTER_MS = 60 * 60 * 1000;

export interface Swept {
  readonly read: number;
  readonly closed: number;
}

export async function sweep(stores: Stores, pipeline: Pipeline, now: Date): Promise<Swept> {
  let read = 0;
  for (const mark of [...stores.index.transcripts(), ...unread(stores)]) {
    const stat = statSync(mark.path, { throwIfNoEntry: false });
    const session = stores.index.session(mark.session);
    if (!stat || !session) continue;
    const left = session.status === 'active' && now.getTime() - stat.mtimeMs > LEFT_AFTER_MS;
    const grown = stat.size !== mark.size || stat.mtimeMs !== mark.mtime;
    if (!grown && !left) continue;
    const stopped = left ? { stoppedAt: stat.mtime.toISOString() } : {};
    await pipeline.read(session, mark.path, stopped);
    if (left) await pipeline.readSubagents(session, await subagentPaths(mark.path), stopped);
    read++;
  }
  let closed = 0;
  for (const session of stores.index.sessions({ status: 'active', limit: Number.MAX_SAFE_INTEGER })) {
    if (now.getTime() - Date.parse(session.lastAt) < INTERRUPTED_AFTER_MS) continue;
    if (session.transcript && existsSync(session.transcript))
      await pipeline.read(session, session.transcript, { stoppedAt: now.toISOString() });
    else await pipeline.keepNoted(session);
    const at = stores.index.session(session.id)?.lastAt ?? session.lastAt;
    // An import that was cut short is ended as the import would have.
    if (session.source === IMPORTED)
      await closeSession(stores, session.id, { status: 'completed', at, reason: 'imported' });
    else await closeSession(stores, session.id, { status: 'interrupted', at });
    closed++;
  }
  return { read, closed };
}

/** A client that was killed in its first turn: its session is known, its transcript was not there when it said so. */
function unread(stores: Stores): readonly Pick<TranscriptMark, 'path' | 'session' | 'size' | 'mtime'>[] {
  const active = stores.index.sessions({ status: 'active', limit: Number.MAX_SAFE_INTEGER });
  return active.flatMap(({ id: session, transcript: path }) =>
    path === undefined || stores.index.transcript(path) ? [] : [{ path, session, size: -1, mtime: 0 }],
  );
}

async function subagentPaths(transcript: string): Promise<readonly string[]> {
  return (await subagentsOf(transcript)).map(({ path }) => path);
}
