/**
 * A real PgBouncer in transaction mode in front of a test's PostgreSQL: loopback, a random port, its own folder, an
 * unprivileged user where the tests are root, because it refuses root. Stopped by its pid.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { part } from './parts.ts';
import { answers, freePort, giveAway, isRoot, unprivileged } from './postgres.ts';
import { waitFor } from './wait-for.ts';

export const pgbouncer = part('pgbouncer');

export interface PgBouncer {
  readonly pid: number;
  /** The same database through the pooler. */
  urlOf(database: string): string;
  stop(): Promise<void>;
}

/** `databases`: addresses of the users that it lets in. `settings`: further settings of pgbouncer.ini. */
export async function startPgBouncer(
  databases: readonly string[],
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> {
  const folder = fs.mkdtempSync(path.join(isRoot() ? '/tmp' : os.tmpdir(), 'tm-pgb-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const urls = databases.map((one) => new URL(one));
  const users = path.join(folder, 'users.txt');
  fs.writeFileSync(users, urls.map(({ username, password }) => `"${username}" "${password}"\n`).join(''), {
    mode: 0o600,
  });
  const port = await freePort();
  const config = path.join(folder, 'pgbouncer.ini');
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: 'transaction',
    // Fewer than the server has: each transaction gets another one.
    default_pool_size: 4,
    max_client_conn: 200,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const upstream = `* = host=127.0.0.1 port=${urls[0]?.port}`;
  fs.writeFileSync(config, `[databases]\n${upstream}\n[pgbouncer]\n${lines.join('\n')}\n`);
  giveAway([folder, users, config]);
  const [command = '', ...args] = unprivileged([pgbouncer.path, config]);
  const log = fs.openSync(path.join(folder, 'log'), 'a');
  const child = spawn(command, args, { stdio: ['ignore', log, log], cwd: folder });
  fs.closeSync(log);
  const urlOf = (database: string): string => {
    const url = new URL(database);
    url.port = String(port);
    return url.href;
  };
  await waitFor('PgBouncer', () => child.exitCode !== null || answers(urlOf(databases[0] ?? '')), {
    explain: () => fs.readFileSync(path.join(folder, 'log'), 'utf8'),
  });
  if (child.exitCode !== null) throw new Error(fs.readFileSync(path.join(folder, 'log'), 'utf8'));
  return {
    pid: child.pid ?? 0,
    urlOf,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        await ended;
      }
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
