/** Runs a program in its own process group, so that ending it ends its children too. */
import { spawn, type ChildProcess } from 'node:child_process';

export interface RunOptions {
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export type Ran =
  | { readonly kind: 'ended'; readonly stdout: string }
  | { readonly kind: 'not-started'; readonly message: string };

/** Far more than any answer. */
const MAX_OUTPUT = 4 * 1024 * 1024;
const ON_WINDOWS = process.platform === 'win32';

export function runInGroup(command: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { input, env, cwd, signal } = options;
  if (signal.aborted) return Promise.resolve({ kind: 'not-started', message: 'aborted' });
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: !ON_WINDOWS,
      windowsHide: true,
    });
    const end = (): void => killGroup(child);
    signal.addEventListener('abort', end, { once: true });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      if (stdout.length > MAX_OUTPUT) end();
    });
    child.stdin.on('error', () => {}); // it may exit before it has read everything
    child.stdin.end(input);
    child.on('error', (error) => {
      signal.removeEventListener('abort', end);
      resolve({ kind: 'not-started', message: error.message });
    });
    child.on('exit', end); // its children would keep the output open and stay alive
    child.on('close', () => {
      signal.removeEventListener('abort', end);
      resolve({ kind: 'ended', stdout });
    });
  });
}

/** Uses SIGKILL: a model's client has nothing to save. */
function killGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (ON_WINDOWS) child.kill();
    else process.kill(-pid, 'SIGKILL');
  } catch {
    // already ended
  }
}
