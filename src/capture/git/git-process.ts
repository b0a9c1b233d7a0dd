/** Runs git with a limit on time and output and without the user's environment. Not for the hot path. */
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { given } from '../../core/index.ts';

const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

export interface GitQuestion {
  readonly root: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Returns git's output; undefined when it failed, is not installed or took too long. */
export function askGit({ root, args, input, timeoutMs, signal }: GitQuestion): Promise<string | undefined> {
  const { PATH, SystemRoot } = process.env;
  // GIT_DIR would point it elsewhere, and git needs no keys.
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
    ...given({ signal }),
  };
  return new Promise((resolve) => {
    const child = execFile('git', all, options, (error, stdout) => resolve(error ? undefined : stdout));
    child.stdin?.on('error', () => {}); // git may exit before it has read everything
    child.stdin?.end(input ?? '');
  });
}
