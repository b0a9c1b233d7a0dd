/** Runs a program in its own process group, so that neither it nor its children outlive the daemon. */
import { spawn, type ChildProcess } from 'node:child_process';

/** Called for every process, so that the next daemon can end it if this one is killed. */
export interface ProcessWatch {
  started(pid: number): void;
  ended(pid: number): void;
}

export interface RunOptions {
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly processes?: ProcessWatch | undefined;
}

export type Ran =
  | { readonly kind: 'ended'; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'not-started'; readonly message: string };

/** Far more than any answer. */
const MAX_OUTPUT = 4 * 1024 * 1024;
const ON_WINDOWS = process.platform === 'win32';

export function runInGroup(command: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { input, env, cwd, signal, processes } = options;
  if (signal.aborted) return Promise.resolve({ kind: 'not-started', message: 'aborted' });
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !ON_WINDOWS,
      windowsHide: true,
    });
    const end = (): void => killGroup(child);
    watch(child, processes);
    signal.addEventListener('abort', end, { once: true });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk;
        if (output[name].length > MAX_OUTPUT) end();
      });
    }
    child.stdin.on('error', () => {}); // it may exit before it has read everything
    child.stdin.end(input);
    child.on('error', (error) => {
      signal.removeEventListener('abort', end);
      resolve({ kind: 'not-started', message: error.message });
    });
    child.on('exit', end); // its children would keep the output open and stay alive
    child.on('close', (code) => {
      signal.removeEventListener('abort', end);
      resolve({ kind: 'ended', code, ...output });
    });
  });
}

export function watch(child: ChildProcess, processes: ProcessWatch | undefined): void {
  const { pid } = child;
  if (pid === undefined || !processes) return;
  processes.started(pid);
  child.on('exit', () => processes.ended(pid));
}

/** Uses SIGKILL: a model's client has nothing to save. */
export function killGroup(child: Pick<ChildProcess, 'pid' | 'kill'>): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (ON_WINDOWS) child.kill();
    else process.kill(-pid, 'SIGKILL');
  } catch {
    // already ended
  }
}
