/** PgBouncer of the machine's packages in transaction mode, on loopback, in front of one PostgreSQL. Stopped by its pid. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { part } from '../test/support/parts.ts';
import { waitFor } from '../test/support/wait-for.ts';

export interface PgBouncer {
  readonly pid: number;
  /** The same database through the pooler. */
  readonly database: string;
  stop(): Promise<void>;
}

/** As many as one server has of its own: more only wait inside the database. */
const POOL = 20;
const MOST_CLIENTS = 500;

export async function startPgBouncer(database: string): Promise<PgBouncer> {
  const { path: program, skip } = part('pgbouncer');
  if (skip) throw new Error(skip);
  const direct = new URL(database);
  const folder = mkdtempSync('/tmp/tm-bouncer-');
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${direct.username}" "${direct.password}"\n`, { mode: 0o600 });
  writeFileSync(
    settings,
    `[databases]
* = host=${direct.hostname} port=${direct.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${POOL}
max_client_conn = ${MOST_CLIENTS}
ignore_startup_parameters = extra_float_digits, statement_timeout, idle_in_transaction_session_timeout
`,
  );
  const log = join(folder, 'log');
  const child = spawn(
    '/bin/sh',
    ['-c', 'exec "$@" >"$0" 2>&1', log, ...unprivileged(folder), program, settings],
    {
      stdio: 'ignore',
      cwd: '/',
    },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  const pooled = new URL(database);
  pooled.port = String(port);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitFor('PgBouncer', () => child.exitCode !== null || answers(pooled.href), {
      explain: () => readFileSync(log, 'utf8'),
    });
    if (child.exitCode !== null) throw new Error(`PgBouncer left: ${readFileSync(log, 'utf8')}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, database: pooled.href, stop };
}

/** PgBouncer refuses to run as root, like PostgreSQL. The same pid: setpriv becomes the program. */
function unprivileged(folder: string): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  );
  for (const one of [folder, join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')])
    chownSync(one, uid, gid);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

async function answers(database: string): Promise<boolean> {
  const client = new Client({ connectionString: database });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
