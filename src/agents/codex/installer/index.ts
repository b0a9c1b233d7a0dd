/**
 * Installs Tidemark into Codex: entries in hooks.json, one table in config.toml, and a skill. Nothing of it changes when
 * Tidemark is updated, so a user trusts the hooks once. Removal restores both files byte for byte.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import type { Finding, FoundClient, Installer, InstallStatus, InstallWorld } from '../../agent.ts';
import { EditedFile } from '../../installing/edited-file.ts';
import { findProgram, programVersion } from '../../installing/find-program.ts';
import { mcpCommand, putWrapper, wrapperPath } from '../../installing/hook-wrapper.ts';
import { orSame } from '../../installing/json-text.ts';
import { outdated, putFiles, removeFiles } from '../../installing/own-files.ts';
import { SKILL_NAME, SKILL_TEXT } from '../../installing/skill.ts';
import { copiesInCache } from '../../installing/plugin-copies.ts';
import { codexHome } from '../config-folder.ts';
import { readHead } from '../reader/head.ts';
import { findTranscripts } from '../reader/find.ts';
import { hasServer, pluginIn, withoutOurs as withoutOurTables, withServer } from './config-file.ts';
import { ourEntries, placesInFile, withOurs, withoutOurs } from './hooks-file.ts';
import { removePlugin } from './plugin.ts';
import { pathsOf, trustOf } from './trust.ts';

export const installer: Installer = {
  find,
  plan,
  install,
  remove,
  status,
  copies: (env) => copiesInCache(codexHome(env)),
  lastVersion: (env) => {
    const [newest] = findTranscripts(codexHome(env)).files;
    return newest ? orUndefined(() => readHead(newest.path)?.version) : undefined;
  },
  ifSilent: 'Look at /hooks in codex. Sessions with --disable hooks have none.',
};

async function find(env: NodeJS.ProcessEnv): Promise<FoundClient | undefined> {
  const path = findProgram(env, 'codex');
  const folder = codexHome(env);
  if (path === undefined && !existsSync(folder)) return undefined;
  const version = path === undefined ? undefined : await programVersion(path, env);
  return { folder, ...given({ path, version }) };
}

async function plan(world: InstallWorld): Promise<readonly string[]> {
  const { hooks, config, skill, plugin, nextHooks, nextConfig } = look(world);
  return [
    ...(plugin === undefined
      ? []
      : [`remove the plugin ${plugin} from Codex: its hooks would run a second time`]),
    ...(nextHooks === hooks.read() ? [] : [`add ${ourEntries(world.places).length} hooks to ${hooks.path}`]),
    ...(nextConfig === config.read() ? [] : [`add the MCP server to ${config.path}`]),
    ...outdated([skill]).map(({ path }) => `write the skill ${path}`),
  ];
}

/**
 * Hooks of our plugin from a marketplace would run beside ours, so the plugin is removed: Codex copies it, which makes it old
 * with the next update, and asks for trust again after each.
 */
async function install(world: InstallWorld): Promise<readonly string[]> {
  const done: string[] = [];
  const { plugin } = look(world);
  if (plugin !== undefined) {
    await removePlugin(world.env, plugin);
    done.push(`removed the plugin ${plugin} from Codex`);
  }
  const { hooks, config, skill, nextHooks, nextConfig } = look(world);
  putWrapper(world.places);
  if (config.write(nextConfig)) done.push(`added the MCP server to ${config.path}`);
  if (hooks.write(nextHooks)) done.push(`added hooks to ${hooks.path}`);
  for (const { path } of putFiles([skill])) done.push(`wrote the skill ${path}`);
  return done;
}

async function remove(world: Pick<InstallWorld, 'env' | 'places'>): Promise<readonly string[]> {
  const { hooks, config, skill, home } = filesOf(world);
  const before = hooks.read();
  const paths = pathsOf(hooks.path);
  const placed = (before === null ? undefined : orUndefined(() => placesInFile(before))) ?? [];
  // In the reverse order of install, so that a folder that was made for the first file goes with it.
  const skills = removeFiles([skill.path], home).map((path) => `removed the skill ${path}`);
  const hasHooks = hooks.restore((text) => orSame(text, withoutOurs));
  const isServed = config.restore((text) => withoutOurTables(text, paths, placed));
  return [
    ...(isServed ? [`removed the MCP server from ${config.path}`] : []),
    ...(hasHooks ? [`removed our hooks from ${hooks.path}`] : []),
    ...skills,
  ];
}

async function status(world: InstallWorld): Promise<InstallStatus> {
  const { hooks, config, skill, plugin, nextHooks } = look(world);
  const now = hooks.read();
  const hasHooks = now !== null && placesInFile(now).some((placed) => placed.isOurs);
  const faults: Finding[] = [];
  if (plugin !== undefined && hasHooks)
    faults.push({
      text: `Codex has our hooks twice: in ${hooks.path} and from its plugin ${plugin}`,
      next: `Run: codex plugin remove ${plugin}`,
      isRepairable: true,
    });
  if (!hasHooks) {
    const evidence = plugin === undefined ? `no hooks in ${hooks.path}` : `the plugin ${plugin}`;
    const isPlugin = plugin !== undefined;
    return { state: isPlugin ? 'installed' : 'absent', evidence, findings: isPlugin ? [ONLY_PLUGIN] : [] };
  }
  const repairable = (text: string): void => void faults.push({ text, isRepairable: true });
  if (now !== nextHooks) repairable(`hooks are missing or outdated in ${hooks.path}`);
  if (!hasServer(config.read() ?? '', mcpCommand(world.places, 'codex')))
    repairable(`the MCP server is missing or outdated in ${config.path}`);
  if (outdated([skill]).length > 0) repairable(`the skill is missing or outdated: ${skill.path}`);
  if (!existsSync(wrapperPath(world.places))) repairable(`${wrapperPath(world.places)} is missing`);
  const trust = await trustOf(world.env, hooks.path, now);
  return {
    state: faults.length + trust.findings.length > 0 ? 'faulty' : 'installed',
    evidence: `${placesInFile(now).filter((placed) => placed.isOurs).length} hooks in ${hooks.path}, ${trust.evidence}`,
    findings: [...faults, ...trust.findings],
  };
}

const ONLY_PLUGIN: Finding = {
  text: 'Codex has Tidemark as a plugin, which it copies: each update needs a new install and new trust',
  next: 'Run: tidemark install --agent codex',
  isRepairable: true,
};

function filesOf({ env, places }: Pick<InstallWorld, 'env' | 'places'>) {
  const home = codexHome(env);
  return {
    home,
    hooks: new EditedFile(places, join(home, 'hooks.json')),
    config: new EditedFile(places, join(home, 'config.toml')),
    skill: { path: join(home, 'skills', SKILL_NAME, 'SKILL.md'), text: SKILL_TEXT },
  };
}

/** The files and what they should contain. Throws if one cannot be edited. */
function look(world: InstallWorld) {
  const files = filesOf(world);
  const { hooks, config } = files;
  const text = config.read();
  return {
    ...files,
    plugin: pluginIn(text ?? ''),
    nextHooks: edited(hooks, (now) => withOurs(now, ourEntries(world.places))),
    nextConfig: edited(config, (now) => withServer(now, mcpCommand(world.places, 'codex'))),
  };
}

function edited(file: EditedFile, edit: (now: string | null) => string | undefined): string {
  let next: string | undefined;
  let cause: unknown;
  try {
    next = edit(file.read());
  } catch (error) {
    cause = error;
  }
  if (next !== undefined) return next;
  throw new TidemarkError('settings-unreadable', `${file.path} cannot be edited`, {
    ...given({ cause }),
    hint:
      cause === undefined
        ? 'Write its MCP servers as [mcp_servers.<name>] tables.'
        : 'It is not valid JSON. Correct it and try again.',
  });
}

function orUndefined<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
