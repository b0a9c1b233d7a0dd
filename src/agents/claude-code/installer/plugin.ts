/** Installs and removes the plugin with Claude Code's own commands. Asks nothing. */
import { basename, dirname } from 'node:path';
import { TidemarkError, VERSION } from '../../../core/index.ts';
import type { InstallWorld } from '../../agent.ts';
import { claudeConfigDir } from '../config-folder.ts';
import {
  findClaudeCode,
  installedPlugins,
  marketplaceSource,
  pluginCommand,
  removeLeftovers,
  type ClaudeCode,
} from './client.ts';
import { faultsOf, type Fault, type FaultCode } from './faults.ts';
import { SettingsFile } from './settings-file.ts';
import { MARKETPLACE, PLUGIN, type Outcome } from './settings.ts';

/** The marketplace folder that contains the plugin; undefined for a copy that a client made. */
export function marketplaceOf(plugin: string): string | undefined {
  return basename(plugin) === 'plugin' ? dirname(plugin) : undefined;
}

/** Returns the commands of an install, in order. */
export async function plannedCommands({ env, plugin }: InstallWorld): Promise<readonly string[]> {
  const root = marketplaceOf(plugin);
  return stepsFor(faultsOf(claudeConfigDir(env), { root, version: VERSION }), root).map(commandLine);
}

/** Returns the commands that were run; none if the plugin is in place. */
export async function installPlugin({ env, places, plugin }: InstallWorld): Promise<readonly string[]> {
  const client = await findClaudeCode(env);
  const configDir = claudeConfigDir(env);
  const root = marketplaceOf(plugin);
  if (root === undefined && marketplaceSource(configDir) === undefined)
    throw new TidemarkError('no-source', 'the files of the plugin are not here', {
      hint: 'Run it from a clone of Tidemark: ./bin/tidemark install',
    });
  const settings = new SettingsFile(places, configDir);
  const before = settings.read();
  const steps = stepsFor(faultsOf(configDir, { root, version: VERSION }), root);
  for (const args of steps) await pluginCommand(client, args, env);
  if (steps.length > 0) settings.save(before);
  return steps.map(commandLine);
}

/** Returns only the steps that are needed, so that a good installation's settings are not rewritten. */
function stepsFor(faults: readonly Fault[], root: string | undefined): readonly (readonly string[])[] {
  const has = (...codes: readonly FaultCode[]): boolean => faults.some(({ code }) => codes.includes(code));
  const install = ['install', PLUGIN, '--scope', 'user'];
  const add = root ? [['marketplace', 'add', root]] : [];
  if (has('not-installed')) return [...add, install];
  return [
    ...(has('marketplace-gone', 'marketplace-elsewhere') ? add : []),
    ...(has('copy-broken') ? [['uninstall', PLUGIN], install] : []),
    ...(has('older-copy')
      ? [
          ['marketplace', 'update', MARKETPLACE],
          ['update', PLUGIN],
        ]
      : []),
    ...(has('switched-off') && !has('copy-broken') ? [install] : []),
  ];
}

/** Without the client, removes our entries from its files directly. */
export async function removePlugin({
  env,
  places,
}: Pick<InstallWorld, 'env' | 'places'>): Promise<readonly string[]> {
  const configDir = claudeConfigDir(env);
  const settings = new SettingsFile(places, configDir);
  const before = settings.read();
  const steps = removalSteps(configDir);
  const client = steps.length > 0 ? await clientIfAny(env) : undefined;
  const done: string[] = [];
  for (const args of client ? steps : [])
    await pluginCommand(client as ClaudeCode, args, env).then(
      () => done.push(commandLine(args)),
      // Its files are cleaned below.
      (error: Error) => done.push(`failed: ${error.message}`),
    );
  const outcome = settings.restore(before);
  done.push(...settingsLine(settings.path, outcome));
  for (const path of removeLeftovers(configDir)) done.push(`cleaned ${path}`);
  if (outcome.kind === 'left' && outcome.reason === 'not-json' && before?.includes(PLUGIN))
    throw new TidemarkError('settings-not-json', `${settings.path} is not valid JSON`, {
      hint: 'Remove "tidemark" from it by hand.',
    });
  return done;
}

function removalSteps(configDir: string): readonly (readonly string[])[] {
  const ids = new Set(installedPlugins(configDir).map(({ id }) => id));
  return [
    ...[...ids].map((id) => ['uninstall', id]),
    ...(marketplaceSource(configDir) === undefined ? [] : [['marketplace', 'remove', MARKETPLACE]]),
  ];
}

/** Returns undefined without a client: the user may have removed it first. */
async function clientIfAny(env: NodeJS.ProcessEnv): Promise<ClaudeCode | undefined> {
  try {
    return await findClaudeCode(env, { anyVersion: true });
  } catch (error) {
    if (error instanceof TidemarkError && error.code === 'no-client') return undefined;
    throw error;
  }
}

function settingsLine(path: string, outcome: Outcome): readonly string[] {
  switch (outcome.kind) {
    case 'restored':
      return [
        outcome.text === null ? `${path} removed; there was none before` : `${path} restored byte for byte`,
      ];
    case 'keys-removed':
      return [`our entries removed from ${path}; your later changes kept`];
    case 'left':
      return outcome.reason === 'changed-meanwhile'
        ? [`another program just changed ${path}; left as the client wrote it`]
        : [];
  }
}

function commandLine(args: readonly string[]): string {
  return `claude plugin ${args.join(' ')}`;
}
