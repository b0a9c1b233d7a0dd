/**
 * Fills a database with one big team and many smaller ones. Teams and projects are created through the store; memories are
 * loaded by COPY, everything derived from them by SQL, with the indexes created afterwards. Needs a superuser, who bypasses
 * row-level security. Knows only the names of tables: a partitioned table is filled through its parent.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { encode } from '../src/database/index.ts';
import { LOCAL_EMBEDDER } from '../src/models/index.ts';
import {
  columnsOf,
  createTeam,
  ensureProject,
  searchMemories,
  setShare,
  WRITTEN,
  type Caller,
  type TeamStore,
} from '../src/server/store/index.ts';
import { entryOfMemory } from '../test/support/team.ts';
import { Copy } from './_copy.ts';
import type { Synthetic } from './_synthetic.ts';

export interface FilledTeam {
  /** Its owner. */
  readonly caller: Caller;
  readonly projects: readonly string[];
  readonly memories: number;
}

export interface Target {
  readonly store: TeamStore;
  /** A connection as superuser. */
  readonly database: string;
  readonly psql: string;
}

type Tell = (what: string) => void;

/** The name under which the server stores vectors of its own model. The benchmark's are synthetic. */
const PER_PROJECT = 10_000;
/** Number of consecutive memories of one project, as in a push. */
const TOGETHER = 500;
/** Vectors that are combined in pairs, so that a million are distinct: an index of equal vectors says nothing. */
const VECTORS = 1000;
/** The length of the second vector of a pair; the first decides the subject. */
const SHADE = 0.5;
/** The store compares fewer vectors exactly (search/nearest.ts). */
const COMPARED_EXACTLY = 20_000;
const CHECK_MS = 500;
const QUIET_CHECKS = 4;
const TOLD_EVERY = 50_000;
const COLUMNS = WRITTEN.split(',').map((name) => name.trim());
const FILLED = ['memory', 'change', 'project_term'];

/** Fills an empty database. `sizes` has the number of memories of each team. `hash` is that of all titles. */
export async function fillTeams(
  target: Target,
  synthetic: Synthetic,
  sizes: readonly number[],
  tell: Tell,
): Promise<{ readonly teams: readonly FilledTeam[]; readonly hash: string }> {
  const teams: FilledTeam[] = [];
  for (const [i, memories] of sizes.entries()) teams.push(await newTeam(target.store, `team-${i}`, memories));
  tell(`${teams.length} teams`);
  return withClient(target.database, async (client) => {
    const indexes = await dropIndexes(client, FILLED);
    const hash = await copyMemories(target, synthetic, teams, tell);
    tell('memories');
    await client.query(`INSERT INTO tidemark.change (team_id, project_id, memory_id, seq, op, author_id)
      SELECT team_id, project_id, id, row_number() OVER (PARTITION BY team_id, project_id ORDER BY number), 'put', author_id
      FROM tidemark.memory`);
    tell('changes');
    await createIndexes(client, indexes, tell);
    await settleCounters(client);
    tell('counters');
    return { teams, hash };
  });
}

/** Replaces the vectors of all memories, with the column and the index of pgvector if the database has them. */
export async function fillVectors(database: string, synthetic: Synthetic, tell: Tell): Promise<void> {
  await withClient(database, async (client) => {
    const { rows } = await client.query(`SELECT 1 FROM pg_attribute
      WHERE attrelid = 'tidemark.memory_vector'::regclass AND attname = 'embedding' AND NOT attisdropped`);
    const hasIndex = rows.length > 0;
    const indexes = await dropIndexes(client, ['memory_vector']);
    await client.query('TRUNCATE tidemark.memory_vector');
    await client.query(
      `CREATE TEMP TABLE made (i bigint PRIMARY KEY, scale real, codes bytea${hasIndex ? ', subject halfvec, shade halfvec' : ''})`,
    );
    const made = Array.from({ length: VECTORS }, () => {
      const vector = synthetic.vector();
      return {
        vector,
        shade: synthetic.vector().map((value) => value * SHADE),
        ...encode(vector, new Float32Array()),
      };
    });
    const arrays = [
      made.map((_, i) => i),
      made.map(({ scale }) => scale),
      made.map(({ codes }) => Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength)),
      ...(hasIndex ? [made.map(({ vector }) => textOf(vector)), made.map(({ shade }) => textOf(shade))] : []),
    ];
    await client.query(
      `INSERT INTO made SELECT i, scale, codes${hasIndex ? ', subject::halfvec, shade::halfvec' : ''}
       FROM unnest($1::bigint[], $2::real[], $3::bytea[]${hasIndex ? ', $4::text[], $5::text[]' : ''})
         AS one (i, scale, codes${hasIndex ? ', subject, shade' : ''})`,
      arrays,
    );
    await client.query('ANALYZE made');
    await client.query(
      `INSERT INTO tidemark.memory_vector (team_id, number, project_id, model, content_hash, made_of, scale, codes${hasIndex ? ', embedding' : ''})
       SELECT m.team_id, m.number, m.project_id, $1, m.content_hash, 2, a.scale, a.codes${hasIndex ? ', a.subject + b.shade' : ''}
       FROM tidemark.memory m JOIN made a ON a.i = m.number % ${VECTORS} JOIN made b ON b.i = m.number / ${VECTORS} % ${VECTORS}`,
      [LOCAL_EMBEDDER],
    );
    tell('vectors');
    await createIndexes(client, indexes, tell);
  });
}

/**
 * Searches in the large teams by vector and waits for the indexes that the store builds because of that, so that none is
 * built while the benchmark measures. A store that has built its index before builds none.
 */
export async function settleVectorIndexes(
  { store, database }: Pick<Target, 'store' | 'database'>,
  teams: readonly FilledTeam[],
  synthetic: Synthetic,
  tell: Tell,
): Promise<void> {
  for (const { caller } of teams.filter(({ memories }) => memories > COMPARED_EXACTLY)) {
    const vector = { model: LOCAL_EMBEDDER, vector: synthetic.vector() };
    await store.transaction(
      caller,
      (work) => searchMemories(work, store.vectors, synthetic.text(1), { now: new Date(), vector }),
      { readOnly: true },
    );
  }
  await withClient(database, async (client) => {
    // Several times, because one build follows another.
    for (let quiet = 0; quiet < QUIET_CHECKS; quiet++) {
      await pause(CHECK_MS);
      const { rowCount } = await client.query(
        'SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()',
      );
      if (rowCount) quiet = -1;
    }
  });
  tell('vector indexes of large teams');
}

/** Fills the tables that count memories, as pushes would have. A new table of counts belongs here. */
async function settleCounters(client: Client): Promise<void> {
  await client.query(`UPDATE tidemark.project_counter p SET seq = counted.seq, memories = counted.memories
    FROM (SELECT team_id, project_id, max(seq) AS seq, count(*) AS memories FROM tidemark.change
      GROUP BY team_id, project_id) AS counted
    WHERE p.team_id = counted.team_id AND p.project_id = counted.project_id`);
}

async function newTeam(store: TeamStore, name: string, memories: number): Promise<FilledTeam> {
  const caller = await createTeam(store, { name, owner: 'Ada' });
  const projects: string[] = [];
  for (let i = 0; i < Math.max(1, Math.ceil(memories / PER_PROJECT)); i++) {
    const wanted = { name: `${name} ${i}`, keys: [`bench:${name}:${i}`] };
    const made = await store.transaction(caller, async (work) => {
      const project = await ensureProject(work, wanted);
      await setShare(work, project.id, { member: null, access: 'write' });
      return project;
    });
    projects.push(made.id);
  }
  return { caller, projects, memories };
}

async function copyMemories(
  { psql, database }: Target,
  synthetic: Synthetic,
  teams: readonly FilledTeam[],
  tell: Tell,
): Promise<string> {
  const hash = createHash('sha256');
  const memories = new Copy(psql, database, `tidemark.memory (${COLUMNS.join(', ')})`);
  const words = new Copy(psql, database, 'tidemark.project_term (team_id, term, project_id, rows)');
  let done = 0;
  for (const { caller, projects, memories: size } of teams) {
    const { team, member: author } = caller;
    const counts = new Map(projects.map((project) => [project, new Map<string, number>()]));
    for (let i = 0; i < size; i++) {
      const project = projects[Math.floor(i / TOGETHER) % projects.length] ?? '';
      const entry = entryOfMemory(synthetic.memory(i).memory);
      hash.update(entry.title);
      const { columns, terms } = columnsOf({ team, project, author }, entry);
      await memories.row(COLUMNS.map((name) => columns[name]));
      const own = counts.get(project);
      for (const term of terms) own?.set(term, (own.get(term) ?? 0) + 1);
      if (++done % TOLD_EVERY === 0) tell(`${done} memories`);
    }
    for (const [project, own] of counts)
      for (const [term, rows] of own) await words.row([team, term, project, rows]);
  }
  await Promise.all([memories.end(), words.end()]);
  return hash.digest('hex').slice(0, 12);
}

/** Drops the indexes that no constraint needs. @returns the statements that create them again */
async function dropIndexes(client: Client, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string; readonly definition: string }>(
    `SELECT c.oid::regclass::text AS name, pg_get_indexdef(c.oid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE NOT c.relispartition AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid)
       AND coalesce(pg_partition_root(i.indrelid), i.indrelid)
         = ANY (ARRAY(SELECT ('tidemark.' || named)::regclass FROM unnest($1::text[]) AS named))`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  // The definition of an index of a partitioned table leaves its partitions out.
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

async function createIndexes(client: Client, indexes: readonly string[], tell: Tell): Promise<void> {
  for (const index of indexes) {
    await client.query(index);
    tell(index.replace(/ USING .*/s, ''));
  }
}

async function withClient<T>(database: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function textOf(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
