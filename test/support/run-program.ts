/** Runs one program to its end with exactly the environment given, and keeps what it said. */
import { spawn } from 'node:child_process';

/** Far beyond what any of them takes: past it something hangs. */
const HANGS_MS = 120_000;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runProgram(
  program: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    /** A user and group id to run as; only root may choose one. */
    readonly user?: number;
  },
): Promise<Ran> {
  const { user, ...rest } = options;
  const as = user === undefined ? {} : { uid: user, gid: user };
  const child = spawn(program, args, {
    ...rest,
    ...as,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HANGS_MS,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
