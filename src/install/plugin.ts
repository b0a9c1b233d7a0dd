/** Puts the plugin into Claude Code with the client's own commands, and takes it out again. Says each step; asks nothing. */
import { existsSync } from 'node:fs';
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
import { copyProgram, fillIn, isWhole, marketplaceRoot, type Origin } from './program.ts';

export interface Around {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly origin: Origin;
  /** Told before each step. */
  readonly onStep: (step: string) => void;
}

export interface PluginInstalled {
  /** The folder sessions run it from, as far as we decide it. */
  readonly plugin: string;
  /** What was wrong before, now mended. */
  readonly mended: readonly Fault[];
  /** Whether anything was there before. */
  readonly isNew: boolean;
  /** The commands that were run. */
  readonly commands: readonly string[];
}

/** What would be run, in order, for `--dry-run`. */
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
    throw new TidemarkError('no-source', 'there is nothing here to install the plugin from', {
      hint: 'Run it from the package: npx tidemark install',
    });
  const faults = faultsOf(places, configDir, { root, version: VERSION });
  if (root === places.app && origin.kind !== 'app' && origin.kind !== 'plugin') {
    onStep(`copying the program to ${root}`);
    copyProgram(origin.root, root, process.execPath);
  }
  // The copy of it that runs is damaged; the client holds another.
  const copy = installedPlugins(configDir).find(({ id }) => id === PLUGIN);
  if (origin.kind === 'app' && copy?.version === VERSION && isWhole(copy.installPath))
    fillIn(join(origin.root, 'plugin'), copy.installPath);
  if (root && !isWhole(join(root, 'plugin')))
    throw new TidemarkError('not-built', `program files are missing in ${join(root, 'plugin')}`, {
      hint:
        origin.kind === 'clone' ? 'Build it: npm run build' : 'Fetch it again: npx tidemark@latest install',
    });
  const settings = new SettingsFile(places, configDir);
  const before = settings.read();
  const steps = stepsFor(faults, root);
  for (const args of steps) {
    onStep(`claude plugin ${args.join(' ')}`);
    await pluginCommand(client, args, env);
  }
  if (steps.length > 0) settings.keep(before);
  const replaced = replaceOldHooks(places, env).map((path): Fault => ({
    code: 'old-hooks',
    text: `unsafe hooks of an older version in ${path}`,
  }));
  const isNew = faults.some(({ code }) => code === 'not-installed');
  return {
    plugin: root ? join(root, 'plugin') : origin.root,
    // At a first install the rest is not broken, only not there yet.
    mended: [
      ...(isNew ? faults.filter(({ code }) => code === 'no-node' || code === 'no-program') : faults),
      ...replaced,
    ],
    isNew,
    commands: steps.map((args) => `claude plugin ${args.join(' ')}`),
  };
}

/** Only what is needed: an installation that is well is not touched, so its settings are not rewritten. */
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
  /** Commands of the client that failed, with what it said. */
  readonly failed: readonly string[];
}

/** `client` is undefined when there is none any more: then our traces are taken out by hand. */
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

/** Whether anything of ours is in the client. */
export function isInClient(env: NodeJS.ProcessEnv): boolean {
  const configDir = claudeConfigDir(env);
  return removalSteps(configDir).length > 0 || existsSync(join(configDir, 'plugins', 'cache', 'tidemark'));
}
