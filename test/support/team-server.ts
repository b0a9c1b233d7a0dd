/** `tidemark server` as people run it: the built program in a process of its own, on loopback, until the test ends. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { waitFor } from './wait-for.ts';
import { WITHOUT_MODEL } from './without-model.ts';

const CLI = join(import.meta.dirname, '..', '..', 'plugin', 'dist', 'cli.cjs');
const START_TIMEOUT_MS = 30_000;

export interface TeamServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Lines of its log so far. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** Resolves with exit code or signal, once its last line is in the log. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it the way systemd does, and waits. */
  stop(): Promise<void>;
}

/** `args`: further options of `tidemark server`. A port of 0 is any free one. `env`: further variables. */
export async function startTeamServer(
  database: string,
  options: {
    readonly args?: readonly string[];
    readonly port?: number;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<TeamServer> {
  const listen = `127.0.0.1:${options.port ?? 0}`;
  const child = spawn(process.execPath, [CLI, 'server', '--listen', listen, ...(options.args ?? [])], {
    env: { ...environment(database), ...options.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = linesOf(child);
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const log = () =>
    lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  const url = await waitFor(
    'the team server',
    () => log().find(({ message }) => message === 'ready')?.['url'] ?? (child.exitCode !== null && 'left'),
    { timeout: START_TIMEOUT_MS, explain: () => lines.join('\n') },
  );
  if (url === 'left') throw new Error(`the team server left: ${lines.join('\n')}`);
  return {
    url: String(url),
    port: Number(new URL(String(url)).port),
    pid: child.pid ?? 0,
    get log() {
      return log();
    },
    ended,
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Inherits only the PATH of the process that runs the tests. */
export function environment(database: string): NodeJS.ProcessEnv {
  const run = process.env['TIDEMARK_TEST_RUN'];
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'] ?? tmpdir(),
    TMPDIR: tmpdir(),
    ...(run ? { TIDEMARK_TEST_RUN: run } : {}),
    DATABASE_URL: database,
    ...WITHOUT_MODEL,
  };
}

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  let rest = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    const parts = (rest + piece).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return lines;
}
