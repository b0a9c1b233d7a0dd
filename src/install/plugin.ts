/** Installs and removes the plugin with Claude Code's own commands. Reports each step; asks nothing. */
import { join } from 'node:path';
import {
  claudeConfigDir,
  installedPlugins,
  marketplaceSource,
  pluginCommand,
  removeLeftovers,
  type ClaudeCode,
  SettingsFile,
  MARKETPLACE,
  PLUGIN,
  type Outcome,
} from '../agents/index.ts';
import { TidemarkError, VERSION, type Places } from '../core/index.ts';
import { faultsOf, type Fault } from './faults.ts';
import { replaceOldHooks } from './hook-form.ts';
import { copyProgram, fillIn, isComplete, marketplaceRoot, type Origin } from './program.ts';

export interface Around {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly origin: Origin;
  /** Called before each step. */
  readonly onStep: (step: string) => void;
}

export interface PluginInstalled {
  /** The folder that sessions run it from, as far as we decide it. */
  readonly plugin: string;
  /** The faults that were repaired. */
  readonly mended: readonly Fault[];
  /** Whether the plugin was not installed before. */
  readonly isNew: boolean;
  /** The commands that were run. */
  readonly commands: readonly string[];
}

/** Returns the commands of an install, in order, for `--dry-run`. */
export function plannedCommands({ places, env, origin }: Omit<Around, 'onStep'>): readonly string[] {
  const root = marketplaceRoot(origin, places);
  const faults = faultsOf(places, claudeConfigDir(env), { root, version: VERSION });
  return stepsFor(faults, root).map((args) => `claude plugin ${args.join(' ')}`);
}

export async function installPlugin(client: ClaudeCode, around: Around): Promise<PluginInstalled> {
  const { places, env, origin, onStep } = around;
  const configDir = claudeConfigDir(env);
  const root = marketplaceRoot(origin, places);
  if (root === undefined && marketplaceSource(configDir) === undefined)
    throw new TidemarkError('no-source', 'the files of the plugin are not here', {
      hint: 'Run it from the package: npx tidemark install',
    });
  const faults = faultsOf(places, configDir, { root, version: VERSION });
  if (root === places.app && origin.kind !== 'app' && origin.kind !== 'plugin') {
    onStep(`copying the program to ${root}`);
    copyProgram(origin.root, root, process.execPath);
  }
  // The running copy may be damaged; the client has another.
  const copy = installedPlugins(configDir).find(({ id }) => id === PLUGIN);
  if (origin.kind === 'app' && copy?.version === VERSION && isComplete(copy.installPath))
    fillIn(join(origin.root, 'plugin'), copy.installPath);
  if (root && !isComplete(join(root, 'plugin')))
    throw new TidemarkError('not-built', `program files are missing in ${join(root, 'plugin')}`, {
      hint:
        origin.kind === 'clone'
          ? 'Build it: npm run build'
          : 'Download it again: npx tidemark@latest install',
    });
  const settings = new SettingsFile(places, configDir);
  const before = settings.read();
  const steps = stepsFor(faults, root);
  for (const args of steps) {
    onStep(`claude plugin ${args.join(' ')}`);
    await pluginCommand(client, args, env);
  }
  if (steps.length > 0) settings.save(before);
  const replaced = replaceOldHooks(places, env).map((path): Fault => ({
    code: 'old-hooks',
    text: `unsafe hooks of an older version in ${path}`,
  }));
  const isNew = faults.some(({ code }) => code === 'not-installed');
  return {
    plugin: root ? join(root, 'plugin') : origin.root,
    // At a first install the rest is not broken but new.
    mended: [
      ...(isNew ? faults.filter(({ code }) => code === 'no-node' || code === 'no-program') : faults),
      ...replaced,
    ],
    isNew,
    commands: steps.map((args) => `claude plugin ${args.join(' ')}`),
  };
}

/** Returns only the steps that are needed, so that a good installation's settings are not rewritten. */
function stepsFor(faults: readonly Fault[], root: string | undefined): readonly (readonly string[])[] {
  const has = (...codes: readonly Fault['code'][]): boolean =>
    faults.some(({ code }) => codes.includes(code));
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

export interface PluginRemoved {
  readonly settings: Outcome;
  readonly removed: readonly string[];
  /** The client's commands that failed, with its message. */
  readonly failed: readonly string[];
}

/** Without a client (`undefined`), removes our entries from its files directly. */
export async function uninstallPlugin(
  client: ClaudeCode | undefined,
  { places, env, onStep }: Omit<Around, 'origin'>,
): Promise<PluginRemoved> {
  const configDir = claudeConfigDir(env);
  const settings = new SettingsFile(places, configDir);
  const before = settings.read();
  const failed: string[] = [];
  for (const args of client ? removalSteps(configDir) : []) {
    onStep(`claude plugin ${args.join(' ')}`);
    await pluginCommand(client as ClaudeCode, args, env).catch((error: Error) => failed.push(error.message));
  }
  const outcome = settings.restore(before);
  return { settings: outcome, removed: removeLeftovers(configDir), failed };
}

export function removalSteps(configDir: string): readonly (readonly string[])[] {
  const ids = new Set(installedPlugins(configDir).map(({ id }) => id));
  return [
    ...[...ids].map((id) => ['uninstall', id]),
    ...(marketplaceSource(configDir) === undefined ? [] : [['marketplace', 'remove', MARKETPLACE]]),
  ];
}
