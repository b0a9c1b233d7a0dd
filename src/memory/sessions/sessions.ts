/** Starts, continues and ends sessions: each change is a record of the ledger and is applied to the index. */
import {
  FIRST_AGENT,
  given,
  type SessionStatus,
  type SessionSummary,
  type StoredTurn,
} from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import type { LedgerRecord } from '../../storage/ledger/index.ts';
import { writeEntries } from '../add-memories.ts';
import type { Stores } from '../stores.ts';
import { sessionHead } from './session-head.ts';
import { importedSummary } from './session-notes.ts';

/** The source of a session that was imported instead of captured by hooks. */
export const IMPORTED = 'import';
/** A session without events for this long counts as interrupted. */
export const INTERRUPTED_AFTER_MS = 24 * 60 * 60 * 1000;

export type SessionRecord = Extract<LedgerRecord, { kind: 'session' }>;

/** Records a change of a session and applies it to the index. */
export async function recordSession(stores: Stores, record: SessionRecord): Promise<void> {
  await stores.ledger.append(record);
  applySession(stores.index, record);
}

/** Applies a record to the index: it adds to the fields of earlier records or replaces them. */
export function applySession(index: MemoryIndex, record: SessionRecord): void {
  const known = index.session(record.session);
  const project = record.project ?? known?.project;
  if (project === undefined) return;
  index.upsertSession({
    turns: 0,
    agent: FIRST_AGENT,
    startedAt: record.at,
    ...known,
    id: record.session,
    project,
    lastAt: later(known?.lastAt, record.at),
    status: record.status ?? known?.status ?? 'active',
    ...given({
      agent: record.agent,
      source: record.source,
      reason: record.reason,
      title: record.title,
      branch: record.branch,
      worktree: record.worktree,
      transcript: record.transcript,
      turns: record.turns,
    }),
    ...(record.change === 'ended' ? { endedAt: record.at } : {}),
  });
}

/** Updates the number of turns and the times of the first and the last after turns were stored. */
export function touchSession(stores: Stores, id: string): void {
  const session = stores.index.session(id);
  if (!session) return;
  const turns = stores.index.turnsIn(id);
  stores.index.upsertSession({
    ...session,
    startedAt: turns.reduce((first, turn) => (turn.at < first ? turn.at : first), session.startedAt),
    lastAt: turns.reduce((latest, turn) => later(latest, turn.endedAt), session.lastAt),
    // Without any, the count of the tool that it was imported from is all there is.
    turns: turns.length === 0 ? session.turns : turns.filter((turn) => turn.origin === 'person').length,
  });
}

export interface Ending {
  readonly status: SessionStatus;
  readonly at: string;
  readonly reason?: string;
}

/**
 * Ends a session and writes its summary under its heading in the journal. The end is recorded last, so that an
 * interrupted call is repeated.
 */
export async function closeSession(stores: Stores, id: string, ending: Ending): Promise<void> {
  const session = stores.index.session(id);
  if (!session) return;
  const turns = await sessionTurns(stores, id);
  const last = turns.at(-1);
  const ended = {
    status: ending.status === 'completed' && last?.outcome === 'failed' ? 'failed' : ending.status,
    ...given({ title: session.title ?? (turns.length > 0 ? stores.sessionText.title(turns) : undefined) }),
  } as const;
  const hasMemories =
    stores.index.memoriesBy({ session: id, limit: 1 }).length + stores.index.mergedInSession(id) > 0;
  if (last && hasMemories) {
    const summary = summaryOf(stores, id, turns);
    const head = { ...(await sessionHead(stores, last)), ...ended, ...given({ summary }) };
    await writeEntries(stores, [], [head]);
  }
  await recordSession(stores, {
    kind: 'session',
    session: id,
    change: 'ended',
    at: ending.at,
    ...ended,
    ...given({ reason: ending.reason }),
  });
  summarizeSession(stores, id, turns);
}

/** Stores the summary in the index. It comes from another tool or from the turns, so it can be made again. */
export function summarizeSession(stores: Stores, id: string, turns: readonly StoredTurn[]): void {
  const session = stores.index.session(id);
  if (!session) return;
  const summary = summaryOf(stores, id, turns);
  if (summary) stores.index.upsertSession({ ...session, summary });
}

function summaryOf(stores: Stores, id: string, turns: readonly StoredTurn[]): SessionSummary | undefined {
  const imported = importedSummary(stores.index, id, turns.at(-1)?.endedAt ?? '');
  return imported ?? (turns.length > 0 ? stores.sessionText.summary(turns) : undefined);
}

/** Returns the turns of a session from the turn store, oldest first. */
export async function sessionTurns(stores: Stores, session: string): Promise<readonly StoredTurn[]> {
  const turns: StoredTurn[] = [];
  for (const { location } of stores.index.turnsIn(session)) {
    const turn = location && (await stores.turns.get(location));
    if (turn) turns.push(turn);
  }
  return turns;
}

/** Returns the last prompt of the user before this turn in its session. */
export async function sessionTurnBefore(
  stores: Pick<Stores, 'index' | 'turns'>,
  { session, startedAt }: StoredTurn,
): Promise<StoredTurn | undefined> {
  const before = stores.index
    .turnsIn(session)
    .findLast(({ at, origin }) => at < startedAt && origin === 'person');
  return before?.location && (await stores.turns.get(before.location));
}

function later(a: string | undefined, b: string): string {
  return a !== undefined && a > b ? a : b;
}
