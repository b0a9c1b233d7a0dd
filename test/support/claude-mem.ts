/** A database in claude-mem's schema (tables and columns as its versions make them), with rows of our own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dirname } from 'node:path';

export const SESSION = '5e551074-0000-4000-8000-000000000001';

const NEW_SCHEMA = `
  CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
  CREATE TABLE sdk_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE,
    project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT, started_at TEXT NOT NULL,
    started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER, status TEXT NOT NULL,
    custom_title TEXT);
  CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
    type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
    files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
    content_hash TEXT, merged_into_project TEXT);
  CREATE TABLE session_summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
    investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
    prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
  CREATE TABLE user_prompts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER, content_session_id TEXT NOT NULL,
    prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL,
    created_at_epoch INTEGER NOT NULL);
  CREATE TABLE tool_uses (
    id INTEGER PRIMARY KEY AUTOINCREMENT, tool_use_id TEXT NOT NULL, content_session_id TEXT NOT NULL, cwd TEXT);`;

const OLD_SCHEMA = `
  CREATE TABLE sdk_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, claude_session_id TEXT UNIQUE NOT NULL, sdk_session_id TEXT UNIQUE,
    project TEXT NOT NULL, user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL,
    completed_at TEXT, completed_at_epoch INTEGER, status TEXT);
  CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, sdk_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT NOT NULL,
    type TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
  CREATE TABLE session_summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, sdk_session_id TEXT UNIQUE NOT NULL, project TEXT NOT NULL,
    summary TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);`;

export function makeClaudeMem(home: string, dir: string, options: { readonly schema?: number } = {}): string {
  const path = join(home, '.claude-mem', 'claude-mem.db');
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; ${NEW_SCHEMA}`);
  db.prepare('INSERT INTO schema_versions (version, applied_at) VALUES (?, ?)').run(options.schema ?? 52, '');
  const at = (minute: number) => {
    const epoch = Date.parse('2026-03-02T09:00:00.000Z') + minute * 60_000;
    return [new Date(epoch).toISOString(), epoch] as const;
  };
  db.prepare(
    `INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, user_prompt, started_at, started_at_epoch,
     completed_at, completed_at_epoch, status) VALUES (?, 'mem-1', 'shop', 'Make refresh tokens rotate', ?, ?, ?, ?, 'completed')`,
  ).run(SESSION, ...at(0), ...at(30));
  const prompt = db.prepare(
    'INSERT INTO user_prompts (session_db_id, content_session_id, prompt_number, prompt_text, created_at, created_at_epoch) VALUES (1, ?, ?, ?, ?, ?)',
  );
  prompt.run(SESSION, 1, 'Make refresh tokens rotate', ...at(0));
  prompt.run(
    SESSION,
    2,
    'And why does the cart lose items? The key is ghp_0123456789abcdefghijklmnopqrstuvwxyz',
    ...at(10),
  );
  const observe = db.prepare(
    `INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative, concepts, files_read,
     files_modified, prompt_number, created_at, created_at_epoch) VALUES ('mem-1', 'shop', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  observe.run(
    'decision',
    'Refresh tokens rotate on every use',
    'A stolen token dies at first reuse',
    '["Rotation happens in auth.ts"]',
    'The team weighed expiry against rotation and chose rotation.',
    '["trade-off"]',
    '[]',
    JSON.stringify([join(dir, 'src/auth.ts')]),
    1,
    ...at(2),
  );
  observe.run(
    'change',
    'Bumped the lockfile',
    '',
    'not json',
    'Routine.',
    '',
    null,
    '["package-lock.json"]',
    1,
    ...at(3),
  );
  observe.run(
    'bugfix',
    'Cart kept its items in a closure',
    '',
    '[]',
    'The closure was stale.',
    '[]',
    '["src/cart.ts"]',
    '[]',
    2,
    ...at(12),
  );
  db.prepare(
    `INSERT INTO session_summaries (memory_session_id, project, request, investigated, learned, completed, next_steps,
     files_read, files_edited, notes, prompt_number, created_at, created_at_epoch)
     VALUES ('mem-1', 'shop', 'Rotate tokens', 'auth.ts', 'Expiry is not enough', 'Rotation done', 'Test on Safari',
     '["src/cart.ts"]', '["src/auth.ts"]', 'none', 2, ?, ?)`,
  ).run(...at(29));
  db.prepare(`INSERT INTO tool_uses (tool_use_id, content_session_id, cwd) VALUES ('t1', ?, ?)`).run(
    SESSION,
    dir,
  );
  db.close();
  return path;
}

/** As its fourth version made it: one text per observation, other names, no folders. */
export function makeOldClaudeMem(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path);
  db.exec(OLD_SCHEMA);
  const epoch = Date.parse('2025-11-03T10:00:00.000Z');
  const at = new Date(epoch).toISOString();
  db.prepare(
    `INSERT INTO sdk_sessions (claude_session_id, sdk_session_id, project, user_prompt, started_at, started_at_epoch, status)
     VALUES ('old-session', 'sdk-1', 'ancient', 'Look at the queue', ?, ?, 'completed')`,
  ).run(at, epoch);
  db.prepare(
    `INSERT INTO observations (sdk_session_id, project, text, type, created_at, created_at_epoch)
     VALUES ('sdk-1', 'ancient', 'The queue is drained by a cron job. It runs each night.', 'discovery', ?, ?)`,
  ).run(at, epoch + 1000);
  db.prepare(
    `INSERT INTO session_summaries (sdk_session_id, project, summary, created_at, created_at_epoch)
     VALUES ('sdk-1', 'ancient', 'Found out how the queue is drained', ?, ?)`,
  ).run(at, epoch + 2000);
  db.close();
}
