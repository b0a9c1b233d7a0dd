/**
 * The PostgreSQL of the server benchmarks. Starts on loopback in its own folder, is filled once, and is reused if that folder
 * is kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createKey, TeamStore, type Caller, type Scope } from '../src/server/store/index.ts';
import type { Postgres } from '../test/support/postgres.ts';
import { Synthetic } from './_synthetic.ts';
import { fillTeams, type FilledTeam } from './_team-server.ts';

export interface Sizes {
  /** Number of memories of the big team. */
  readonly size: number;
  /** Number of small teams, and of memories in each. */
  readonly teams: number;
  readonly each: number;
}

export interface FilledDatabase {
  readonly database: string;
  readonly big: FilledTeam;
  readonly small: readonly FilledTeam[];
  /** Time to fill it; undefined if the database already existed. */
  readonly seconds?: number;
}

export const SEED = 20_261_115;
/** Settings for a machine with 4 GB that runs only the database; everything else is PostgreSQL's default. */
const SETTINGS = {
  shared_buffers: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '4GB',
  effective_cache_size: '3GB',
};
const NAME = 'test_1';
const MB = 1024 * 1024;
const TICK_MS = 10;

/** Runs `work` with a PostgreSQL that makes every commit durable, and stops it afterwards. */
export async function withPostgres<T>(
  folder: string | undefined,
  work: (postgres: Postgres, psql: string) => Promise<T>,
): Promise<T> {
  // A script without types. It takes names of suites and a function that reports progress.
  const { prepareParts } = (await import(new URL('../scripts/_parts.mjs', import.meta.url).href)) as {
    prepareParts: (suites: readonly string[], say: (text: string) => void) => Promise<void>;
  };
  await prepareParts(['server'], (text) => console.error(text));
  // Imported here, because it looks for the parts that were just prepared.
  const { postgresql, startPostgres } = await import('../test/support/postgres.ts');
  if (postgresql.skip) throw new Error(postgresql.skip);
  const kept = folder === undefined ? {} : { folder };
  const postgres = await startPostgres({ durable: true, settings: SETTINGS, ...kept });
  try {
    return await work(postgres, join(postgresql.path, 'psql'));
  } finally {
    await postgres.remove();
  }
}

/** Opens the database of that size in the folder, or fills a new one. */
export async function filledDatabase(
  postgres: Postgres,
  psql: string,
  folder: string | undefined,
  { size, teams, each }: Sizes,
): Promise<FilledDatabase> {
  const note = folder === undefined ? undefined : join(folder, 'filled.json');
  const wanted = JSON.stringify([SEED, size, teams, each]);
  const known = noteOf(note);
  if (known?.wanted === wanted) return { ...known, database: postgres.urlOf(NAME) };
  if (known)
    throw new Error(`${folder} contains a database of another size. Remove it, or name another folder.`);
  const database = await postgres.newDatabase();
  const store = await TeamStore.open({ database });
  const began = performance.now();
  const sizes = [size, ...Array.from({ length: teams }, () => each)];
  const tell = (what: string): void =>
    console.error(`${what}, ${Math.round((performance.now() - began) / 1000)} s`);
  const [big, ...small] = await fillTeams({ store, database, psql }, new Synthetic(SEED), sizes, tell);
  await store.close();
  await asked(database, 'VACUUM (ANALYZE)');
  if (!big) throw new Error('no team');
  if (note !== undefined) writeFileSync(note, JSON.stringify({ wanted, big, small }));
  return { database, big, small, seconds: (performance.now() - began) / 1000 };
}

function noteOf(
  file: string | undefined,
): (Pick<FilledDatabase, 'big' | 'small'> & { readonly wanted: string }) | undefined {
  try {
    return file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // a new folder
  }
}

export async function keyOf(store: TeamStore, caller: Caller, ...scopes: Scope[]): Promise<string> {
  const made = await store.transaction(caller, (work) => createKey(work, { member: caller.member, scopes }));
  return made.secret;
}

export async function asked(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the size of each relation in MB, largest first. */
export async function sizesOf(database: string): Promise<readonly { name: string; mb: number }[]> {
  const rows = await asked(
    database,
    `SELECT c.relname AS name, pg_total_relation_size(c.oid) - pg_indexes_size(c.oid) AS bytes
     FROM pg_class c WHERE c.relnamespace = 'tidemark'::regnamespace AND c.relkind = 'r'
     UNION ALL SELECT c.relname, pg_relation_size(c.oid) FROM pg_class c
     WHERE c.relnamespace = 'tidemark'::regnamespace AND c.relkind = 'i' ORDER BY bytes DESC LIMIT 8`,
  );
  return rows.map(({ name, bytes }) => ({ name: String(name), mb: Number(bytes) / MB }));
}

export async function diskOf(database: string): Promise<number> {
  const [row] = await asked(database, 'SELECT pg_database_size(current_database()) AS bytes');
  return Number(row?.['bytes']) / MB;
}

/** Returns the memory of a process and its children in MB; shared memory counts once. */
export function memoryOf(pid: number): number {
  return familyOf(pid).reduce((sum, one) => sum + shareOf(one), 0);
}

/** Returns the CPU time of a process and its children, including those that ended, in milliseconds. */
export function cpuOf(pid: number): number {
  return familyOf(pid).reduce((sum, one) => {
    // The name in brackets may contain anything, so fields are counted after it.
    const fields = textOf(`/proc/${one}/stat`).split(') ')[1]?.split(' ').map(Number) ?? [];
    const [user = 0, system = 0, ofEnded = 0, systemOfEnded = 0] = fields.slice(11, 15);
    return sum + (user + system + ofEnded + systemOfEnded) * TICK_MS;
  }, 0);
}

function familyOf(pid: number): readonly number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children];
}

function shareOf(pid: number): number {
  return Number(/^Pss:\s*(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
