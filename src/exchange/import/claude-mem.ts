/**
 * Reads claude-mem's database: sessions, observations, summaries and prompts, in every schema since its fourth version.
 * Of a newer schema it reads the known columns.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SUMMARY_FIELDS, TidemarkError, type MemoryKind, type SessionSummary } from '../../core/index.ts';
import { readTextSync, STATE_BYTES } from '../../files/index.ts';
import { draftOf } from './_draft.ts';
import { notADatabase, openPeerDatabase, type PeerDatabase } from './_peer-database.ts';
import { agentOf, integer, text, texts, timeOf, type Loose } from './_values.ts';
import type { PeerFound, PeerItem, PeerProject, PeerReader, ReadOptions, Surroundings } from './peer.ts';

const FILE = 'claude-mem.db';
/** The newest schema this was written against (claude-mem 13.25.3). */
const KNOWN_SCHEMA = 52;
/** A larger database is not copied just for counting. */
const COUNTED_BYTES = 256 * 1024 * 1024;
/** A damaged file fails in every query; the first few errors are enough. */
const MOST_DAMAGE = 20;
const LONGEST_FIELD = 2000;

/** Maps its types to kinds; any other type becomes a discovery, with the type among the concepts. */
const KINDS: Readonly<Record<string, MemoryKind>> = {
  decision: 'decision',
  bugfix: 'bugfix',
  feature: 'feature',
  refactor: 'refactor',
  discovery: 'discovery',
  change: 'refactor',
  security_alert: 'issue',
};

export const claudeMem: PeerReader = {
  name: 'claude-mem',
  title: 'claude-mem',
  find: (surroundings) => [look(join(dataFolder(surroundings), FILE))].filter((one) => one !== undefined),
  look: (path) => look(statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, FILE) : path),
  read,
};

function look(path: string): PeerFound | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const found = { name: 'claude-mem', path, counts: {} } as const;
  const reason = notADatabase(path);
  if (reason !== undefined) return { ...found, trouble: reason };
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (log > 0 && stat.size + log > COUNTED_BYTES) return found;
  const scratch = mkdtempSync(join(tmpdir(), 'tidemark-peer-'));
  try {
    const database = openPeerDatabase(path, scratch);
    try {
      return { ...found, counts: countsIn(database), ...(isClaudeMem(database) ? {} : { trouble: FOREIGN }) };
    } finally {
      database.close();
    }
  } catch (error) {
    return { ...found, trouble: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function* read({ path }: PeerFound, { signal, scratch }: ReadOptions): AsyncGenerator<PeerItem> {
  const database = openPeerDatabase(path, scratch);
  const damage = new Damage(path);
  try {
    if (!isClaudeMem(database)) throw new TidemarkError('peer-unreadable', `${path}: ${FOREIGN}`);
    const schema = schemaOf(database);
    if (schema > KNOWN_SCHEMA)
      yield {
        kind: 'problem',
        file: path,
        reason: `schema ${schema} is newer than the newest known (${KNOWN_SCHEMA}); only the known columns were read`,
      };
    const store = new Store(database, damage);
    const known = new Set<string>();
    for (const session of store.sessions()) {
      if (signal.aborted) return;
      known.add(session.key);
      yield* store.observationsOf(session);
      yield* store.promptsOf(session);
      const item = store.sessionItem(session);
      if (item) yield item;
    }
    yield* store.orphans(known);
    yield* damage.problems();
  } finally {
    database.close();
  }
}

/** A session as its observations name it (`key`) and as the agent names it (`id`). */
interface Known {
  readonly key: string;
  readonly id: string;
  readonly row: Loose;
  readonly place: PeerProject;
}

class Store {
  readonly #database: PeerDatabase;
  readonly #damage: Damage;
  readonly #keyColumn: string;
  readonly #idColumn: string;
  readonly #folders: ReadonlyMap<string, string>;

  constructor(database: PeerDatabase, damage: Damage) {
    this.#database = database;
    this.#damage = damage;
    const columns = database.columns('observations');
    this.#keyColumn = columns.has('memory_session_id') ? 'memory_session_id' : 'sdk_session_id';
    const sessions = database.columns('sdk_sessions');
    this.#idColumn = sessions.has('content_session_id') ? 'content_session_id' : 'claude_session_id';
    this.#folders = this.#foldersOfSessions();
  }

  sessions(): readonly Known[] {
    return this.#rows('sdk_sessions', 'ORDER BY id').flatMap((row) => {
      const id = text(row, this.#idColumn);
      return id === '' ? [] : [{ key: text(row, this.#keyColumn), id, row, place: this.#placeOf(row, id) }];
    });
  }

  *observationsOf(session: Known): Generator<PeerItem> {
    if (session.key === '') return;
    const rows = this.#rows('observations', `WHERE ${this.#keyColumn} = ? ORDER BY id`, session.key);
    for (const row of rows) yield this.#observation(row, session);
  }

  *promptsOf({ id, row, place }: Known): Generator<PeerItem> {
    const column = this.#database.columns('user_prompts').has('content_session_id')
      ? 'content_session_id'
      : 'claude_session_id';
    for (const prompt of this.#rows('user_prompts', `WHERE ${column} = ? ORDER BY prompt_number, id`, id)) {
      const at = timeOf(prompt['created_at_epoch'], prompt['created_at']);
      const words = text(prompt, 'prompt_text');
      if (at === undefined || words === '') continue;
      yield {
        kind: 'prompt',
        key: `claude-mem\n${id}\n${at}\n${words}`,
        source: `prompt:${integer(prompt, 'id') ?? 0}`,
        at,
        agent: agentOf(text(row, 'platform_source')),
        session: id,
        text: words,
        place,
      };
    }
  }

  sessionItem({ key, id, row, place }: Known): PeerItem | undefined {
    const startedAt = timeOf(row['started_at_epoch'], row['started_at']);
    if (startedAt === undefined) {
      this.#damage.add('sdk_sessions', integer(row, 'id'), 'no time');
      return undefined;
    }
    const rows = this.#rows('session_summaries', `WHERE ${this.#summaryKey()} = ? ORDER BY id`, key);
    const summary = summaryOf(rows);
    const last = rows.at(-1);
    const endedAt = timeOf(
      row['completed_at_epoch'],
      row['completed_at'],
      last?.['created_at_epoch'],
      last?.['created_at'],
    );
    const title = text(row, 'custom_title') || text(row, 'user_prompt');
    return {
      kind: 'session',
      source: `session:${integer(row, 'id') ?? 0}`,
      id,
      agent: agentOf(text(row, 'platform_source')),
      startedAt,
      ...(endedAt ? { endedAt } : {}),
      status:
        row['status'] === 'failed' ? 'failed' : row['status'] === 'completed' ? 'completed' : 'interrupted',
      ...(title === '' ? {} : { title }),
      ...(summary ? { summary } : {}),
      place,
    };
  }

  /** Yields observations whose session is missing. */
  *orphans(known: ReadonlySet<string>): Generator<PeerItem> {
    const keys = this.#query(
      `SELECT DISTINCT ${this.#keyColumn} AS key, project FROM observations`,
      'observations',
    );
    for (const row of keys) {
      const key = text(row, 'key');
      if (known.has(key) && key !== '') continue;
      const place = { name: text(row, 'project') };
      const rows = this.#rows(
        'observations',
        `WHERE ${this.#keyColumn} IS ? AND project IS ? ORDER BY id`,
        key,
        place.name,
      );
      for (const observation of rows) yield this.#observation(observation, { key, id: '', row: {}, place });
    }
  }

  #observation(row: Loose, { id, row: session, place }: Known): PeerItem {
    const number = integer(row, 'id') ?? 0;
    const at = timeOf(row['created_at_epoch'], row['created_at']);
    const type = text(row, 'type');
    const narrative = text(row, 'narrative') || text(row, 'text');
    const subtitle = text(row, 'subtitle');
    const draft = draftOf({
      kind: KINDS[type] ?? 'discovery',
      title: text(row, 'title'),
      body: [subtitle, narrative].filter((part) => part !== '').join('\n\n'),
      facts: texts(row['facts']),
      concepts: [...texts(row['concepts']), ...(KINDS[type] === type || type === '' ? [] : [type])],
      files: [...texts(row['files_modified']), ...texts(row['files_read'])],
    });
    if (at === undefined || draft === undefined) {
      const reason = `observations, id ${number}: ${at === undefined ? 'no time' : 'no content'}`;
      return { kind: 'problem', file: this.#damage.path, reason };
    }
    const name = text(row, 'merged_into_project') || text(row, 'project');
    return {
      kind: 'memory',
      key: `claude-mem\n${id || name}\n${at}\n${draft.title}\n${narrative}`,
      source: `observation:${number}`,
      at,
      draft,
      agent: agentOf(text(session, 'platform_source')),
      session: id,
      place: name === '' || name === place.name ? place : { ...place, name },
    };
  }

  #placeOf(row: Loose, id: string): PeerProject {
    const dir = this.#folders.get(id);
    return { name: text(row, 'project'), ...(dir ? { dir } : {}) };
  }

  /** The start folder of each session, which only newer schemas store, with the tool calls. */
  #foldersOfSessions(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const table of ['tool_uses', 'pending_messages']) {
      if (!this.#database.columns(table).has('cwd')) continue;
      const sql = `SELECT content_session_id AS session, cwd, min(id) FROM ${table} WHERE cwd != '' GROUP BY content_session_id`;
      for (const row of this.#query(sql, table)) {
        const session = text(row, 'session');
        if (!found.has(session)) found.set(session, text(row, 'cwd'));
      }
    }
    return found;
  }

  #summaryKey(): string {
    return this.#database.columns('session_summaries').has('memory_session_id')
      ? 'memory_session_id'
      : 'sdk_session_id';
  }

  #rows(table: string, rest: string, ...values: readonly (string | number)[]): readonly Loose[] {
    if (!this.#database.tables.has(table)) return [];
    return this.#query(`SELECT * FROM ${table} ${rest}`, table, ...values);
  }

  /** Returns the rows that could be read, and records the error if the table is damaged. */
  #query(sql: string, table: string, ...values: readonly (string | number)[]): readonly Loose[] {
    const rows: Loose[] = [];
    try {
      for (const row of this.#database.all(sql, ...values)) rows.push(row);
    } catch (error) {
      const last = rows.at(-1);
      this.#damage.add(
        table,
        last && integer(last, 'id'),
        error instanceof Error ? error.message : String(error),
      );
    }
    return rows;
  }
}

/** Collects read errors, each with the last row that could be read. */
class Damage {
  readonly path: string;
  readonly #found = new Set<string>();

  constructor(path: string) {
    this.path = path;
  }

  add(table: string, row: number | undefined, reason: string): void {
    this.#found.add(`${table}${row === undefined ? '' : `, after id ${row}`}: ${reason}`);
  }

  *problems(): Generator<PeerItem> {
    for (const reason of [...this.#found].slice(0, MOST_DAMAGE))
      yield { kind: 'problem', file: this.path, reason };
  }
}

/** Combines its summaries, one per prompt, into one per session: first request, all findings, last next steps. */
function summaryOf(rows: readonly Loose[]): SessionSummary | undefined {
  if (rows.length === 0) return undefined;
  const all = (field: string): readonly string[] => [
    ...new Set(rows.map((row) => text(row, field)).filter((part) => part !== '')),
  ];
  const joined = (field: string): string => newest(all(field));
  const files = (field: string): string => [...new Set(rows.flatMap((row) => texts(row[field])))].join(', ');
  const summary: Record<(typeof SUMMARY_FIELDS)[number], string> = {
    request: all('request')[0] ?? '',
    investigated: joined('investigated'),
    learned: joined('learned'),
    completed: joined('completed') || joined('summary'), // one text in the first schema
    next_steps: all('next_steps').at(-1) ?? '',
    files_read: files('files_read').slice(0, LONGEST_FIELD),
    files_edited: files('files_edited').slice(0, LONGEST_FIELD),
    notes: all('notes').at(-1) ?? '',
  };
  return SUMMARY_FIELDS.some((field) => summary[field] !== '') ? summary : undefined;
}

/** Joins the latest parts that fit, in their order. */
function newest(parts: readonly string[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const part of parts.toReversed()) {
    length += part.length + 1;
    if (length > LONGEST_FIELD && kept.length > 0) break;
    kept.unshift(part);
  }
  return kept.join('\n');
}

function countsIn(database: PeerDatabase): Readonly<Record<string, number>> {
  const tables = {
    sessions: 'sdk_sessions',
    observations: 'observations',
    summaries: 'session_summaries',
    prompts: 'user_prompts',
  };
  return Object.fromEntries(
    Object.entries(tables).flatMap(([name, table]) => {
      if (!database.tables.has(table)) return [];
      const [row] = [...database.all(`SELECT count(*) AS n FROM ${table}`)];
      return [[name, (row && integer(row, 'n')) ?? 0] as const];
    }),
  );
}

const FOREIGN = 'an SQLite database, but not one of claude-mem';

function isClaudeMem({ tables }: PeerDatabase): boolean {
  return tables.has('observations') || tables.has('sdk_sessions');
}

function schemaOf(database: PeerDatabase): number {
  if (!database.tables.has('schema_versions')) return 0;
  const [row] = [...database.all('SELECT max(version) AS version FROM schema_versions')];
  return (row && integer(row, 'version')) ?? 0;
}

/** `CLAUDE_MEM_DATA_DIR` from the environment or its settings, else the default folder. */
function dataFolder({ env, home }: Surroundings): string {
  const usual = join(home, '.claude-mem');
  const given = env['CLAUDE_MEM_DATA_DIR'];
  if (given) return given;
  try {
    const settings = JSON.parse(readTextSync(join(usual, 'settings.json'), STATE_BYTES)) as Loose;
    return text(settings, 'CLAUDE_MEM_DATA_DIR') || usual;
  } catch {
    return usual;
  }
}
