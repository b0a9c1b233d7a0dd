/**
 * Installs Tidemark into GitHub Copilot CLI: a file of hooks and a skill of our own, and one entry in mcp-config.json.
 * Removal restores that file byte for byte.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import type { Finding, FoundClient, Installer, InstallStatus, InstallWorld } from '../../agent.ts';
import { EditedFile } from '../../installing/edited-file.ts';
import { findProgram, programVersion } from '../../installing/find-program.ts';
import { mcpCommand, putWrapper, wrapperPath } from '../../installing/hook-wrapper.ts';
import { withMember, withoutMember } from '../../installing/json-text.ts';
import { outdated, putFiles, removeFiles } from '../../installing/own-files.ts';
import { parsedSettings, readSettings } from '../../installing/read-settings.ts';
import { SKILL_NAME, SKILL_TEXT } from '../../installing/skill.ts';
import { isObject, type JsonObject } from '../../reading/json.ts';
import { copilotHome } from '../config-folder.ts';
import { HOOK_COUNT, hooksText } from './hooks-file.ts';

export const installer: Installer = {
  find,
  plan,
  install,
  remove,
  status,
  ifSilent:
    'Look for `disableAllHooks` in settings.json, and for "hook" in the newest file of ~/.copilot/logs.',
};

/** The path of our server in mcp-config.json. */
const SERVER = ['mcpServers', 'tidemark'];

async function find(env: NodeJS.ProcessEnv): Promise<FoundClient | undefined> {
  const path = findProgram(env, 'copilot');
  const folder = copilotHome(env);
  if (path === undefined && !existsSync(folder)) return undefined;
  const version = path === undefined ? undefined : await programVersion(path, env);
  return { folder, ...given({ path, version }) };
}

async function plan(world: InstallWorld): Promise<readonly string[]> {
  const { servers, own, next } = look(world);
  return [
    ...(next === servers.read() ? [] : [`add the MCP server to ${servers.path}`]),
    ...outdated(own).map(({ path }) => `write ${path}`),
  ];
}

async function install(world: InstallWorld): Promise<readonly string[]> {
  const { servers, own, next } = look(world);
  putWrapper(world.places);
  const isAdded = servers.write(next);
  return [
    ...(isAdded ? [`added the MCP server to ${servers.path}`] : []),
    ...putFiles(own).map(({ path }) => `wrote ${path}`),
  ];
}

async function remove(world: Pick<InstallWorld, 'env' | 'places'>): Promise<readonly string[]> {
  const { servers, own, home } = filesOf(world);
  // In the reverse order of install, so that a folder that was made for the first file goes with it.
  const removed = removeFiles(
    own.map(({ path }) => path),
    home,
  );
  const isRestored = servers.restore(withoutServer);
  return [
    ...removed.map((path) => `removed ${path}`),
    ...(isRestored ? [`removed the MCP server from ${servers.path}`] : []),
  ];
}

async function status(world: InstallWorld): Promise<InstallStatus> {
  const { servers, own, hooks, home } = filesOf(world);
  if (!existsSync(hooks.path)) return { state: 'absent', evidence: `no ${hooks.path}`, findings: [] };
  const repairable = (text: string): Finding => ({ text, isRepairable: true });
  const findings = [
    ...outdated(own).map(({ path }) => repairable(`${path} is missing or outdated`)),
    ...(isServed(servers.read(), world) ? [] : [repairable(`the MCP server is missing in ${servers.path}`)]),
    ...(existsSync(wrapperPath(world.places)) ? [] : [repairable(`${wrapperPath(world.places)} is missing`)]),
    ...inSettings(home),
  ];
  return {
    state: findings.length > 0 ? 'faulty' : 'installed',
    evidence: `${HOOK_COUNT} hooks in ${hooks.path}`,
    findings,
  };
}

/** Settings that switch our hooks off, or bring our tools a second time. */
function inSettings(home: string): readonly Finding[] {
  const path = join(home, 'settings.json');
  const settings = readSettings(path);
  const enabled = isObject(settings['enabledPlugins']) ? settings['enabledPlugins'] : {};
  const plugins = Object.keys(enabled).filter(
    (name) => name.startsWith('tidemark@') && enabled[name] === true,
  );
  return [
    ...(settings['disableAllHooks'] === true
      ? [{ text: `${path} disables all hooks`, next: 'Set `disableAllHooks` to false there.' }]
      : []),
    ...plugins.map((name) => ({
      text: `Copilot also has Tidemark as the plugin ${name}: its tools and skills appear twice`,
      next: `Run: copilot plugin uninstall ${name}`,
    })),
  ];
}

function filesOf({ env, places }: Pick<InstallWorld, 'env' | 'places'>) {
  const home = copilotHome(env);
  const hooks = { path: join(home, 'hooks', 'tidemark.json'), text: hooksText(places) };
  const skill = { path: join(home, 'skills', SKILL_NAME, 'SKILL.md'), text: SKILL_TEXT };
  return { home, hooks, own: [hooks, skill], servers: new EditedFile(places, join(home, 'mcp-config.json')) };
}

/** The files and what they should contain. Throws if the list of servers cannot be edited. */
function look(world: InstallWorld) {
  const files = filesOf(world);
  const now = files.servers.read();
  if (isServed(now, world)) return { ...files, next: now ?? '' };
  try {
    const next = withMember(now?.trim() ? now : '{}\n', SERVER, serverOf(world));
    if (isServed(next, world)) return { ...files, next };
  } catch (cause) {
    throw unreadable(files.servers.path, cause);
  }
  throw unreadable(files.servers.path);
}

function serverOf({ places }: Pick<InstallWorld, 'places'>): object {
  const [command, ...args] = mcpCommand(places, 'copilot');
  return { type: 'local', command, args, tools: ['*'] };
}

function isServed(text: string | null, world: Pick<InstallWorld, 'places'>): boolean {
  const { mcpServers: servers } = parsedSettings(text ?? '');
  const wanted: JsonObject = { ...serverOf(world) };
  const server = isObject(servers) ? servers['tidemark'] : undefined;
  // A user may have limited the tools.
  return (
    isObject(server) &&
    ['command', 'args'].every((key) => JSON.stringify(server[key]) === JSON.stringify(wanted[key]))
  );
}

/** Removes our server, and the list of servers if it is empty then. */
function withoutServer(text: string): string {
  try {
    const rest = withoutMember(text, SERVER);
    const { mcpServers: servers } = parsedSettings(rest);
    const isEmpty = rest !== text && isObject(servers) && Object.keys(servers).length === 0;
    return isEmpty ? withoutMember(rest, ['mcpServers']) : rest;
  } catch {
    return text;
  }
}

function unreadable(path: string, cause?: unknown): TidemarkError {
  return new TidemarkError('settings-unreadable', `${path} cannot be edited`, {
    ...given({ cause }),
    hint: 'It is not valid JSON. Correct it and try again.',
  });
}
