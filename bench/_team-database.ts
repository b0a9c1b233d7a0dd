/**
 * The databases of the server benchmark: one PostgreSQL without pgvector and a copy of its data in one with it. Each is
 * filled once, and used again if its folder is kept.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { addMember, createKey, TeamStore, type Caller } from '../src/server/store/index.ts';
import type { Postgres, PostgresOptions } from '../test/support/postgres.ts';
import { Synthetic } from './_synthetic.ts';
import { fillTeams, fillVectors, settleVectorIndexes, type FilledTeam } from './_team-fill.ts';
import { endWithThis } from './_team-processes.ts';

export interface Sizes {
  readonly memories: number;
  readonly teams: number;
  /** Memories of the first team. The others have sizes as words have frequencies: the n-th has 1/n of the second's. */
  readonly big: number;
  readonly clients: number;
}

/** A member with a key. */
export interface Member {
  readonly key: string;
  readonly team: FilledTeam;
}

export interface Filled {
  readonly sizes: Sizes;
  readonly hash: string;
  readonly big: FilledTeam;
  /** Members of all teams, as many of each as its share of the memories. */
  readonly clients: readonly Member[];
  /** One member of each of some teams of middle size. */
  readonly small: readonly Member[];
  /** Seconds to fill it, and to copy it and build the vector index. */
  readonly seconds: number;
  readonly vectorSeconds?: number;
}

export interface Running {
  readonly postgres: Postgres;
  /** As superuser, without a pooler. */
  readonly database: string;
  readonly filled: Filled;
}

export const SEED = 20_261_115;
const NAME = 'test_1';
const MB = 1024 * 1024;
const SMALL_TEAMS = 20;
/** Settings for a machine with 4 GB that runs only the database; everything else is PostgreSQL's default. */
const SETTINGS = {
  shared_buffers: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '4GB',
  effective_cache_size: '3GB',
};
/** A crash during the fill only means to fill it again. */
const WHILE_FILLING = {
  ...SETTINGS,
  maintenance_work_mem: '2GB',
  max_wal_size: '20GB',
  checkpoint_timeout: '1h',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
};

/** Finds PostgreSQL, pgvector and PgBouncer, and installs missing ones. A test has prepared them already. */
export async function prepareParts(): Promise<void> {
  if (process.env['TIDEMARK_TEST_PARTS']) return;
  // A script without types. It takes names of suites and a function that reports progress.
  const parts = (await import(new URL('../scripts/_parts.mjs', import.meta.url).href)) as {
    prepareParts: (suites: readonly string[], say: (text: string) => void) => Promise<void>;
  };
  await parts.prepareParts(['bench'], (text) => console.error(text));
}

/** Runs `work` with a PostgreSQL that makes every commit durable, in `kept` or in a folder that is removed afterwards. */
export async function withPostgres<T>(
  kept: string | undefined,
  work: (postgres: Postgres) => Promise<T>,
): Promise<T> {
  await prepareParts();
  return withFolder(kept, (folder) =>
    started({ folder: join(folder, 'plain'), durable: true, settings: SETTINGS }, false, work),
  );
}

/** Runs `work` with the databases in `kept`, or in a folder that is removed afterwards. */
export async function withFolder<T>(
  kept: string | undefined,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  if (kept !== undefined) return work(kept);
  // PostgreSQL runs as another user if this is root.
  const folder = mkdtempSync('/tmp/tm-bench-');
  chmodSync(folder, 0o755);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return work(folder);
}

/** Starts the filled database, filling it first if needed, and stops it after `work`. */
export async function withDatabase<T>(
  folder: string,
  sizes: Sizes,
  hasPgvector: boolean,
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const filled = hasPgvector ? await withVectorIndex(folder, sizes) : await filledOnce(folder, sizes);
  const at = join(folder, hasPgvector ? 'pgvector' : 'plain');
  return started({ folder: at, durable: true, settings: SETTINGS }, hasPgvector, (postgres) =>
    work({ postgres, database: postgres.urlOf(NAME), filled }),
  );
}

async function filledOnce(folder: string, sizes: Sizes): Promise<Filled> {
  const note = join(folder, 'filled.json');
  const known = noteOf(note);
  if (known) return checked(known, sizes, folder);
  const at = join(folder, 'plain');
  rmSync(at, { recursive: true, force: true });
  const tell = teller();
  const filled = await started({ folder: at, settings: WHILE_FILLING }, false, async (postgres, programs) => {
    const database = await postgres.newDatabase();
    const store = await TeamStore.open({ database });
    const synthetic = new Synthetic(SEED);
    try {
      const target = { store, database, psql: join(programs, 'psql') };
      const { teams, hash } = await fillTeams(target, synthetic, teamSizes(sizes), tell);
      await fillVectors(database, synthetic, tell);
      const made = await membersOf(store, teams, sizes);
      await asked(database, 'VACUUM (ANALYZE)');
      return { sizes, hash, ...made, seconds: tell('filled') };
    } finally {
      await store.close();
    }
  });
  writeFileSync(note, JSON.stringify(filled), { mode: 0o600 });
  return filled;
}

async function withVectorIndex(folder: string, sizes: Sizes): Promise<Filled> {
  const filled = await filledOnce(folder, sizes);
  const note = join(folder, 'pgvector.json');
  const known = noteOf(note);
  if (known) return known;
  const at = join(folder, 'pgvector');
  const tell = teller();
  rmSync(at, { recursive: true, force: true });
  execFileSync('cp', ['--archive', '--reflink=auto', join(folder, 'plain'), at]);
  tell('copied');
  await started({ folder: at, settings: WHILE_FILLING }, true, async (postgres) => {
    const database = postgres.urlOf(NAME);
    // Creates the column and the index.
    const store = await TeamStore.open({ database });
    try {
      if (store.vectors !== 'pgvector') throw new Error('the database has no pgvector');
      const synthetic = new Synthetic(SEED);
      await fillVectors(database, synthetic, tell);
      const teams = new Map(filled.clients.map(({ team }) => [team.caller.team, team]));
      await settleVectorIndexes({ store, database }, [...teams.values()], synthetic, tell);
    } finally {
      await store.close();
    }
    await asked(database, 'VACUUM (ANALYZE) tidemark.memory_vector');
  });
  const made = { ...filled, vectorSeconds: tell('pgvector') };
  writeFileSync(note, JSON.stringify(made), { mode: 0o600 });
  return made;
}

async function started<T>(
  options: PostgresOptions,
  hasPgvector: boolean,
  work: (postgres: Postgres, programs: string) => Promise<T>,
): Promise<T> {
  // Imported here, because it looks for the parts that were prepared before.
  const { pgvector, postgresql, startPostgres } = await import('../test/support/postgres.ts');
  const { path: programs, skip } = hasPgvector ? pgvector : postgresql;
  if (skip) throw new Error(skip);
  const postgres = await startPostgres({ ...options, programs });
  const forget = endWithThis(postgres.pid, 'SIGINT');
  try {
    return await work(postgres, programs);
  } finally {
    await postgres.remove();
    forget();
  }
}

function teamSizes({ memories, teams, big }: Sizes): readonly number[] {
  const shares = Array.from({ length: teams - 1 }, (_, i) => 1 / (i + 1));
  const sum = shares.reduce((all, share) => all + share, 0);
  return [big, ...shares.map((share) => Math.max(1, Math.round(((memories - big) * share) / sum)))];
}

/** Creates the members of the benchmark's clients. */
async function membersOf(
  store: TeamStore,
  teams: readonly FilledTeam[],
  { clients }: Sizes,
): Promise<Pick<Filled, 'big' | 'clients' | 'small'>> {
  const [big] = teams;
  if (!big) throw new Error('no team');
  const ends: number[] = [];
  let total = 0;
  for (const { memories } of teams) ends.push((total += memories));
  const spread = Array.from({ length: clients }, (_, i) => {
    const place = ((i + 0.5) / clients) * total;
    return teams[ends.findIndex((end) => end > place)] ?? big;
  });
  const middle = Math.floor(teams.length / 2);
  const chosen = teams.slice(middle, middle + SMALL_TEAMS);
  const join = async (of: readonly FilledTeam[], name: string): Promise<readonly Member[]> => {
    const made: Member[] = [];
    for (const [i, team] of of.entries())
      made.push({ key: await newMember(store, team.caller, `${name} ${i}`), team });
    return made;
  };
  return { big, clients: await join(spread, 'client'), small: await join(chosen, 'searcher') };
}

function newMember(store: TeamStore, owner: Caller, name: string): Promise<string> {
  return store.transaction(owner, async (work) => {
    const { id } = await addMember(work, { name, role: 'member' });
    return (await createKey(work, { member: id, scopes: ['read', 'write'] })).secret;
  });
}

function noteOf(file: string): Filled | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Filled) : undefined;
}

function checked(filled: Filled, sizes: Sizes, folder: string): Filled {
  if (JSON.stringify(filled.sizes) === JSON.stringify(sizes)) return filled;
  throw new Error(
    `${folder} contains a database of another size (${JSON.stringify(filled.sizes)}). Remove it, or name another folder.`,
  );
}

/** Prints progress with the seconds so far, and returns them. */
function teller(): (what: string) => number {
  const began = performance.now();
  return (what) => {
    const seconds = Math.round((performance.now() - began) / 1000);
    console.error(`${what}, ${seconds} s`);
    return seconds;
  };
}

export async function asked(
  database: string,
  text: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the size of each table and index in MB with its partitions, largest first. */
export async function sizesOf(database: string): Promise<readonly { name: string; mb: number }[]> {
  const rows = await asked(
    database,
    `SELECT coalesce(pg_partition_root(c.oid)::oid, c.oid)::regclass::text AS name,
       sum(CASE c.relkind WHEN 'i' THEN pg_relation_size(c.oid) ELSE pg_table_size(c.oid) END) AS bytes
     FROM pg_class c WHERE c.relnamespace = 'tidemark'::regnamespace AND c.relkind IN ('r', 'i')
     GROUP BY 1 ORDER BY bytes DESC LIMIT 16`,
  );
  return rows.map(({ name, bytes }) => ({
    name: String(name).replace('tidemark.', ''),
    mb: Number(bytes) / MB,
  }));
}

export async function diskOf(database: string): Promise<number> {
  const [row] = await asked(database, 'SELECT pg_database_size(current_database()) AS bytes');
  return Number(row?.['bytes']) / MB;
}

/** Returns the bytes of the log of changes (WAL) that were written so far. */
export async function walOf(database: string): Promise<number> {
  const [row] = await asked(database, "SELECT pg_current_wal_lsn() - '0/0' AS bytes");
  return Number(row?.['bytes']);
}
