/**
 * Fills a database with one big team and many small ones. The rows are those that pushes would have stored, but loaded by
 * COPY, with the indexes created afterwards: a million take minutes. Needs a superuser, who bypasses row-level security.
 */
import { Client } from 'pg';
import { encode } from '../src/database/index.ts';
import {
  columnsOf,
  createTeam,
  ensureProject,
  WRITTEN,
  type Caller,
  type TeamStore,
} from '../src/server/store/index.ts';
import { entryOfMemory } from '../test/support/team.ts';
import { Copy } from './_copy.ts';
import type { Synthetic } from './_synthetic.ts';

export interface FilledTeam {
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

/** A model name for vectors that no model made. */
export const MODEL = 'synthetic';
/** Projects per team: many in a team of a million, few in one of a thousand. */
const PER_PROJECT = 50_000;
/** Number of consecutive memories of one project, as in a push. */
const TOGETHER = 500;
/** Number of distinct vectors. The time to compare vectors does not depend on their values. */
const VECTORS = 2000;
const TOLD_EVERY = 100_000;
const COLUMNS = WRITTEN.split(',').map((name) => name.trim());
/** Tables that are filled by COPY; their indexes are created afterwards. */
const TABLES = ['memory', 'change', 'memory_vector'];

/** Fills the database. `sizes` has the number of memories of each team. */
export async function fillTeams(
  target: Target,
  synthetic: Synthetic,
  sizes: readonly number[],
  tell: (what: string) => void,
): Promise<readonly FilledTeam[]> {
  const client = new Client({ connectionString: target.database });
  await client.connect();
  try {
    const indexes = await dropIndexes(client);
    const rows = new Rows(target, synthetic, tell);
    const teams: FilledTeam[] = [];
    for (const [i, memories] of sizes.entries()) teams.push(await rows.fill(`team-${i}`, memories));
    await rows.end();
    for (const [i, index] of indexes.entries()) {
      tell(`index ${i + 1} of ${indexes.length}`);
      await client.query(index);
    }
    await client.query(
      `SELECT setval(pg_get_serial_sequence('tidemark.memory', 'number'), ${rows.last + 1})`,
    );
    return teams;
  } finally {
    await client.end();
  }
}

class Rows {
  readonly #target: Target;
  readonly #synthetic: Synthetic;
  readonly #tell: (what: string) => void;
  readonly #memories: Copy;
  readonly #changes: Copy;
  readonly #vectors: Copy;
  readonly #terms: Copy;
  readonly #codes: readonly ReturnType<typeof encode>[];
  /** Number of the last memory. */
  last = 0;

  constructor(target: Target, synthetic: Synthetic, tell: (what: string) => void) {
    this.#target = target;
    this.#synthetic = synthetic;
    this.#tell = tell;
    const into = (name: string): Copy => new Copy(target.psql, target.database, `tidemark.${name}`);
    this.#memories = into(`memory (number, ${COLUMNS.join(', ')})`);
    this.#changes = into('change (team_id, project_id, memory_id, seq, op, author_id)');
    this.#vectors = into('memory_vector (team_id, number, project_id, model, content_hash, scale, codes)');
    this.#terms = into('project_term (team_id, term, project_id, rows)');
    this.#codes = Array.from({ length: VECTORS }, () => encode(synthetic.vector(), new Float32Array()));
  }

  async fill(name: string, memories: number): Promise<FilledTeam> {
    const { store, database } = this.#target;
    const caller = await createTeam(store, { name, owner: 'Ada' });
    const projects: string[] = [];
    for (let i = 0; i < Math.max(1, Math.ceil(memories / PER_PROJECT)); i++) {
      const wanted = { name: `${name} ${i}`, keys: [`bench:${name}:${i}`] };
      projects.push((await store.transaction(caller, (work) => ensureProject(work, wanted))).id);
    }
    const terms = new Map(projects.map((project) => [project, new Map<string, number>()]));
    const each = new Map<string, number>();
    for (let i = 0; i < memories; i++) {
      const project = projects[Math.floor(i / TOGETHER) % projects.length] ?? '';
      const counts = terms.get(project) ?? new Map<string, number>();
      each.set(project, (each.get(project) ?? 0) + 1);
      for (const term of await this.#add(caller, project, i)) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    for (const [project, counts] of terms)
      for (const [term, rows] of counts) await this.#terms.row([caller.team, term, project, rows]);
    const client = new Client({ connectionString: database });
    await client.connect();
    await client.query(
      `UPDATE tidemark.project_counter SET seq = $4, memories = made.memories
       FROM unnest($2::uuid[], $3::bigint[]) AS made (id, memories) WHERE team_id = $1 AND project_id = made.id`,
      [caller.team, [...each.keys()], [...each.values()], memories],
    );
    await client.end();
    return { caller, projects, memories };
  }

  async end(): Promise<void> {
    await Promise.all([this.#memories, this.#changes, this.#vectors, this.#terms].map((copy) => copy.end()));
  }

  async #add({ team, member }: Caller, project: string, i: number): Promise<readonly string[]> {
    const entry = entryOfMemory(this.#synthetic.memory(i).memory);
    const { columns, terms } = columnsOf({ team, project, author: member }, entry);
    const number = ++this.last;
    await this.#memories.row([number, ...COLUMNS.map((name) => columns[name])]);
    await this.#changes.row([team, project, entry.id, i + 1, 'put', member]);
    const code = this.#codes[number % VECTORS];
    if (code) {
      const bytes = Buffer.from(code.codes.buffer, code.codes.byteOffset, code.codes.byteLength);
      const hash = columns['content_hash'];
      await this.#vectors.row([team, number, project, MODEL, hash, code.scale, bytes]);
    }
    if (number % TOLD_EVERY === 0) this.#tell(`${number} memories`);
    return terms;
  }
}

/** Drops the indexes. @returns the statements that create them again */
async function dropIndexes(client: Client): Promise<readonly string[]> {
  await client.query("SET maintenance_work_mem = '1GB'");
  const { rows } = await client.query<{ readonly name: string; readonly definition: string }>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisprimary AND i.indrelid = ANY (ARRAY(SELECT ('tidemark.' || named)::regclass FROM unnest($1::text[]) AS named))`,
    [TABLES],
  );
  for (const { name } of rows) await client.query(`DROP INDEX tidemark.${name}`);
  // The definition of a partitioned index leaves its partitions out.
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}
