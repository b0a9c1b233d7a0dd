/** A question to git, off the hot path: bounded in time and output, with nothing of the user's environment handed on. */
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';

const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

export interface GitQuestion {
  readonly root: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What git printed; nothing when it failed, is not there or took too long. */
export function askGit({ root, args, input, timeoutMs, signal }: GitQuestion): Promise<string | undefined> {
  const { PATH, SystemRoot } = process.env;
  // GIT_DIR would mislead it, and keys are none of its business.
  const env = {
    PATH,
    SystemRoot,
    HOME: homedir(),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
  const all = ['-C', root, '-c', 'core.fsmonitor=false', ...args];
  const options = {
    env,
    timeout: timeoutMs,
    maxBuffer: MAX_OUTPUT_BYTES,
    windowsHide: true,
    ...(signal ? { signal } : {}),
  };
  return new Promise((resolve) => {
    const child = execFile('git', all, options, (error, stdout) => resolve(error ? undefined : stdout));
    child.stdin?.on('error', () => {}); // it ended before it had read everything
    child.stdin?.end(input ?? '');
  });
}
