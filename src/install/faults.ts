/** Lists the faults of an installation, one sentence each, for `repair` and `doctor`. Changes nothing. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedPlugins, marketplaceSource, PLUGIN } from '../agents/index.ts';
import { isNewer, type Places } from '../core/index.ts';
import { readTextSync, STATE_BYTES, isExecutable } from '../files/index.ts';
import { isComplete } from './program.ts';

export type FaultCode =
  | 'not-installed'
  | 'switched-off'
  | 'marketplace-gone'
  | 'marketplace-elsewhere'
  | 'copy-broken'
  | 'older-copy'
  | 'program-broken'
  | 'no-node'
  | 'no-program'
  /** Only reported by an installation that replaced them (hook-form.ts). */
  | 'old-hooks';

export interface Fault {
  readonly code: FaultCode;
  readonly text: string;
}

export interface Wanted {
  /** The marketplace folder that the client should have; undefined if only the client knows one. */
  readonly root: string | undefined;
  readonly version: string;
}

export function faultsOf(places: Places, configDir: string, { root, version }: Wanted): readonly Fault[] {
  const faults: Fault[] = [];
  const add = (code: FaultCode, text: string): void => void faults.push({ code, text });
  const copy = installedPlugins(configDir).find(({ id }) => id === PLUGIN);
  const source = marketplaceSource(configDir);
  if (root && !isComplete(join(root, 'plugin')))
    add('program-broken', `program files are missing in ${root}`);
  if (!copy) add('not-installed', 'the plugin is not installed');
  else {
    if (enabled(configDir) !== true) add('switched-off', 'the plugin is turned off');
    if (!isComplete(copy.installPath)) add('copy-broken', "the client's copy of the plugin is incomplete");
    else if (source?.kind === 'remote' ? isNewer(version, copy.version) : copy.version !== version)
      add('older-copy', `the client has ${copy.version}, this is ${version}`);
    if (source === undefined) add('marketplace-gone', 'the client no longer has the marketplace');
    else if (root && source.kind === 'folder' && source.path !== root)
      add('marketplace-elsewhere', `the marketplace points to ${source.path}`);
  }
  const node = firstLine(places.node);
  if (node !== undefined && !isExecutable(node))
    add('no-node', `the recorded Node no longer exists (${node})`);
  const program = firstLine(places.program);
  if (program !== undefined && !existsSync(join(program, 'daemon.cjs')))
    add('no-program', `the recorded program no longer exists (${program})`);
  return faults;
}

/**
 * Returns what to compare with when nothing is changed: a complete program that the client took from another folder is
 * as good as our own.
 */
export function wantedAsItIs(configDir: string, own: Wanted): Wanted {
  const source = marketplaceSource(configDir);
  if (source?.kind !== 'folder' || source.path === own.root) return own;
  if (!isComplete(join(source.path, 'plugin'))) return own;
  return { root: source.path, version: versionIn(source.path) ?? own.version };
}

function versionIn(root: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

function enabled(configDir: string): unknown {
  try {
    const settings = JSON.parse(readFileSync(join(configDir, 'settings.json'), 'utf8')) as {
      enabledPlugins?: Record<string, unknown>;
    };
    return settings.enabledPlugins?.[PLUGIN];
  } catch {
    return undefined;
  }
}

function firstLine(path: string): string | undefined {
  return existsSync(path) ? readTextSync(path, STATE_BYTES).split('\n')[0] : undefined;
}
