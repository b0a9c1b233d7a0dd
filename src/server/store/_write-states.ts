/** Writes the new states of entries, all of a request in a few statements. Called by changes.ts under the project's lock. */
import type { EntryState, Merged } from './_merge.ts';
import { columnsOf } from './entries.ts';
import { SQL_IS_WORD, SQL_TOKEN } from './search/lexemes.ts';
import { insertRows, list, WANTED } from './values.ts';
import type { Work } from './work.ts';

const MEMORY_KEY = '(team_id, project_id, id)';

export interface StateChange {
  readonly id: string;
  /** Absent if there is only a replaced text to store. */
  readonly next?: EntryState;
  readonly seq?: number;
  readonly lost: readonly NonNullable<Merged['lost']>[];
}

export async function writeStates(
  work: Work,
  project: string,
  seq: number,
  changes: readonly StateChange[],
): Promise<void> {
  await storeRevisions(work, project, changes);
  const changed = changes.filter(({ next }) => next !== undefined);
  if (changed.length === 0) return;
  const ended = changed.filter(({ next }) => next?.end).map(({ id }) => id);
  const puts = changed.flatMap(({ next }) => (next?.entry ? [next.entry] : []));
  const ids = puts.map(({ wire }) => wire.id);
  const written = puts.map(({ wire, author }) => columnsOf({ team: work.team, project, author }, wire));
  const wordsBefore = await wordsOf(work, project, changed);
  await deleteEnded(work, project, ended);
  const columns = written.map((one) => one.columns);
  await insertRows(work, 'memory', columns, `${MEMORY_KEY} ${updateAll(columns[0], 'changed_at')}`);
  await queueVectors(work, project, ids);
  await writeTombstones(work, project, changed, ids);
  await writeSequence(work, project, changed);
  await countWords(
    work,
    project,
    wordsBefore,
    written.map(({ terms }) => terms),
  );
  await work.run(
    'UPDATE tidemark.project_counter SET seq = $3, memories = memories + $4 WHERE team_id = $1 AND project_id = $2',
    [work.team, project, seq, written.length - wordsBefore.length],
  );
  work.changed(project);
}

/** Returns the `DO UPDATE` that overwrites every column outside of the key; `now`: a column that gets the time. */
function updateAll(row: Readonly<Record<string, unknown>> = {}, now: string): string {
  const names = Object.keys(row).filter((name) => !['team_id', 'project_id', 'id'].includes(name));
  return `DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, ${now} = now()`;
}

async function storeRevisions(work: Work, project: string, changes: readonly StateChange[]): Promise<void> {
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
  await insertRows(work, 'memory_revision', rows, 'DO NOTHING');
}

/** Returns the words of each of the entries that exists now. */
async function wordsOf(
  work: Work,
  project: string,
  entries: readonly StateChange[],
): Promise<readonly (readonly string[])[]> {
  const rows = await work.rows(
    `SELECT ARRAY(SELECT ${SQL_TOKEN} FROM unnest(m.tokens) WHERE ${SQL_IS_WORD}) AS words
     FROM ${WANTED}
     JOIN tidemark.memory m ON m.team_id = $1 AND m.project_id = wanted.project_id AND m.id = wanted.id`,
    [work.team, project, entries.map(({ id }) => id)],
  );
  return rows.map((row) => list(row, 'words'));
}

async function deleteEnded(work: Work, project: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const values = [work.team, project, ids];
  for (const table of ['memory_vector', 'unembedded'])
    await work.run(
      `DELETE FROM tidemark.${table} v USING ${WANTED}, tidemark.memory m
       WHERE m.team_id = $1 AND m.project_id = wanted.project_id AND m.id = wanted.id AND v.team_id = $1 AND v.number = m.number`,
      values,
    );
  for (const table of ['memory', 'memory_revision'])
    await work.run(
      `DELETE FROM tidemark.${table} t USING ${WANTED}
       WHERE t.team_id = $1 AND t.project_id = wanted.project_id AND t.id = wanted.id`,
      values,
    );
}

/** Deletes the vectors of changed texts and queues the entries that have none. */
async function queueVectors(work: Work, project: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const values = [work.team, project, ids];
  await work.run(
    `DELETE FROM tidemark.memory_vector v USING ${WANTED}, tidemark.memory m
     WHERE m.team_id = $1 AND m.project_id = wanted.project_id AND m.id = wanted.id AND v.team_id = $1 AND v.number = m.number
       AND m.content_hash <> v.content_hash`,
    values,
  );
  await work.run(
    `INSERT INTO tidemark.unembedded (team_id, number, project_id)
     SELECT m.team_id, m.number, m.project_id FROM ${WANTED}
     JOIN tidemark.memory m ON m.team_id = $1 AND m.project_id = wanted.project_id AND m.id = wanted.id
     WHERE NOT EXISTS (SELECT FROM tidemark.memory_vector v WHERE v.team_id = $1 AND v.number = m.number)
     ON CONFLICT DO NOTHING`,
    values,
  );
}

async function writeTombstones(
  work: Work,
  project: string,
  changed: readonly StateChange[],
  alive: readonly string[],
): Promise<void> {
  const ends = changed.flatMap(({ id, next }) => {
    if (!next?.end) return [];
    const { op, version, turn, hash } = next.end;
    const { clock, machine } = version;
    const key = { team_id: work.team, project_id: project, id };
    return [{ ...key, op, turn, hash, clock, version_machine: machine, author_id: work.member }];
  });
  if (alive.length > 0)
    await work.run(
      `DELETE FROM tidemark.tombstone t USING ${WANTED}
       WHERE t.team_id = $1 AND t.project_id = wanted.project_id AND t.id = wanted.id`,
      [work.team, project, alive],
    );
  await insertRows(work, 'tombstone', ends, `${MEMORY_KEY} ${updateAll(ends[0], 'at')}`);
}

async function writeSequence(work: Work, project: string, changed: readonly StateChange[]): Promise<void> {
  const ops = changed.map(({ next }) => next?.end?.op ?? 'put');
  await work.run(
    `INSERT INTO tidemark.change (team_id, project_id, memory_id, seq, op, author_id)
     SELECT $1, $2, made.id, made.seq, made.op, $3 FROM unnest($4::text[], $5::bigint[], $6::text[]) AS made (id, seq, op)
     ON CONFLICT (team_id, project_id, memory_id)
       DO UPDATE SET seq = excluded.seq, op = excluded.op, author_id = excluded.author_id, at = now()`,
    [work.team, project, work.member, changed.map(({ id }) => id), changed.map(({ seq }) => seq), ops],
  );
}

/** Updates the word counts of the project. A word that no memory contains any more is deleted with the last one. */
async function countWords(
  work: Work,
  project: string,
  before: readonly (readonly string[])[],
  after: readonly (readonly string[])[],
): Promise<void> {
  const deltas = new Map<string, number>();
  for (const [texts, by] of [[before, -1] as const, [after, 1] as const])
    for (const word of texts.flat()) deltas.set(word, (deltas.get(word) ?? 0) + by);
  const moved = [...deltas].filter(([, by]) => by !== 0);
  if (moved.length === 0) return;
  await work.run(
    `INSERT INTO tidemark.project_term AS t (team_id, project_id, term, rows)
     SELECT $1, $2, moved.term, moved.by FROM unnest($3::text[], $4::bigint[]) AS moved (term, by)
     ON CONFLICT (team_id, term, project_id) DO UPDATE SET rows = t.rows + excluded.rows`,
    [work.team, project, moved.map(([word]) => word), moved.map(([, by]) => by)],
  );
  const fewer = moved.filter(([, by]) => by < 0).map(([word]) => word);
  if (fewer.length > 0)
    await work.run(
      `DELETE FROM tidemark.project_term t USING ${WANTED}
       WHERE t.team_id = $1 AND t.project_id = wanted.project_id AND t.term = wanted.id AND t.rows <= 0`,
      [work.team, project, fewer],
    );
}
