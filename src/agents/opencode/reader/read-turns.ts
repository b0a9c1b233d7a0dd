/**
 * Reads turns from a session in OpenCode's database. Offsets are times in milliseconds: a turn begins at the time of its first
 * message. Never writes.
 *
 * A turn begins with a user's message that has words of the user, or with a command that the user ran (`!cmd`). Compaction, and
 * the client's message to go on after it, neither begin nor end a turn; the client may also send the last prompt again then.
 * A report of a background task begins a turn of origin `task`. A turn is complete when another prompt follows, its last step
 * was meant as the last or failed, or the user aborted it or denied a tool.
 */
import { emptyNotes, type ReadOptions, type TranscriptNotes, type TurnRead } from '../../transcript.ts';
import { isObject, textOf, type JsonObject } from '../../reading/json.ts';
import { given, type TurnOrigin } from '../../../core/index.ts';
import { placeOf } from '../places.ts';
import { SessionDatabase, type JsonRow, type SessionRow } from './database.ts';
import { userMessage, type UserMessage } from './prompt.ts';
import { buildTurn, turnId, type Step } from './_turn.ts';

const MAX_PROBLEMS = 20; // enough to diagnose a session
/** The titles that the client gives before it has made one. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/;

/** The messages of one turn. */
interface Group {
  readonly message: UserMessage;
  readonly origin: TurnOrigin;
  readonly created: number;
  readonly rows: JsonRow[];
  isContinued: boolean;
}

/** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing session. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const place = placeOf(path);
  const database = place && SessionDatabase.open(place.database);
  if (!place || !database) return;
  try {
    const session = database.session(place.session);
    if (session) yield* turnsOf(database, session, options);
  } finally {
    database.close();
  }
}

function* turnsOf(
  database: SessionDatabase,
  session: SessionRow,
  { offset = 0, notes = emptyNotes(), signal, continues }: ReadOptions,
): Generator<TurnRead> {
  const end = database.lastChange(session);
  notes.restarted = offset > end;
  notes.end = end;
  if (!NO_TITLE.test(session.title)) notes.title = session.title;
  const rows = readable(database.messages(session.id, notes.restarted ? 0 : offset), notes);
  let person = continues;
  const groups = groupsOf(database, session, rows, notes);
  for (const [at, group] of groups.entries()) {
    signal?.throwIfAborted();
    const { message, origin, created, isContinued } = group;
    const nextAt = groups[at + 1]?.created;
    const steps = group.rows.flatMap((row) => stepOf(database, row, notes) ?? []);
    const updated = Math.max(...group.rows.map((row) => row.updated), ...steps.map((step) => step.updated));
    const { turn, complete } = buildTurn({
      session,
      message,
      created,
      origin,
      messages: group.rows.map(({ id }) => id),
      steps,
      isContinued,
      ...given({ nextAt, continues: origin === 'person' ? undefined : person }),
    });
    if (origin === 'person') person = turnId(created, message.raw);
    const promptIds = group.rows.flatMap((row) => (row.json?.['role'] === 'user' ? [row.id] : []));
    yield { turn, complete, start: created, end: Math.min(updated, nextAt ?? Infinity), promptIds };
  }
}

/** The messages by turn. Loads only the parts of the user's messages. */
function groupsOf(
  database: SessionDatabase,
  session: SessionRow,
  rows: readonly JsonRow[],
  notes: TranscriptNotes,
): readonly Group[] {
  const groups: Group[] = [];
  const owners = new Map<string, Group | 'summary'>();
  let wasCompacted = false;
  for (const row of rows.slice(0, undoneAt(rows, session))) {
    const current = groups.at(-1);
    if (row.json?.['role'] !== 'user') {
      const owner = owners.get(textOf(row.json?.['parentID']) ?? '');
      if (owner === undefined) notes.stray += 1;
      else if (owner !== 'summary' && row.json?.['summary'] !== true) {
        owner.rows.push(row);
        owner.isContinued = false;
      }
      continue;
    }
    const message = userMessage(valuesOf(readable(database.parts(row.id), notes)));
    if (message.kind !== 'prompt' && message.kind !== 'shell') notes.system += 1;
    if (message.kind === 'compaction') {
      owners.set(row.id, 'summary');
      wasCompacted = true;
      continue;
    }
    const isAgain = wasCompacted && message.kind === 'prompt' && message.raw === current?.message.raw;
    wasCompacted = false;
    if (current && (isAgain || message.kind === 'continue')) {
      current.rows.push(row);
      current.isContinued = true;
      owners.set(row.id, current);
      continue;
    }
    const group = {
      message,
      origin: originOf(session, message),
      created: row.created,
      rows: [row],
      isContinued: false,
    };
    groups.push(group);
    owners.set(row.id, group);
  }
  // The client writes a message before its parts: without them it looks like one of its own.
  return groups.filter(({ message, rows: { length } }) => message.kind !== 'task' || length > 1);
}

function originOf({ parent }: SessionRow, { kind }: UserMessage): TurnOrigin {
  if (parent !== undefined) return 'subagent';
  return kind === 'prompt' || kind === 'shell' ? 'person' : 'task';
}

/** Undefined for a user's message. */
function stepOf(database: SessionDatabase, row: JsonRow, notes: TranscriptNotes): Step | undefined {
  const { id, created, json } = row;
  if (!isObject(json) || json['role'] === 'user') return undefined;
  const parts = readable(database.parts(id), notes);
  const updated = Math.max(row.updated, ...parts.map((part) => part.updated));
  return { id, created, updated, info: json, parts: valuesOf(parts) };
}

function valuesOf(rows: readonly JsonRow[]): readonly JsonObject[] {
  return rows.flatMap(({ json }): readonly JsonObject[] => (json ? [json] : []));
}

function undoneAt(rows: readonly JsonRow[], { undoneFrom }: SessionRow): number {
  const at = rows.findIndex(({ id }) => id === undoneFrom);
  return at === -1 ? rows.length : at;
}

/** Rows whose JSON can be read; the others are counted. */
function readable(rows: readonly JsonRow[], notes: TranscriptNotes): readonly JsonRow[] {
  return rows.filter((row) => {
    notes.lines += 1;
    if (row.json) return true;
    if (row.isOversized) notes.oversized += 1;
    else notes.malformed += 1;
    const reason = `${row.id}: ${row.isOversized ? 'too large, skipped' : 'not a JSON object'}`;
    if (notes.problems.length < MAX_PROBLEMS)
      notes.problems.push({ line: notes.lines, offset: row.created, reason });
    return false;
  });
}
