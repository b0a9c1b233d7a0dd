/**
 * A real PostgreSQL of the machine's packages, for one test file: its own folder, loopback only, a random port, a password
 * of its own. Runs as an unprivileged user where the tests are root, because PostgreSQL refuses root. Stopped by its pid.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { part } from './parts.ts';
import { waitFor } from './wait-for.ts';

export interface Postgres {
  readonly port: number;
  readonly pid: number;
  /** A database that is there, as its superuser or as another of its users. */
  urlOf(database: string, user?: string): string;
  /** The file that it logs to. */
  readonly log: string;
  /** An empty database of its own, as its superuser. */
  newDatabase(): Promise<string>;
  /** The same database as a user who is not a superuser but owns it and may make roles. */
  newOwnedDatabase(): Promise<string>;
  stop(signal?: 'SIGINT' | 'SIGKILL' | 'SIGQUIT'): Promise<void>;
  /** Again after `stop`, with the same data and port; nothing where it runs. */
  start(): Promise<void>;
  /** A streaming replica of it, which is removed with it. Needs `wal_level` of `replica`, the default. */
  replicate(): Promise<Replica>;
  /** Stops it and removes its folder, unless that was given. */
  remove(): Promise<void>;
}

export interface Replica {
  /** The same database on the replica. */
  urlOf(database: string): string;
  /** Runs a statement there, such as `SELECT pg_wal_replay_pause()`. */
  ask(text: string): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Whether this file runs in the suite `pgvector`, on a PostgreSQL with pgvector. */
export const HAS_PGVECTOR = process.argv.includes('--pgvector');

export const pgvector = part('pgvector');
export const postgresql = HAS_PGVECTOR ? pgvector : part('postgresql');

const START_TIMEOUT_MS = 60_000;
const SUPERUSER = 'tidemark_test';
const PORTS = [20_000, 32_000] as const;

export interface PostgresOptions {
  /** Writes reach the disk before they are acknowledged, for tests that kill it. */
  readonly durable?: boolean;
  /** Further settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder of its programs; with `pgvector.path` it has pgvector. */
  readonly programs?: string;
  /** Made where it is missing, used again where it is there, and left behind: for benchmarks. */
  readonly folder?: string;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const folder = options.folder ?? newFolder();
  const isKept = options.folder !== undefined;
  if (!isKept) process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const password = initialise(folder, options);
  let port = 0;
  let child: ChildProcess | undefined;
  const url = (database: string, user = SUPERUSER): string =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  const isRunning = (): boolean =>
    child !== undefined && child.exitCode === null && child.signalCode === null;
  const log = path.join(folder, 'log');
  /** @returns whether it had its port */
  const tried = async (): Promise<boolean> => {
    const logged = fs.existsSync(log) ? fs.statSync(log).size : 0;
    const said = (): string => fs.readFileSync(log, 'utf8').slice(logged);
    child = run(folder, port, options);
    const started = child;
    await waitFor('PostgreSQL', () => started.exitCode !== null || answers(url('postgres')), {
      timeout: START_TIMEOUT_MS,
      explain: said,
    });
    if (started.exitCode === null) return true;
    if (said().includes('Address already in use')) return false;
    throw new Error(said());
  };
  const start = async (): Promise<void> => {
    if (isRunning()) return;
    if (!(await tried())) throw new Error(`another process has port ${port} now`);
  };
  const stop = async (signal: NodeJS.Signals = 'SIGINT'): Promise<void> => {
    const running = isRunning() ? child : undefined;
    child = undefined;
    if (!running) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await ended;
  };
  const replicas: Replica[] = [];
  let databases = 0;
  const newDatabase = async (): Promise<string> => {
    const name = `test_${++databases}`;
    await asked(url('postgres'), `CREATE DATABASE ${name}`);
    return url(name);
  };
  // Another process may take a free port before PostgreSQL does.
  do port = await freePort();
  while (!(await tried()));
  return {
    port,
    get pid() {
      return child?.pid ?? 0;
    },
    log,
    urlOf: url,
    newDatabase,
    newOwnedDatabase: async () => {
      const name = `test_${++databases}`;
      await asked(url('postgres'), `CREATE ROLE ${name} LOGIN CREATEROLE PASSWORD '${password}'`);
      await asked(url('postgres'), `CREATE DATABASE ${name} OWNER ${name}`);
      // Only a superuser may create this extension.
      if (HAS_PGVECTOR) await asked(url(name), 'CREATE EXTENSION vector');
      return url(name, name);
    },
    start,
    stop,
    replicate: async () => {
      const replica = await startReplica(url('postgres'), options);
      replicas.push(replica);
      return replica;
    },
    remove: async () => {
      for (const replica of replicas) await replica.stop();
      await stop();
      if (!isKept) fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Copies a running PostgreSQL and follows its changes. */
async function startReplica(primary: string, options: PostgresOptions): Promise<Replica> {
  const folder = newFolder();
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  giveAway([folder]);
  const [command = '', ...args] = unprivileged([
    path.join(postgresql.path, 'pg_basebackup'),
    `--dbname=${primary}`,
    `--pgdata=${path.join(folder, 'data')}`,
    '--checkpoint=fast',
    '--wal-method=stream',
    '--write-recovery-conf',
    '--no-sync',
  ]);
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: folder });
  if (status !== 0) throw new Error(`pg_basebackup failed: ${stderr}`);
  const port = await freePort();
  const urlOf = (database: string): string => {
    const url = new URL(database);
    url.port = String(port);
    return url.href;
  };
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const started = run(folder, port, options);
    child = started;
    await waitFor('the replica', () => started.exitCode !== null || answers(urlOf(primary)), {
      timeout: START_TIMEOUT_MS,
      explain: () => fs.readFileSync(path.join(folder, 'log'), 'utf8'),
    });
    if (started.exitCode !== null) throw new Error(fs.readFileSync(path.join(folder, 'log'), 'utf8'));
  };
  await start();
  return {
    urlOf,
    ask: (text) => asked(urlOf(primary), text),
    start,
    stop: async () => {
      const running = child;
      child = undefined;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGINT');
      await ended;
    },
  };
}

/** As root not inside the run's own folder, because other users cannot enter that. */
function newFolder(): string {
  return fs.mkdtempSync(path.join(isRoot() ? '/tmp' : os.tmpdir(), 'tm-pg-'));
}

/** @returns the password of its superuser */
function initialise(folder: string, { programs = postgresql.path }: PostgresOptions): string {
  const file = path.join(folder, 'password');
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8');
  const password = randomBytes(12).toString('hex');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, password, { mode: 0o600 });
  giveAway([folder, file]);
  const [command = '', ...args] = unprivileged([
    path.join(programs, 'initdb'),
    `--pgdata=${path.join(folder, 'data')}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${file}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]);
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: folder });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  return password;
}

function run(
  folder: string,
  port: number,
  { durable = false, settings = {}, programs = postgresql.path }: PostgresOptions,
): ChildProcess {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '150',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  };
  const [command = '', ...args] = unprivileged([
    path.join(programs, 'postgres'),
    '-D',
    path.join(folder, 'data'),
    '-p',
    String(port),
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const log = fs.openSync(path.join(folder, 'log'), 'a');
  const child = spawn(command, args, { stdio: ['ignore', log, log], cwd: folder });
  fs.closeSync(log);
  return child;
}

/** To the user that runs the programs of `unprivileged`. */
export function giveAway(paths: readonly string[]): void {
  if (isRoot()) for (const one of paths) fs.chownSync(one, idOf('-u'), idOf('-g'));
}

/** The same pid: setpriv becomes the program. */
export function unprivileged(command: readonly string[]): readonly string[] {
  if (!isRoot()) return command;
  return ['setpriv', `--reuid=${idOf('-u')}`, `--regid=${idOf('-g')}`, '--clear-groups', ...command];
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The user the package made. */
function idOf(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
}

export async function answers(url: string): Promise<boolean> {
  try {
    await asked(url, 'SELECT 1');
    return true;
  } catch {
    return false;
  }
}

async function asked(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Below the range that the system assigns, so that no process gets it by chance while PostgreSQL restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
