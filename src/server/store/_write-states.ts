/** New states of entries into the tables, all of a request in a few statements. Called by changes.ts only, under the lock. */
import type { EntryState, Merged } from './_merge.ts';
import { columnsOf, WRITTEN } from './entries.ts';
import { SQL_IS_WORD, SQL_TOKEN } from './search/lexemes.ts';
import { json, list } from './values.ts';
import type { Work } from './work.ts';

export interface StateChange {
  readonly id: string;
  /** Absent where only a text that lost is to be kept. */
  readonly next?: EntryState;
  readonly seq?: number;
  readonly lost: readonly NonNullable<Merged['lost']>[];
}

const UPDATED = WRITTEN.split(',')
  .map((name) => name.trim())
  .filter((name) => !['team_id', 'project_id', 'id'].includes(name))
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

export async function writeStates(
  work: Work,
  project: string,
  seq: number,
  changes: readonly StateChange[],
): Promise<void> {
  const changed = changes.filter(({ next }) => next !== undefined);
  await keepLost(work, project, changes);
  if (changed.length === 0) return;
  const ended = changed.filter(({ next }) => next?.end).map(({ id }) => id);
  const puts = changed.flatMap(({ next }) => (next?.entry ? [next.entry] : []));
  const written = puts.map(({ wire, author }) => columnsOf({ team: work.team, project, author }, wire));

  const before = await wordsOf(
    work,
    project,
    changed.map(({ id }) => id),
  );
  await removeEnded(work, project, ended);
  if (written.length > 0)
    await work.run(
      `INSERT INTO tidemark.memory (${WRITTEN})
       SELECT ${WRITTEN} FROM json_populate_recordset(NULL::tidemark.memory, $1)
       ON CONFLICT (team_id, project_id, id) DO UPDATE SET ${UPDATED}, changed_at = now()`,
      [json(written.map(({ columns }) => columns))],
    );
  await outdateVectors(
    work,
    project,
    puts.map(({ wire }) => wire.id),
  );
  await writeEnds(work, project, changed);
  await writeOrder(work, project, changed);
  await countWords(
    work,
    before,
    written.map(({ terms }) => terms),
  );
  await work.run('UPDATE tidemark.team_counter SET seq = $2, memories = memories + $3 WHERE team_id = $1', [
    work.team,
    seq,
    written.length - before.length,
  ]);
}

async function keepLost(work: Work, project: string, changes: readonly StateChange[]): Promise<void> {
  const rows = changes.flatMap(({ id, lost }) =>
    lost.map(({ wire, author }) => ({
      team_id: work.team,
      project_id: project,
      id,
      clock: wire.version.clock,
      version_machine: wire.version.machine,
      author_id: author,
      entry: wire,
    })),
  );
  if (rows.length === 0) return;
  const columns = 'team_id, project_id, id, clock, version_machine, author_id, entry';
  await work.run(
    `INSERT INTO tidemark.memory_revision (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::tidemark.memory_revision, $1) ON CONFLICT DO NOTHING`,
    [json(rows)],
  );
}

/** The words of each entry that is there now. */
async function wordsOf(
  work: Work,
  project: string,
  ids: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const rows = await work.rows(
    `SELECT ARRAY(SELECT ${SQL_TOKEN} FROM unnest(tokens) WHERE ${SQL_IS_WORD}) AS words FROM tidemark.memory
     WHERE team_id = $1 AND project_id = $2 AND id = ANY ($3)`,
    [work.team, project, ids],
  );
  return rows.map((row) => list(row, 'words'));
}

async function removeEnded(work: Work, project: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const values = [work.team, project, ids];
  for (const table of ['memory_vector', 'unembedded'])
    await work.run(
      `DELETE FROM tidemark.${table} v USING tidemark.memory m
       WHERE v.team_id = $1 AND m.team_id = $1 AND m.number = v.number AND m.project_id = $2 AND m.id = ANY ($3)`,
      values,
    );
  for (const table of ['memory', 'memory_revision'])
    await work.run(
      `DELETE FROM tidemark.${table} WHERE team_id = $1 AND project_id = $2 AND id = ANY ($3)`,
      values,
    );
}

/** A text that is new or other than before waits for a vector. */
async function outdateVectors(work: Work, project: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const values = [work.team, project, ids];
  await work.run(
    `DELETE FROM tidemark.memory_vector v USING tidemark.memory m
     WHERE v.team_id = $1 AND m.team_id = $1 AND m.number = v.number AND m.project_id = $2 AND m.id = ANY ($3)
       AND m.content_hash <> v.content_hash`,
    values,
  );
  await work.run(
    `INSERT INTO tidemark.unembedded (team_id, number, project_id)
     SELECT team_id, number, project_id FROM tidemark.memory m
     WHERE team_id = $1 AND project_id = $2 AND id = ANY ($3) AND NOT EXISTS (
       SELECT FROM tidemark.memory_vector v WHERE v.team_id = $1 AND v.number = m.number)
     ON CONFLICT DO NOTHING`,
    values,
  );
}

async function writeEnds(work: Work, project: string, changed: readonly StateChange[]): Promise<void> {
  const ends = changed.flatMap(({ id, next }) => {
    if (!next?.end) return [];
    const { op, version, turn, hash } = next.end;
    const { clock, machine } = version;
    const place = { team_id: work.team, project_id: project, id };
    return [{ ...place, op, turn, hash, clock, version_machine: machine, author_id: work.member }];
  });
  const alive = changed.filter(({ next }) => next?.entry).map(({ id }) => id);
  if (alive.length > 0)
    await work.run(
      'DELETE FROM tidemark.tombstone WHERE team_id = $1 AND project_id = $2 AND id = ANY ($3)',
      [work.team, project, alive],
    );
  if (ends.length === 0) return;
  const columns = 'team_id, project_id, id, op, turn, hash, clock, version_machine, author_id';
  await work.run(
    `INSERT INTO tidemark.tombstone (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::tidemark.tombstone, $1)
     ON CONFLICT (team_id, project_id, id) DO UPDATE SET op = excluded.op, turn = excluded.turn, hash = excluded.hash,
       clock = excluded.clock, version_machine = excluded.version_machine, author_id = excluded.author_id, at = now()`,
    [json(ends)],
  );
}

async function writeOrder(work: Work, project: string, changed: readonly StateChange[]): Promise<void> {
  const ops = changed.map(({ next }) => next?.end?.op ?? 'put');
  await work.run(
    `INSERT INTO tidemark.change (team_id, project_id, memory_id, seq, op, author_id)
     SELECT $1, $2, made.id, made.seq, made.op, $3 FROM unnest($4::text[], $5::bigint[], $6::text[]) AS made (id, seq, op)
     ON CONFLICT (team_id, project_id, memory_id)
       DO UPDATE SET seq = excluded.seq, op = excluded.op, author_id = excluded.author_id, at = now()`,
    [work.team, project, work.member, changed.map(({ id }) => id), changed.map(({ seq }) => seq), ops],
  );
}

/** How common words are changes by what came and what went. Those that went for good stay with a count of 0. */
async function countWords(
  work: Work,
  before: readonly (readonly string[])[],
  after: readonly (readonly string[])[],
): Promise<void> {
  const deltas = new Map<string, number>();
  const count = (words: readonly string[], by: number): void =>
    words.forEach((word) => deltas.set(word, (deltas.get(word) ?? 0) + by));
  before.forEach((words) => count(words, -1));
  after.forEach((words) => count(words, 1));
  const moved = [...deltas].filter(([, by]) => by !== 0);
  if (moved.length === 0) return;
  await work.run(
    `INSERT INTO tidemark.term (team_id, term, rows)
     SELECT $1, moved.term, moved.by FROM unnest($2::text[], $3::bigint[]) AS moved (term, by)
     ON CONFLICT (team_id, term) DO UPDATE SET rows = tidemark.term.rows + excluded.rows`,
    [work.team, moved.map(([word]) => word), moved.map(([, by]) => by)],
  );
}
