/** Sessions and projects in the index. */
import {
  AGENTS,
  given,
  SUMMARY_FIELDS,
  type Agent,
  type Project,
  type Session,
  type SessionStatus,
  type SessionSummary,
} from '../core/index.ts';
import { list, number, oneOf, optionalText, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';
import type { Cursor } from './memories.ts';

const STATUSES: readonly SessionStatus[] = ['active', 'completed', 'interrupted', 'failed'];

export interface SessionListing {
  readonly project?: string;
  readonly agent?: readonly Agent[];
  readonly status?: SessionStatus;
  /** Active at or after this time. */
  readonly since?: string;
  readonly limit?: number;
  readonly offset?: number;
  /** Returns only sessions before this one. */
  readonly after?: Cursor;
}

const DEFAULT_LIMIT = 50;

export function upsertSession(db: Database, session: Session): void {
  const { id, agent, project, status, source, reason, title, turns, branch, worktree, transcript } = session;
  const times = { started_at: session.startedAt, last_at: session.lastAt, ended_at: session.endedAt };
  const summary = session.summary && JSON.stringify(session.summary);
  const origin = { id, agent, project, branch, worktree, transcript };
  db.put('session', { ...origin, ...times, status, source, reason, title, turns, summary });
}

export function session(db: Database, id: string): Session | undefined {
  const row = db.get('SELECT * FROM session WHERE id = ?', id);
  return row && sessionOf(row);
}

/** Returns sessions with the most recently active first. */
export function sessions(db: Database, listing: SessionListing = {}): readonly Session[] {
  const rows = db.all(
    `SELECT * FROM session WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR status = ?2)
       AND (?8 IS NULL OR last_at >= ?8)
       AND (?7 IS NULL OR agent IN (SELECT value FROM json_each(?7)))
       AND (?5 IS NULL OR (last_at <= ?5 AND (last_at, id) < (?5, ?6)))
     ORDER BY last_at DESC, id DESC LIMIT ?3 OFFSET ?4`,
    listing.project ?? null,
    listing.status ?? null,
    listing.limit ?? DEFAULT_LIMIT,
    listing.offset ?? 0,
    listing.after?.at ?? null,
    listing.after?.id ?? null,
    listing.agent ? JSON.stringify(listing.agent) : null,
    listing.since ?? null,
  );
  return rows.map(sessionOf);
}

/** The number of sessions of one agent in one project. */
export interface SessionCount {
  readonly project: string;
  readonly agent: Agent;
  readonly count: number;
}

export function sessionCounts(db: Database): readonly SessionCount[] {
  const rows = db.all('SELECT agent, project, count(*) AS n FROM session GROUP BY agent, project');
  return rows.map((row) => ({
    project: text(row, 'project'),
    agent: oneOf(row, 'agent', AGENTS),
    count: number(row, 'n'),
  }));
}

export function upsertProject(db: Database, { id, name, paths, keys }: Project): void {
  db.transaction(() => {
    db.put('project', { id, name, paths: JSON.stringify(paths) });
    db.run('DELETE FROM project_key WHERE project = ?', id);
    for (const [rank, key] of keys.entries()) db.put('project_key', { key, project: id, rank });
  });
}

export function projects(db: Database): readonly Project[] {
  return db.all('SELECT * FROM project ORDER BY id').map((row) => projectOf(db, row));
}

export function project(db: Database, id: string): Project | undefined {
  const row = db.get('SELECT * FROM project WHERE id = ?', id);
  return row && projectOf(db, row);
}

export function projectByKey(db: Database, key: string): Project | undefined {
  const row = db.get(
    'SELECT project.* FROM project_key JOIN project ON project.id = project WHERE key = ?',
    key,
  );
  return row && projectOf(db, row);
}

function sessionOf(row: Row): Session {
  return {
    id: text(row, 'id'),
    agent: oneOf(row, 'agent', AGENTS),
    project: text(row, 'project'),
    startedAt: text(row, 'started_at'),
    lastAt: text(row, 'last_at'),
    status: oneOf(row, 'status', STATUSES),
    turns: number(row, 'turns'),
    ...given({
      endedAt: optionalText(row, 'ended_at'),
      source: optionalText(row, 'source'),
      reason: optionalText(row, 'reason'),
      title: optionalText(row, 'title'),
      branch: optionalText(row, 'branch'),
      worktree: optionalText(row, 'worktree'),
      transcript: optionalText(row, 'transcript'),
      summary: row['summary'] === null ? undefined : summaryOf(row),
    }),
  };
}

function summaryOf(row: Row): SessionSummary {
  const value = parsed(row, 'summary');
  const stored: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  const field = (name: string): string => (typeof stored[name] === 'string' ? stored[name] : '');
  // Every field of SUMMARY_FIELDS is set to a string.
  return Object.fromEntries(SUMMARY_FIELDS.map((name) => [name, field(name)])) as SessionSummary;
}

function projectOf(db: Database, row: Row): Project {
  const id = text(row, 'id');
  const keys = db.all('SELECT key FROM project_key WHERE project = ? ORDER BY rank', id);
  return {
    id,
    name: text(row, 'name'),
    keys: keys.map((item) => text(item, 'key')),
    paths: list(row, 'paths'),
  };
}
