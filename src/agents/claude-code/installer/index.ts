/** Installs Tidemark into Claude Code as a plugin of a marketplace, with the client's own commands. */
import { isNewer, TidemarkError } from '../../../core/index.ts';
import type { FoundClient, Installer, InstallWorld } from '../../agent.ts';
import { copiesInCache } from '../../installing/plugin-copies.ts';
import { claudeConfigDir } from '../config-folder.ts';
import { findClaudeCode, installedPlugins, OLDEST_CLIENT, pluginCommand, tooOld } from './client.ts';
import { clientSettings } from './client-settings.ts';
import { lastVersion } from './last-version.ts';
import { installPlugin, plannedCommands, removePlugin } from './plugin.ts';
import { SettingsFile } from './settings-file.ts';
import { NOTE_RULES } from './settings.ts';
import { statusOf } from './status.ts';

export const installer: Installer = {
  find,
  plan: plannedCommands,
  install: installPlugin,
  remove: removePlugin,
  status: statusOf,
  copies: (env) => {
    const configDir = claudeConfigDir(env);
    return [
      ...installedPlugins(configDir).map(({ installPath }) => installPath),
      ...copiesInCache(configDir),
    ];
  },
  lastVersion,
  runsOwnFiles: true,
  notes: {
    rules: NOTE_RULES,
    file: (world) => settingsOf(world).path,
    areSet: (world) => settingsOf(world).allowsNotes,
    set: (world, allowed) => settingsOf(world).allowNotes(allowed),
  },
  plugins: {
    enabled: (env, cwd) => [...clientSettings(env, cwd).plugins].flatMap(([id, on]) => (on ? [id] : [])),
    disable: async (env, id) => {
      await pluginCommand(await findClaudeCode(env, { anyVersion: true }), ['disable', id], env);
    },
    command: (change, id) => `claude plugin ${change} ${id}`,
  },
  ifSilent: 'Look at /hooks in Claude Code. Sessions with --bare or --safe-mode have no hooks.',
};

/** Only with its program: the plugin is installed with the client's commands. */
async function find(env: NodeJS.ProcessEnv): Promise<FoundClient | undefined> {
  try {
    const { path, version } = await findClaudeCode(env, { anyVersion: true });
    const problem = isNewer(OLDEST_CLIENT, version) ? tooOld(version) : undefined;
    return {
      folder: claudeConfigDir(env),
      path,
      version,
      ...(problem ? { problem: { text: problem.message, next: problem.hint ?? '' } } : {}),
    };
  } catch (error) {
    if (error instanceof TidemarkError && error.code === 'no-client') return undefined;
    throw error;
  }
}

function settingsOf({ env, places }: Pick<InstallWorld, 'env' | 'places'>): SettingsFile {
  return new SettingsFile(places, claudeConfigDir(env));
}
