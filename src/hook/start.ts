/** Starts the daemon, or the helper that replaces a hung one, detached and with none of the user's secrets. */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Places } from '../core/index.ts';
import type { MessageCode } from './messages.ts';
import { firstLine } from './socket.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What node:sqlite without a flag needs. */
const DAEMON_NODE = [22, 13] as const;

/** While a daemon is coming up, further hooks need not start one each; it takes well under this. */
const STARTING_MS = 3000;

/** The first argument that makes hook.cjs the helper that replaces a hung daemon. */
export const REPLACE = 'replace';

/** All a daemon inherits, beside TIDEMARK_*: never a key of the user's. */
const PASSED_ON = [
  'HOME',
  'PATH',
  'LANG',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'QWEN_HOME',
];

/** Without these nothing starts on Windows, where names are not told apart by case. */
const PASSED_ON_WINDOWS = ['USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'SYSTEMROOT', 'PATHEXT', 'TEMP', 'TMP'];

export type Start =
  | { readonly kind: 'started'; readonly daemon: Coming }
  | { readonly kind: 'starting' }
  | { readonly kind: 'impossible'; readonly code: MessageCode };

/** A daemon that was started and does not answer yet. */
export interface Coming {
  /** It has ended badly. */
  readonly crashed: () => boolean;
  /** Starts another if it left the place to one that is on its way out: that one still has the lock, and answers no more. */
  readonly insist: () => void;
}

/** `clientFolder` is where hook.cjs lies: the daemon beside it is of the same version. */
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

/** Ending with 0 is no failure: another daemon holds the lock. */
function startDetached(node: string, args: readonly string[], places: Places, env: Env): Coming {
  let end: 'none' | 'gave way' | 'crashed';
  const begin = (): void => {
    end = 'none';
    const child = spawn(node, args, {
      detached: true,
      stdio: 'ignore',
      cwd: existsSync(places.home) ? places.home : '/',
      env: minimalEnv(env),
      windowsHide: true,
    });
    child.on('error', () => (end = 'crashed'));
    child.on('exit', (code) => (end = code === 0 ? 'gave way' : 'crashed'));
    child.unref();
  };
  begin();
  return {
    crashed: () => end === 'crashed',
    insist: () => {
      if (end === 'gave way') begin();
    },
  };
}

function daemonProgram(places: Places, clientFolder: string): string | undefined {
  const folders = [clientFolder, firstLine(places.program)];
  return folders
    .map((folder) => folder && join(folder, 'daemon.cjs'))
    .find((file) => file && existsSync(file));
}

/** The Node recorded at install, else the one that runs us if it is new enough. */
function daemonNode(places: Places): string | undefined {
  const recorded = firstLine(places.node);
  if (recorded && isAbsolute(recorded) && isExecutable(recorded)) return recorded;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = DAEMON_NODE;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor) ? process.execPath : undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
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
    // Without the marker a daemon too many is started; the lock turns it away.
  }
}
