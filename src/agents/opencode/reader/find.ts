/** Finds OpenCode's sessions on this machine, newest first, with their subagents. Only reads. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash, given, TidemarkError } from '../../../core/index.ts';
import { isRegularFile } from '../../../files/index.ts';
import { isObject, textOf } from '../../reading/json.ts';
import { entriesOf, newestFirst, refusalOf } from '../../reading/listing.ts';
import {
  NO_CONVERSATION,
  type FoundFiles,
  type FoundTranscript,
  type RefusedFile,
  type Subagent,
  type TranscriptFile,
  type TranscriptState,
} from '../../transcript.ts';
import { DATABASE, placeOf, sessionPath } from '../places.ts';
import { SessionDatabase, type SessionRow } from './database.ts';

/** Subagents of subagents; the client allows one level unless it is set to more. */
const MAX_DEPTH = 8;

/** Every conversation of the user in the databases of the folder, or in the one database that is named. */
export function findSessions(place: string): FoundFiles {
  const refused: RefusedFile[] = [];
  const files: TranscriptFile[] = [];
  const look = (path: string): void => {
    try {
      files.push(...sessionsIn(path));
    } catch (error) {
      refused.push({ path, reason: reasonOf(error) });
    }
  };
  if (isRegularFile(place)) look(place);
  else
    for (const entry of entriesOf(place).filter(({ name }) => DATABASE.test(name))) {
      const path = join(place, entry.name);
      if (entry.isFile()) look(path);
      else refused.push({ path, reason: refusalOf(entry) });
    }
  return { files: newestFirst(files), refused };
}

/** Returns session and folder, or the reason why there is none. */
export async function describeSession(file: TranscriptFile): Promise<FoundTranscript | string> {
  try {
    return (
      withSession(file.path, (database, session, path) => ({
        ...file,
        session: session.id,
        projectDir: session.directory,
        startedAt: new Date(session.created).toISOString(),
        subagents: descendants(database, session.id).map(({ id }) => sessionPath(path, id)),
      })) ?? NO_CONVERSATION
    );
  } catch (error) {
    return reasonOf(error);
  }
}

/** Shows whether a session has changed. Undefined if the database or the session is missing. */
export function sessionState(path: string): TranscriptState | undefined {
  const stamp = stampOf(placeOf(path)?.database);
  const known = states.get(path);
  if (known && known.stamp === stamp) return known.state;
  const state = withSession(path, (database, session, file) => {
    const changed = database.lastChange(session);
    const headHash = contentHash(`${session.id}\n${session.created}`).slice(0, 16);
    return { size: changed, mtime: changed, inode: statSync(file).ino, headHash };
  });
  if (stamp !== undefined && state) states.set(path, { stamp, state });
  else states.delete(path);
  return state;
}

/** The daemon asks for every session each minute, and all of them are in one file. */
const states = new Map<string, { readonly stamp: string; readonly state: TranscriptState }>();
/** Two writes within a tick of the clock have the same time. */
const QUIET_MS = 2000;

/** Changes with the database. Undefined if it has just changed, or is missing. */
function stampOf(database: string | undefined): string | undefined {
  if (database === undefined) return undefined;
  const stats = [database, `${database}-wal`].map((file) => statSync(file, { throwIfNoEntry: false }));
  const isQuiet = stats.every((stat) => !stat || Date.now() - stat.mtimeMs > QUIET_MS);
  const stamp = stats.map((stat) => (stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : '')).join('\n');
  return isQuiet && stats[0] ? stamp : undefined;
}

export async function subagentsOf(path: string): Promise<readonly Subagent[]> {
  const found = withSession(path, (database, session, file) => {
    const calls = callsIn(database, session.id);
    return descendants(database, session.id).map(({ id }) => ({
      id,
      path: sessionPath(file, id),
      ...given({ toolUseId: calls.get(id) }),
    }));
  });
  return found ?? [];
}

/** The conversation of the user that a subagent works for. */
export function mainOf(path: string): string | undefined {
  return withSession(path, (database, session, file) => {
    let top = session;
    for (let depth = 0; depth < MAX_DEPTH && top.parent !== undefined; depth++)
      top = database.session(top.parent) ?? top;
    return top.id === session.id ? undefined : sessionPath(file, top.id);
  });
}

function sessionsIn(path: string): readonly TranscriptFile[] {
  const database = SessionDatabase.open(path);
  try {
    return (database?.mainSessions() ?? []).map(({ id, bytes, updated }) => ({
      path: sessionPath(path, id),
      bytes,
      modifiedAt: new Date(updated),
    }));
  } finally {
    database?.close();
  }
}

/** The call that started each subagent, by the subagent's session. */
function callsIn(database: SessionDatabase, session: string): ReadonlyMap<string, string> {
  const calls = new Map<string, string>();
  for (const { json } of database.taskParts(session)) {
    const state = isObject(json?.['state']) ? json['state'] : {};
    const started = isObject(state['metadata']) ? textOf(state['metadata']['sessionId']) : undefined;
    const call = textOf(json?.['callID']);
    if (started !== undefined && call !== undefined) calls.set(started, call);
  }
  return calls;
}

function descendants(database: SessionDatabase, session: string, depth = 0): readonly SessionRow[] {
  if (depth >= MAX_DEPTH) return [];
  return database
    .subagentsOf(session)
    .flatMap((child) => [child, ...descendants(database, child.id, depth + 1)]);
}

function withSession<T>(
  path: string,
  work: (database: SessionDatabase, session: SessionRow, file: string) => T,
): T | undefined {
  const place = placeOf(path);
  const database = place && isRegularFile(place.database) ? SessionDatabase.open(place.database) : undefined;
  if (!place || !database) return undefined;
  try {
    const session = database.session(place.session);
    return session && work(database, session, place.database);
  } finally {
    database.close();
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof TidemarkError ? message.replace(/^cannot read .*?\.db: /, '') : message;
}
