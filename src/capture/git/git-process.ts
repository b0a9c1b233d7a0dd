/**
 * The only place that starts git (`scripts/layers.mjs` checks it). A repository may come from a stranger, and its config
 * can name programs: none of them runs, nothing is fetched, and no variable of the caller reaches git. Objects are read
 * as they are: replacements and grafts do not count. Commands that read the content of the work tree (`status`, `diff`,
 * `add`, `blame` without a commit) are not for this function: filters have any name, so no setting turns them off.
 * Limits time and output. Not for the hot path.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { given } from '../../core/index.ts';

const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
/** Node's code for an output beyond the limit. */
const TOO_LONG = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';

/** A repository in which git hung (a pipe as its config) is left alone this long: each question would hold up the queue. */
const PAUSE_MS = 60_000;
/** By folder: until when. */
const paused = new Map<string, number>();

/** Overrides what the repository's config says. */
const SAFE_SETTINGS: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.attributesFile': '/dev/null',
  'core.sshCommand': 'false',
  'core.askPass': '',
  'blame.ignoreRevsFile': '',
  'credential.helper': '',
  'diff.external': '',
  'log.showSignature': 'false',
  'protocol.allow': 'never',
  'submodule.recurse': 'false',
  // A folder with the files of a bare repository inside a work tree is not one.
  'safe.bareRepository': 'explicit',
};

/** Commands that never read the content of the work tree. */
export type GitCommand =
  | 'blame'
  | 'cat-file'
  | 'check-ignore'
  | 'config'
  | 'for-each-ref'
  | 'log'
  | 'ls-files'
  | 'ls-tree'
  | 'rev-list'
  | 'rev-parse';

export interface GitQuestion {
  readonly root: string;
  readonly args: readonly [GitCommand, ...string[]];
  readonly input?: string;
  /** `latin1`: one character per byte, for output with lengths in bytes. */
  readonly encoding?: 'latin1';
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Returns git's output; undefined when it failed, is not installed, took too long or did so a moment ago. */
export function askGit({
  root,
  args,
  input,
  encoding,
  timeoutMs,
  signal,
}: GitQuestion): Promise<string | undefined> {
  if (Date.now() < (paused.get(root) ?? 0)) return Promise.resolve(undefined);
  paused.delete(root);
  const isBare = existsSync(join(root, 'HEAD')) && !existsSync(join(root, '.git'));
  const settings = Object.entries(SAFE_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const all = ['-C', root, ...(isBare ? ['--git-dir', root] : []), '--no-pager', ...settings, ...args];
  const options = {
    env: environment(),
    timeout: timeoutMs,
    maxBuffer: MAX_OUTPUT_BYTES,
    windowsHide: true,
    ...given({ signal, encoding }),
  };
  return new Promise((resolve) => {
    const child = execFile('git', all, options, (error, stdout) => {
      // An answer that is too long is no hang.
      const isHang = error?.killed && error.code !== TOO_LONG && !signal?.aborted;
      if (isHang) paused.set(root, Date.now() + PAUSE_MS);
      resolve(error ? undefined : stdout);
    });
    child.stdin?.on('error', () => {}); // git may exit before it has read everything
    child.stdin?.end(input ?? '');
  });
}

/** A list of its own: GIT_DIR, GIT_CONFIG_* and GIT_EXTERNAL_DIFF of the caller would decide, and git needs no keys. */
function environment(): NodeJS.ProcessEnv {
  const { PATH = '', SystemRoot } = process.env;
  return {
    // A relative entry would find a program of the repository.
    PATH: PATH.split(delimiter)
      .filter((folder) => isAbsolute(folder))
      .join(delimiter),
    SystemRoot,
    HOME: homedir(),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
  };
}
