/** Starts the daemon, or the helper that replaces a hung one, detached and with none of the user's secrets. */
import { spawn } from 'node:child_process';
import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { FOLDER_VARIABLES } from '../agents/wire/index.ts';
import { daemonEnv, type Places } from '../core/index.ts';
import type { MessageCode } from './messages.ts';
import { isExecutable, firstLineOf, withPrivateUmask } from '../files/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The first version with node:sqlite and no flag. */
const DAEMON_NODE = [22, 13] as const;

/** While a daemon is starting, other hooks start none; a start takes well under this. */
const STARTING_MS = 3000;

/** The first argument that makes hook.cjs the helper that replaces a hung daemon. */
export const REPLACE = 'replace';

/** The variables a daemon inherits besides TIDEMARK_*: none of the user's keys. */
const PASSED_ON = ['HOME', 'PATH', 'LANG', 'TMPDIR', 'XDG_RUNTIME_DIR', ...FOLDER_VARIABLES];

/** Required to start anything on Windows, where names ignore case. */
const PASSED_ON_WINDOWS = ['USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'SYSTEMROOT', 'PATHEXT', 'TEMP', 'TMP'];

export type Start =
  | { readonly kind: 'started'; readonly daemon: StartingDaemon }
  | { readonly kind: 'starting' }
  | { readonly kind: 'impossible'; readonly code: MessageCode };

/** A daemon that was started and does not answer yet. */
export interface StartingDaemon {
  /** It exited with an error. */
  readonly crashed: () => boolean;
  /** Starts another one if it exited because a daemon that is shutting down still had the lock. */
  readonly retry: () => void;
}

/** `clientFolder` is the folder of hook.cjs; the daemon next to it has the same version. */
export function startDaemon(places: Places, env: Env, clientFolder: string, now: number): Start {
  const program = daemonProgram(places, clientFolder);
  if (!program) return { kind: 'impossible', code: 'missing-module' };
  const node = daemonNode(places);
  if (!node) return { kind: 'impossible', code: 'old-node' };
  if (!claimStart(places.starting, now)) return { kind: 'starting' };
  return { kind: 'started', daemon: startDetached(node, [program], places, env) };
}

export function startReplacer(places: Places, env: Env, client: string): void {
  startDetached(process.execPath, [client, REPLACE], places, env);
}

export function minimalEnv(env: Env, platform: NodeJS.Platform = process.platform): Record<string, string> {
  const passed = platform === 'win32' ? [...PASSED_ON, ...PASSED_ON_WINDOWS] : PASSED_ON;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const known = platform === 'win32' ? name.toUpperCase() : name;
    if (value !== undefined && (passed.includes(known) || known.startsWith('TIDEMARK_'))) kept[name] = value;
  }
  return kept;
}

/** Exit code 0 is not a failure: another daemon has the lock. */
function startDetached(node: string, args: readonly string[], places: Places, env: Env): StartingDaemon {
  let end: 'none' | 'lock taken' | 'crashed';
  const begin = (): void => {
    end = 'none';
    const options = {
      detached: true,
      stdio: 'ignore',
      cwd: existsSync(places.home) ? places.home : '/',
      env: daemonEnv(minimalEnv(env), places),
      windowsHide: true,
    } as const;
    const child = withPrivateUmask(() => spawn(node, args, options));
    child.on('error', () => (end = 'crashed'));
    child.on('exit', (code) => (end = code === 0 ? 'lock taken' : 'crashed'));
    child.unref();
  };
  begin();
  return {
    crashed: () => end === 'crashed',
    retry: () => {
      if (end === 'lock taken') begin();
    },
  };
}

function daemonProgram(places: Places, clientFolder: string): string | undefined {
  const folders = [clientFolder, firstLineOf(places.program)];
  return folders
    .map((folder) => folder && join(folder, 'daemon.cjs'))
    .find((file) => file && existsSync(file));
}

/** Returns the Node recorded at install, or the running one if it is new enough. */
function daemonNode(places: Places): string | undefined {
  const recorded = firstLineOf(places.node);
  if (recorded && isAbsolute(recorded) && isExecutable(recorded)) return recorded;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = DAEMON_NODE;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor) ? process.execPath : undefined;
}

function claimStart(marker: string, now: number): boolean {
  try {
    writeFileSync(marker, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    const age = now - (statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age >= 0 && age < STARTING_MS) return false;
    touch(marker, now);
    return true;
  }
}

function touch(marker: string, now: number): void {
  try {
    utimesSync(marker, now / 1000, now / 1000);
  } catch {
    // Without the marker an extra daemon starts, which exits because of the lock.
  }
}
