/** Lists the faults of the plugin in Claude Code, one sentence each. Changes nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNewer } from '../../../core/index.ts';
import { isComplete } from '../../installing/plugin-folder.ts';
import { parseObject, textOf } from '../../reading/json.ts';
import { installedPlugins, marketplaceSource } from './client.ts';
import { PLUGIN } from './settings.ts';

export type FaultCode =
  | 'not-installed'
  | 'switched-off'
  | 'marketplace-gone'
  | 'marketplace-elsewhere'
  | 'copy-broken'
  | 'older-copy';

export interface Fault {
  readonly code: FaultCode;
  readonly text: string;
}

export interface Wanted {
  /** The marketplace folder that the client should have; undefined if only the client knows one. */
  readonly root: string | undefined;
  readonly version: string;
}

export function faultsOf(configDir: string, { root, version }: Wanted): readonly Fault[] {
  const faults: Fault[] = [];
  const add = (code: FaultCode, text: string): void => void faults.push({ code, text });
  const copy = installedPlugins(configDir).find(({ id }) => id === PLUGIN);
  const source = marketplaceSource(configDir);
  if (!copy) return [{ code: 'not-installed', text: 'the plugin is not installed' }];
  if (!isEnabled(configDir)) add('switched-off', 'the plugin is turned off');
  if (!isComplete(copy.installPath)) add('copy-broken', "the client's copy of the plugin is incomplete");
  else if (source?.kind === 'remote' ? isNewer(version, copy.version) : copy.version !== version)
    add('older-copy', `the client has ${copy.version}, this is ${version}`);
  if (source === undefined) add('marketplace-gone', 'the client no longer has the marketplace');
  else if (root && source.kind === 'folder' && source.path !== root)
    add('marketplace-elsewhere', `the marketplace points to ${source.path}`);
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
    return textOf(parseObject(readFileSync(join(root, 'package.json'), 'utf8'))?.['version']);
  } catch {
    return undefined;
  }
}

/** In the settings of the user. */
function isEnabled(configDir: string): boolean {
  try {
    const settings = parseObject(
      readFileSync(join(configDir, 'settings.json'), 'utf8').replace(/^\uFEFF/, ''),
    );
    const { enabledPlugins } = settings as { enabledPlugins?: Record<string, unknown> };
    return enabledPlugins?.[PLUGIN] === true;
  } catch {
    return false;
  }
}
