/** Push, pull and withdraw: changes of entries, numbered within their project. A push is applied once, as a whole. */
import {
  latestClock,
  type Change,
  type PullAnswer,
  type PushAnswer,
  type PushRequest,
  type PushResult,
} from '../../exchange/sync/index.ts';
import { textHash } from '../../memory/index.ts';
import { merge, type EntryState } from './_merge.ts';
import { writeStates, type StateChange } from './_write-states.ts';
import { entryOfRow, of, READ_COLUMNS, versionOf } from './entries.ts';
import { checkedUuid, forbidden, notFound } from './errors.ts';
import { projectById } from './projects.ts';
import { json, number, oneOf, text, time, WANTED } from './values.ts';
import type { Row, Work } from './work.ts';

const TOO_FAR_AHEAD =
  'the clock of its version is more than a day ahead of the server: set the clock of the machine that wrote it';
const OPS: readonly Change['op'][] = ['put', 'tombstone', 'withdraw'];

/** Applies a push once per idempotency key; a repeated request gets the first answer. */
export async function pushChanges(
  work: Work,
  project: string,
  request: PushRequest,
  /** Called in the same transaction, but not for a repeated request. */
  onStored: (answer: PushAnswer) => Promise<void> = async () => {},
): Promise<PushAnswer> {
  const locked = await lockForWriting(work, project);
  const { id } = locked;
  const before = await work.row(
    'SELECT answer FROM tidemark.push WHERE team_id = $1 AND project_id = $2 AND member_id = $3 AND key = $4',
    [work.team, id, work.member, request.idempotencyKey],
  );
  // Written below.
  if (before) return before['answer'] as PushAnswer;
  const answer = await apply(work, locked, request.changes);
  // An answer with a refusal is not stored, because the same change may be accepted later.
  if (answer.results.every(({ outcome }) => outcome !== 'refused'))
    await work.run(
      'INSERT INTO tidemark.push (team_id, project_id, member_id, key, answer) VALUES ($1, $2, $3, $4, $5)',
      [work.team, id, work.member, request.idempotencyKey, json(answer)],
    );
  await onStored(answer);
  return answer;
}

/** Withdraws the caller's own entries: other machines drop them, and they can be shared again. @returns how many */
export async function withdrawOwn(work: Work, project: string): Promise<number> {
  const locked = await lockForWriting(work, project);
  const rows = await work.rows(
    `SELECT id, clock, version_machine, changed_at FROM tidemark.memory
     WHERE team_id = $1 AND project_id = $2 AND author_id = $3`,
    [work.team, locked.id, work.member],
  );
  const changes = rows.map((row): Change => {
    const { clock, machine } = versionOf(row);
    // Machines that have the text accept only a later version.
    const version = { clock: Math.min(clock + 1, locked.latest), machine };
    return { op: 'withdraw', id: text(row, 'id'), version };
  });
  await apply(work, locked, changes);
  return changes.length;
}

/**
 * Forgets at most `most` entries of a project for everyone. `where` and `order` are parts of our statement; `value` is its
 * `$3`. @returns how many
 */
export async function forgetEntries(
  work: Work,
  project: string,
  { where, order, value }: { readonly where: string; readonly order: string; readonly value: string },
  most: number,
): Promise<number> {
  const locked = await lockForWriting(work, project);
  const rows = await work.rows(
    `SELECT ${READ_COLUMNS} FROM tidemark.memory
     WHERE team_id = $1 AND project_id = $2 AND ${where} ORDER BY ${order} LIMIT $4`,
    [work.team, locked.id, value, most],
  );
  const changes = rows.map((row): Change => {
    const entry = entryOfRow(row);
    const { clock, machine } = entry.version;
    const version = { clock: Math.min(clock + 1, locked.latest), machine };
    return { op: 'tombstone', id: entry.id, turn: entry.provenance.turn, hash: textHash(entry), version };
  });
  if (changes.length > 0) await apply(work, locked, changes);
  return changes.length;
}

/** Returns changes in order, and only the last change of each entry. */
export async function pullChanges(
  work: Work,
  project: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PullAnswer> {
  const { id, access } = await projectById(work, project);
  const rows = await work.rows(
    `SELECT c.seq, c.op, c.memory_id, c.author_id AS changer, ${nameOf('c')} AS changer_name,
       t.turn AS end_turn, t.hash AS end_hash, t.clock AS end_clock, t.version_machine AS end_machine,
       t.at AS ended_at,
       ${nameOf('m')} AS author_name, m.*
     FROM tidemark.change c
     LEFT JOIN LATERAL (SELECT ${READ_COLUMNS} FROM tidemark.memory
       WHERE team_id = $1 AND project_id = c.project_id AND id = c.memory_id OFFSET 0) AS m ON true
     LEFT JOIN LATERAL (SELECT turn, hash, clock, version_machine, at FROM tidemark.tombstone
       WHERE team_id = $1 AND project_id = c.project_id AND id = c.memory_id OFFSET 0) AS t ON true
     WHERE c.team_id = $1 AND c.project_id = $2 AND c.seq > $3 ORDER BY c.seq LIMIT $4`,
    [work.team, id, after, limit + 1],
  );
  const changes = rows.slice(0, limit).map(seenChange);
  const latest = latestOf(await work.row('SELECT now() AS now'));
  return { changes, next: changes.at(-1)?.seq ?? after, more: rows.length > limit, latest, access };
}

/** SQL for the name of the author of a row. */
function nameOf(row: 'c' | 'm'): string {
  return `coalesce((SELECT w.name FROM tidemark.member w WHERE w.team_id = $1 AND w.id = ${row}.author_id), '')`;
}

interface Locked {
  readonly id: string;
  /** The number of the project's last change. */
  readonly seq: number;
  /** The highest clock that may be stored. */
  readonly latest: number;
}

/** Locks a project until the end of the transaction. Every change holds this lock, so that its numbers are an order. */
export async function lockForWriting(work: Work, project: string): Promise<Locked> {
  const { id, access } = await projectById(work, project);
  if (access !== 'write')
    throw forbidden('you can only read this project', 'Ask the member who shared it for write access.');
  const row = await work.row(
    'SELECT seq, now() AS now FROM tidemark.project_counter WHERE team_id = $1 AND project_id = $2 FOR UPDATE',
    [work.team, id],
  );
  if (!row) throw notFound('project'); // removed while this waited for the lock
  return { id, seq: number(row, 'seq'), latest: latestOf(row) };
}

/** Uses the database's clock, which all servers of a team share. */
function latestOf(row: Row | undefined): number {
  return latestClock(row ? Date.parse(time(row, 'now')) : Date.now());
}

async function apply(
  work: Work,
  { id: project, seq, latest }: Locked,
  changes: readonly Change[],
): Promise<PushAnswer> {
  const ids = [...new Set(changes.map((change) => (change.op === 'put' ? change.entry.id : change.id)))];
  const states = await statesOf(work, project, ids);
  const touched = new Map<string, StateChange>();
  const results: PushResult[] = [];
  let last = seq;
  for (const change of changes) {
    const id = change.op === 'put' ? change.entry.id : change.id;
    const { clock } = change.op === 'put' ? change.entry.version : change.version;
    if (clock > latest) {
      results.push({ id, outcome: 'refused', reason: TOO_FAR_AHEAD });
      continue;
    }
    const { result, next, lost } = merge(states.get(id) ?? {}, change, work.member);
    results.push(result);
    const known = touched.get(id);
    const losers = [...(known?.lost ?? []), ...(lost ? [lost] : [])];
    if (next) {
      last++;
      states.set(id, next);
      // A forgotten or withdrawn entry leaves no text behind, not even one from this request.
      touched.set(id, { id, next, seq: last, lost: next.end ? [] : losers });
    } else if (lost) touched.set(id, { id, ...known, lost: losers });
  }
  await writeStates(work, project, last, [...touched.values()]);
  return { results, cursor: last };
}

async function statesOf(
  work: Work,
  project: string,
  ids: readonly string[],
): Promise<Map<string, EntryState>> {
  const values = [work.team, checkedUuid(project), ids];
  const entries = await work.rows(
    `SELECT ${of('m', READ_COLUMNS)} FROM ${WANTED}
     JOIN tidemark.memory m ON m.team_id = $1 AND m.project_id = wanted.project_id AND m.id = wanted.id`,
    values,
  );
  const ends = await work.rows(
    `SELECT t.id, t.op, t.turn, t.hash, t.clock, t.version_machine, t.at AS changed_at
     FROM ${WANTED}
     JOIN tidemark.tombstone t ON t.team_id = $1 AND t.project_id = wanted.project_id AND t.id = wanted.id`,
    values,
  );
  const states = new Map<string, EntryState>();
  for (const row of ends) {
    const [turn, hash] = [text(row, 'turn'), text(row, 'hash')];
    const op = oneOf(row, 'op', ['tombstone', 'withdraw'] as const);
    states.set(text(row, 'id'), { end: { op, version: versionOf(row), turn, hash } });
  }
  for (const row of entries)
    states.set(text(row, 'id'), { entry: { wire: entryOfRow(row), author: text(row, 'author_id') } });
  return states;
}

function seenChange(row: Row): PullAnswer['changes'][number] {
  const seq = number(row, 'seq');
  const id = text(row, 'memory_id');
  const op = oneOf(row, 'op', OPS);
  if (op === 'put')
    return {
      seq,
      op,
      entry: entryOfRow(row),
      author: { id: text(row, 'author_id'), name: text(row, 'author_name') },
    };
  const version = versionOf({
    clock: row['end_clock'],
    version_machine: row['end_machine'],
    changed_at: row['ended_at'],
  });
  const author = { id: text(row, 'changer'), name: text(row, 'changer_name') };
  if (op === 'withdraw') return { seq, op, id, version, author };
  return { seq, op, id, turn: text(row, 'end_turn'), hash: text(row, 'end_hash'), version, author };
}
