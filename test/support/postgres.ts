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
  /** The file that it logs to. */
  readonly log: string;
  /** A database that is there, as its superuser. */
  urlOf(database: string): string;
  /** An empty database of its own, as its superuser. */
  newDatabase(): Promise<string>;
  /** The same database as a user who is not a superuser but owns it and may make roles. */
  newOwnedDatabase(): Promise<string>;
  stop(signal?: 'SIGINT' | 'SIGKILL' | 'SIGQUIT'): Promise<void>;
  /** Again after `stop`, with the same data and port; nothing where it runs. */
  start(): Promise<void>;
  /** Stops it and removes its folder, unless that was given. */
  remove(): Promise<void>;
}

export const postgresql = part('postgresql');

const START_TIMEOUT_MS = 60_000;
const SUPERUSER = 'tidemark_test';
const PORTS = [20_000, 32_000] as const;

export interface PostgresOptions {
  /** Writes reach the disk before they are acknowledged, for tests that kill it. */
  readonly durable?: boolean;
  /** Further settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Made where it is missing, used again where it is there, and left behind: for benchmarks. */
  readonly folder?: string;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const folder = options.folder ?? newFolder();
  const isKept = options.folder !== undefined;
  if (!isKept) process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const password = initialise(folder);
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
      return url(name, name);
    },
    start,
    stop,
    remove: async () => {
      await stop();
      if (!isKept) fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As root not inside the run's own folder, because other users cannot enter that. */
function newFolder(): string {
  return fs.mkdtempSync(path.join(isRoot() ? '/tmp' : os.tmpdir(), 'tm-pg-'));
}

/** @returns the password of its superuser */
function initialise(folder: string): string {
  const file = path.join(folder, 'password');
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8');
  const password = randomBytes(12).toString('hex');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, password, { mode: 0o600 });
  if (isRoot()) for (const one of [folder, file]) fs.chownSync(one, idOf('-u'), idOf('-g'));
  const [command = '', ...args] = unprivileged([
    path.join(postgresql.path, 'initdb'),
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
  { durable = false, settings = {} }: PostgresOptions,
): ChildProcess {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '150',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  };
  const [command = '', ...args] = unprivileged([
    path.join(postgresql.path, 'postgres'),
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

/** The same pid: setpriv becomes the program. */
function unprivileged(command: readonly string[]): readonly string[] {
  if (!isRoot()) return command;
  return ['setpriv', `--reuid=${idOf('-u')}`, `--regid=${idOf('-g')}`, '--clear-groups', ...command];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The user the package made. */
function idOf(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
}

async function answers(url: string): Promise<boolean> {
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
async function freePort(): Promise<number> {
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
