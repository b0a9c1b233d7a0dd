/** What is wrong with an installation, each in a sentence: what `repair` mends and `doctor` may show. Changes nothing. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedPlugins, marketplaceSource, PLUGIN } from '../agents/index.ts';
import { isNewer, type Places } from '../core/index.ts';
import { readTextSync, STATE_BYTES } from '../files/index.ts';
import { isWhole } from './program.ts';

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
  /** The marketplace folder the client should know; undefined when only the client knows one. */
  readonly root: string | undefined;
  readonly version: string;
}

export function faultsOf(places: Places, configDir: string, { root, version }: Wanted): readonly Fault[] {
  const faults: Fault[] = [];
  const add = (code: FaultCode, text: string): void => void faults.push({ code, text });
  const copy = installedPlugins(configDir).find(({ id }) => id === PLUGIN);
  const source = marketplaceSource(configDir);
  if (root && !isWhole(join(root, 'plugin'))) add('program-broken', `program files are missing in ${root}`);
  if (!copy) add('not-installed', 'the plugin is not installed');
  else {
    if (enabled(configDir) !== true) add('switched-off', 'the plugin is switched off');
    if (!isWhole(copy.installPath)) add('copy-broken', "the client's copy of the plugin is not whole");
    else if (source?.kind === 'remote' ? isNewer(version, copy.version) : copy.version !== version)
      add('older-copy', `the client has ${copy.version}, this is ${version}`);
    if (source === undefined) add('marketplace-gone', 'the client does not know the marketplace any more');
    else if (root && source.kind === 'folder' && source.path !== root)
      add('marketplace-elsewhere', `the marketplace was taken from ${source.path}`);
  }
  const node = firstLine(places.node);
  if (node !== undefined && !isProgram(node)) add('no-node', `the recorded Node is gone (${node})`);
  const program = firstLine(places.program);
  if (program !== undefined && !existsSync(join(program, 'daemon.cjs')))
    add('no-program', `the recorded program is gone (${program})`);
  return faults;
}

/**
 * What is to be judged where nothing is to be changed: a whole program that the client took from elsewhere is as well
 * installed as our own would be.
 */
export function wantedAsItIs(configDir: string, own: Wanted): Wanted {
  const source = marketplaceSource(configDir);
  if (source?.kind !== 'folder' || source.path === own.root) return own;
  if (!isWhole(join(source.path, 'plugin'))) return own;
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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function firstLine(path: string): string | undefined {
  return existsSync(path) ? readTextSync(path, STATE_BYTES).split('\n')[0] : undefined;
}
