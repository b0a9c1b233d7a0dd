/** Sessions as they begin, go on and end: facts in the ledger, folded into the present state in the index. */
import { given, type SessionStatus, type SessionSummary, type StoredTurn } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import type { LedgerRecord } from '../../storage/ledger/index.ts';
import { writeEntries } from '../add-memories.ts';
import type { Stores } from '../stores.ts';
import { modelSummary } from './model-summary.ts';
import { sessionHead } from './session-head.ts';

/** How a session came here that no hook spoke of. */
export const IMPORTED = 'import';
/** A session that has said nothing for this long will not come back by itself. */
export const INTERRUPTED_AFTER_MS = 24 * 60 * 60 * 1000;

export type SessionRecord = Extract<LedgerRecord, { kind: 'session' }>;

/** Writes a fact about a session down and folds it in. */
export async function recordSession(stores: Stores, record: SessionRecord): Promise<void> {
  await stores.ledger.append(record);
  applySession(stores.index, record);
}

/** Folds one record in: a later one adds to or replaces what earlier ones said. */
export function applySession(index: MemoryIndex, record: SessionRecord): void {
  const known = index.session(record.session);
  const project = record.project ?? known?.project;
  if (project === undefined) return;
  index.upsertSession({
    turns: 0,
    agent: 'claude-code',
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
    }),
    ...(record.change === 'ended' ? { endedAt: record.at } : {}),
  });
}

/** After turns were kept: their number and the times of the first and the last. */
export function touchSession(stores: Stores, id: string): void {
  const session = stores.index.session(id);
  if (!session) return;
  const turns = stores.index.turnsIn(id);
  stores.index.upsertSession({
    ...session,
    startedAt: turns.reduce((first, turn) => (turn.at < first ? turn.at : first), session.startedAt),
    lastAt: turns.reduce((latest, turn) => later(latest, turn.endedAt), session.lastAt),
    turns: turns.filter((turn) => turn.origin === 'person').length,
  });
}

export interface Ending {
  readonly status: SessionStatus;
  readonly at: string;
  readonly reason?: string;
}

/**
 * Ends a session with its eight-field summary, in the journal under the session's heading. That it has ended is recorded
 * last: cut short before, it is ended again, and nothing of it is missing.
 */
export async function closeSession(stores: Stores, id: string, ending: Ending): Promise<void> {
  const session = stores.index.session(id);
  if (!session) return;
  const turns = await wholeTurns(stores, id);
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

/** A function of the turns and of what a model replied about them, so it can be made again at any time. */
export function summarizeSession(stores: Stores, id: string, turns: readonly StoredTurn[]): void {
  const session = stores.index.session(id);
  if (!session) return;
  const summary = summaryOf(stores, id, turns);
  if (summary) stores.index.upsertSession({ ...session, summary });
}

function summaryOf(stores: Stores, id: string, turns: readonly StoredTurn[]): SessionSummary | undefined {
  const told = modelSummary(stores.index, id, turns.at(-1)?.endedAt ?? '');
  return told ?? (turns.length > 0 ? stores.sessionText.summary(turns) : undefined);
}

/** The turns of a session as the turn store has them, oldest first. */
export async function wholeTurns(stores: Stores, session: string): Promise<readonly StoredTurn[]> {
  const turns: StoredTurn[] = [];
  for (const { location } of stores.index.turnsIn(session)) {
    const turn = location && (await stores.turns.get(location));
    if (turn) turns.push(turn);
  }
  return turns;
}

function later(a: string | undefined, b: string): string {
  return a !== undefined && a > b ? a : b;
}
