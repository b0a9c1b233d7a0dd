/** The user's Claude Code for the installer: its path, its version, and its plugin commands. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isNewer, TidemarkError } from '../../../core/index.ts';
import { writeAtomicallySync } from '../../../files/index.ts';
import { findClient } from '../find-client.ts';
import { withoutMember } from '../../installing/json-text.ts';
import { MARKETPLACE, PLUGIN } from './settings.ts';

/** The oldest version that the tests run with. `install` refuses an older client. */
export const OLDEST_CLIENT = '2.1.197';

const STEP_TIMEOUT_MS = 60_000;

export interface ClaudeCode {
  readonly path: string;
  readonly version: string;
}

export interface InstalledPlugin {
  readonly id: string;
  readonly version: string;
  /** The copy the client made. */
  readonly installPath: string;
}

/** Throws with the next step if there is no client or only an old one. */
export async function findClaudeCode(
  env: NodeJS.ProcessEnv,
  { anyVersion = false }: { readonly anyVersion?: boolean } = {},
): Promise<ClaudeCode> {
  const path = findClient(env) ?? commandFile(env);
  if (path === undefined)
    throw new TidemarkError('no-client', 'Claude Code is not on this machine, or not on the PATH', {
      hint: 'Install it first: npm install -g @anthropic-ai/claude-code',
    });
  const output = await run(path, ['--version'], env);
  const version = /\d+\.\d+\.\d+/.exec(output)?.[0];
  if (version === undefined)
    throw new TidemarkError('client-failed', `${path} --version printed no version: ${output.slice(0, 80)}`);
  if (!anyVersion && isNewer(OLDEST_CLIENT, version)) throw tooOld(version);
  return { path, version };
}

export function tooOld(version: string): TidemarkError {
  return new TidemarkError(
    'old-client',
    `Claude Code ${version} is too old; Tidemark needs ${OLDEST_CLIENT} or newer`,
    { hint: 'Update it: claude update' },
  );
}

export function pluginCommand(
  { path }: ClaudeCode,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  return run(path, ['plugin', ...args], env);
}

/** Installed copies of our plugin, from any marketplace. */
export function installedPlugins(configDir: string): readonly InstalledPlugin[] {
  const { plugins } = readJson(join(configDir, 'plugins', 'installed_plugins.json')) as {
    plugins?: Record<string, readonly Partial<InstalledPlugin>[]>;
  };
  return Object.entries(plugins ?? {}).flatMap(([id, copies]) =>
    id.startsWith('tidemark@') && Array.isArray(copies)
      ? copies.map(({ version = '', installPath = '' }) => ({ id, version, installPath }))
      : [],
  );
}

export type MarketplaceSource =
  | { readonly kind: 'folder'; readonly path: string }
  /** Any other source, which only the client reads. */
  | { readonly kind: 'remote' };

/** The source of our marketplace, if the client knows it. */
export function marketplaceSource(configDir: string): MarketplaceSource | undefined {
  const known = readJson(join(configDir, 'plugins', 'known_marketplaces.json'))[MARKETPLACE];
  if (typeof known !== 'object' || known === null) return undefined;
  const { source } = known as { source?: { source?: string; path?: string } };
  return source?.source === 'directory' && source.path
    ? { kind: 'folder', path: source.path }
    : { kind: 'remote' };
}

/** Removes what the client's uninstall leaves behind, or everything if there is no client any more. */
export function removeLeftovers(configDir: string): readonly string[] {
  const plugins = join(configDir, 'plugins');
  const removed: string[] = [];
  for (const [file, path] of [
    ['installed_plugins.json', ['plugins', PLUGIN]],
    ['known_marketplaces.json', [MARKETPLACE]],
  ] as const) {
    const place = join(plugins, file);
    if (!existsSync(place)) continue;
    const text = readFileSync(place, 'utf8');
    const without = withoutMember(text, path);
    if (without === text) continue;
    writeAtomicallySync(realpathSync(place), without, { mode: statSync(place).mode & 0o777 }); // a link stays a link
    removed.push(place);
  }
  for (const folder of ['cache/tidemark', 'data/tidemark-tidemark', 'marketplaces/tidemark']) {
    const place = join(plugins, ...folder.split('/'));
    if (!existsSync(place)) continue;
    rmSync(place, { recursive: true, force: true });
    removed.push(place);
  }
  return removed;
}

/** The `claude.cmd` that npm puts on the PATH of Windows; it needs a shell to run. */
function commandFile(env: NodeJS.ProcessEnv): string | undefined {
  if (process.platform !== 'win32') return undefined;
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'claude.cmd')).find((file) => existsSync(file));
}

function run(path: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const shell = path.endsWith('.cmd');
  const [command, given] = shell ? [quoted(path), args.map(quoted)] : [path, [...args]];
  return new Promise((resolve, reject) => {
    execFile(command, given, { env, timeout: STEP_TIMEOUT_MS, shell }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.trim());
      const reason = (stderr || stdout).trim().split('\n').at(-1) || error.message.split('\n')[0] || '';
      const command = `claude ${args.join(' ')}`;
      reject(new TidemarkError('client-failed', `${command}: ${reason.slice(0, 300)}`, { cause: error }));
    });
  });
}

/** For cmd.exe; paths contain no quotes there. */
function quoted(argument: string): string {
  return /[\s&()^]/.test(argument) ? `"${argument}"` : argument;
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
