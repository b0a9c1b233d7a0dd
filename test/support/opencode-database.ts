/** For tests: a database of OpenCode, made from its exports step by step as the client writes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Json = Record<string, unknown>;

interface ExportedMessage {
  readonly info: Json & { readonly id: string; readonly time: { created: number; completed?: number } };
  readonly parts: readonly (Json & { readonly id: string })[];
}

interface Export {
  readonly info: Json & { readonly id: string; readonly time: { created: number; updated: number } };
  readonly messages: readonly ExportedMessage[];
}

const FIXTURES = join(import.meta.dirname, '../fixtures/agents/opencode');
/** Parts of an answer that the client writes with its end. */
const AT_THE_END = ['finish', 'error', 'tokens', 'cost'];

export function readExport(name: string): Export {
  return JSON.parse(readFileSync(join(FIXTURES, `export-${name}.json`), 'utf8')) as Export; // a fixture of ours
}

export class OpenCodeDatabase {
  readonly path: string;
  readonly sql: DatabaseSync;

  /** An empty database with the client's tables and its way of writing. */
  constructor(path: string) {
    this.path = path;
    this.sql = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    this.sql.exec('PRAGMA journal_mode = WAL');
    this.sql.exec('PRAGMA wal_autocheckpoint = 0');
    this.sql.exec(readFileSync(join(FIXTURES, 'schema.sql'), 'utf8'));
  }

  /** Every write of a session, in order. */
  *writes({ info, messages }: Export): Generator<void> {
    this.#session(info);
    yield;
    for (const message of messages) {
      const { time, ...rest } = message.info;
      const begun = without(rest, AT_THE_END);
      this.#message(info.id, { ...begun, time: { created: time.created } }, message.info.id, time.created);
      for (const part of message.parts) {
        yield;
        this.#part(info.id, message.info.id, part, time.created);
      }
      yield;
      this.#end(info.id, message);
    }
    this.sql.prepare('UPDATE session SET time_updated = ? WHERE id = ?').run(info.time.updated, info.id);
    yield;
  }

  /** Writes a message with all its parts. */
  put(session: string, message: ExportedMessage): void {
    for (const part of message.parts) this.#part(session, message.info.id, part, message.info.time.created);
    this.#end(session, message);
  }

  /** Rows that the client wrote itself. */
  addRecorded(): void {
    this.sql.exec(readFileSync(join(FIXTURES, 'recorded.sql'), 'utf8'));
  }

  add(session: Export): string {
    for (const _ of this.writes(session));
    return `${this.path}#${session.info.id}`;
  }

  close(): void {
    if (this.sql.isOpen) this.sql.close();
  }

  #session(info: Export['info']): void {
    const { id, time, title, version, directory } = info;
    this.sql
      .prepare(
        `INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)
         VALUES (?, 'project', ?, 'slug', ?, ?, ?, ?, ?)`,
      )
      .run(
        id,
        (info['parentID'] as string | undefined) ?? null,
        String(directory),
        String(title),
        String(version),
        time.created,
        time.created,
      );
  }

  #end(session: string, { info }: ExportedMessage): void {
    this.#message(session, info, info.id, info.time.completed ?? info.time.created);
  }

  #message(session: string, info: Json, id: string, updated: number): void {
    const data = without(info, ['id', 'sessionID']);
    const { created } = data['time'] as { readonly created: number };
    this.sql
      .prepare('INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)')
      .run(id, session, created, updated, JSON.stringify(data));
  }

  #part(session: string, message: string, part: Json & { readonly id: string }, at: number): void {
    const data = without(part, ['id', 'sessionID', 'messageID']);
    this.sql
      .prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)')
      .run(part.id, message, session, at, at, JSON.stringify(data));
  }
}

function without(json: Json, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)));
}
