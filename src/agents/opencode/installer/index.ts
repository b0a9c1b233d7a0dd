/**
 * Installs Tidemark into OpenCode: a plugin, commands and a skill as files of our own, and one key in its settings. Nothing of
 * it changes when Tidemark is updated. Removal restores the settings byte for byte.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import type { Finding, FoundClient, Installer, InstallStatus, InstallWorld } from '../../agent.ts';
import { EditedFile } from '../../installing/edited-file.ts';
import { programVersion } from '../../installing/find-program.ts';
import { mcpCommand, putWrapper, wrapperPath } from '../../installing/hook-wrapper.ts';
import { orSame } from '../../installing/json-text.ts';
import { outdated, putFiles, removeFiles } from '../../installing/own-files.ts';
import { findOpenCode } from '../find-client.ts';
import { configFolder, dataFolder } from '../places.ts';
import { hasServer, withoutServer, withServer } from './config-file.ts';
import { otherFiles, pluginFile } from './own-files.ts';

export const installer: Installer = { find, plan, install, remove, status };

async function find(env: NodeJS.ProcessEnv): Promise<FoundClient | undefined> {
  const path = findOpenCode(env);
  const folder = configFolder(env);
  if (path === undefined && !existsSync(folder) && !existsSync(dataFolder(env))) return undefined;
  return { folder, ...given({ path, version: path && (await programVersion(path, env)) }) };
}

async function plan(world: InstallWorld): Promise<readonly string[]> {
  const { plugin, others, config } = filesOf(world);
  return [
    ...outdated([plugin]).map(({ path }) => `write the plugin ${path}`),
    ...(wanted(world, config) === config.read() ? [] : [`add the MCP server to ${config.path}`]),
    ...outdated(others).map(({ path }) => `write ${path}`),
  ];
}

async function install(world: InstallWorld): Promise<readonly string[]> {
  const { plugin, others, config } = filesOf(world);
  const text = wanted(world, config);
  putWrapper(world.places);
  return [
    ...(config.write(text) ? [`added the MCP server to ${config.path}`] : []),
    ...putFiles([plugin]).map(({ path }) => `wrote the plugin ${path}`),
    ...putFiles(others).map(({ path }) => `wrote ${path}`),
  ];
}

async function remove(world: Pick<InstallWorld, 'env' | 'places'>): Promise<readonly string[]> {
  const { folder, plugin, others, configs } = filesOf(world);
  // In the reverse order of install, so that a folder that was made for the settings goes with them.
  const removed = removeFiles(
    [plugin, ...others].map(({ path }) => path),
    folder,
  );
  const restored = configs.filter((config) => config.restore((text) => orSame(text, withoutServer)));
  return [
    ...restored.map(({ path }) => `removed the MCP server from ${path}`),
    ...removed.map((path) => `removed ${path}`),
  ];
}

async function status(world: InstallWorld): Promise<InstallStatus> {
  const { plugin, others, config } = filesOf(world);
  if (!existsSync(plugin.path)) return { state: 'absent', evidence: `no ${plugin.path}`, findings: [] };
  const findings: Finding[] = [];
  const repairable = (text: string): void => void findings.push({ text, isRepairable: true });
  if (outdated([plugin]).length > 0)
    repairable(`the plugin is outdated or belongs to another data folder: ${plugin.path}`);
  for (const { path } of outdated(others)) repairable(`missing or outdated: ${path}`);
  if (!existsSync(wrapperPath(world.places))) repairable(`${wrapperPath(world.places)} is missing`);
  try {
    if (!hasServer(config.read() ?? '{}', mcpCommand(world.places, 'opencode')))
      repairable(`the MCP server is missing or outdated in ${config.path}`);
  } catch {
    findings.push({ text: `${config.path} is not valid JSON`, next: 'Correct it: OpenCode cannot read it.' });
  }
  return {
    state: findings.length > 0 ? 'faulty' : 'installed',
    evidence: `the plugin ${plugin.path}, the MCP server in ${config.path}`,
    findings,
  };
}

/** The client reads both files, and the second one last. A file that OPENCODE_CONFIG names is only read beside them. */
function filesOf({ env, places }: Pick<InstallWorld, 'env' | 'places'>) {
  const folder = configFolder(env);
  const configs = ['opencode.json', 'opencode.jsonc'].map(
    (name) => new EditedFile(places, join(folder, name)),
  );
  const [plain, commented] = configs as [EditedFile, EditedFile]; // two names, two files
  return {
    folder,
    plugin: pluginFile(folder, places),
    others: otherFiles(folder),
    configs,
    config: existsSync(commented.path) ? commented : plain,
  };
}

function wanted({ places }: InstallWorld, config: EditedFile): string {
  try {
    return withServer(config.read(), mcpCommand(places, 'opencode'));
  } catch (cause) {
    throw new TidemarkError('settings-unreadable', `${config.path} cannot be edited`, {
      cause,
      hint: 'It is not valid JSON. Correct it and try again.',
    });
  }
}
