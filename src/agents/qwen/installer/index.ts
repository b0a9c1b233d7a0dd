/**
 * Installs Tidemark into Qwen Code: an extension of our own in the client's folder of extensions. No file of the user is
 * changed. The client would load our plugin for Claude Code too; that copy is replaced, because it never sees an update.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import type { Finding, FoundClient, Installer, InstallStatus, InstallWorld } from '../../agent.ts';
import { removeIfEmpty } from '../../installing/edited-file.ts';
import { findProgram, programVersion } from '../../installing/find-program.ts';
import { putWrapper, wrapperPath } from '../../installing/hook-wrapper.ts';
import { outdated, putFiles, removeFiles } from '../../installing/own-files.ts';
import { readSettings } from '../../installing/read-settings.ts';
import { qwenHome } from '../config-folder.ts';
import { EXTENSION, extensionFiles, HOOK_COUNT, INSTALLED_MARK } from './extension.ts';
import { disabledIn, forget } from './store.ts';

export const installer: Installer = {
  find,
  plan,
  install,
  remove,
  status,
  copies: (env) => [folderOf(qwenHome(env))].filter((folder) => kindOf(folder) === 'plugin'),
  ifSilent: 'Look for `disableAllHooks` in settings.json; sessions with --bare or --safe-mode run no hooks.',
};

async function find(env: NodeJS.ProcessEnv): Promise<FoundClient | undefined> {
  const path = findProgram(env, 'qwen');
  const folder = qwenHome(env);
  if (path === undefined && !existsSync(folder)) return undefined;
  const version = path === undefined ? undefined : await programVersion(path, env);
  return { folder, ...given({ path, version }) };
}

async function plan(world: InstallWorld): Promise<readonly string[]> {
  const { folder, files, kind } = look(world);
  const isCurrent = kind === 'ours' && outdated(files).length === 0;
  return [
    ...(kind === 'plugin' ? [`remove the copy of our plugin for Claude Code from ${folder}`] : []),
    ...(isCurrent ? [] : [`write the extension ${folder}`]),
  ];
}

async function install(world: InstallWorld): Promise<readonly string[]> {
  const { home, folder, files, kind } = look(world);
  putWrapper(world.places);
  const isReplaced = kind === 'plugin';
  if (isReplaced) removeFolder(home, folder);
  const written = putFiles(files);
  return [
    ...(isReplaced ? [`removed the copy of our plugin for Claude Code from ${folder}`] : []),
    ...(written.length > 0 ? [`wrote the extension ${folder}`] : []),
  ];
}

async function remove({ env, places }: Pick<InstallWorld, 'env' | 'places'>): Promise<readonly string[]> {
  const home = qwenHome(env);
  const folder = folderOf(home);
  const kind = kindOf(folder);
  const paths = extensionFiles(folder, places).map(({ path }) => path);
  if (kind === 'plugin') removeFolder(home, folder);
  const removed = kind === 'ours' ? removeFiles(paths, home) : [];
  if (kind !== 'plugin' && removed.length === 0) return [];
  forget(home);
  removeIfEmpty(home);
  return [`removed the extension ${folder}`];
}

async function status(world: InstallWorld): Promise<InstallStatus> {
  const home = qwenHome(world.env);
  const folder = folderOf(home);
  switch (kindOf(folder)) {
    case 'none':
    case 'another':
      return { state: 'absent', evidence: `no extension of ours in ${folder}`, findings: [] };
    case 'plugin':
      return { state: 'installed', evidence: `a copy of our plugin in ${folder}`, findings: [ONLY_COPY] };
    case 'ours': {
      const findings = faults(world, home);
      const state = findings.length > 0 ? 'faulty' : 'installed';
      return { state, evidence: `${HOOK_COUNT} hooks in ${folder}`, findings };
    }
  }
}

const ONLY_COPY: Finding = {
  text: 'Qwen Code has a copy of our plugin for Claude Code, which it never updates',
  next: 'Run: tidemark install --agent qwen',
  isRepairable: true,
};

function faults({ places }: InstallWorld, home: string): readonly Finding[] {
  const folder = folderOf(home);
  const settings = join(home, 'settings.json');
  const repairable = (text: string): Finding => ({ text, isRepairable: true });
  return [
    ...outdated(extensionFiles(folder, places)).map(({ path }) =>
      repairable(`${path} is missing or outdated`),
    ),
    ...(existsSync(wrapperPath(places)) ? [] : [repairable(`${wrapperPath(places)} is missing`)]),
    ...disabledIn(home).map((where) => ({
      text: `the extension ${EXTENSION} is disabled in ${where}`,
      next: `Run: qwen extensions enable ${EXTENSION}`,
    })),
    ...(readSettings(settings)['disableAllHooks'] === true
      ? [{ text: `${settings} disables all hooks`, next: 'Set `disableAllHooks` to false there.' }]
      : []),
  ];
}

function look(world: InstallWorld) {
  const home = qwenHome(world.env);
  const folder = folderOf(home);
  const kind = kindOf(folder);
  if (kind === 'another')
    throw new TidemarkError('settings-unreadable', `${folder} is an extension that is not ours`, {
      hint: `Remove it with \`qwen extensions uninstall ${EXTENSION}\`, or move the folder, and try again.`,
    });
  return { home, folder, kind, files: extensionFiles(folder, world.places) };
}

/** The script that hooks of our plugin run. */
const PLUGIN_HOOK = '/hooks/hook.sh';

/** `plugin`: our plugin for Claude Code, which the client copied. */
type Kind = 'none' | 'ours' | 'plugin' | 'another';

function kindOf(folder: string): Kind {
  if (!existsSync(folder)) return 'none';
  if (JSON.stringify(readSettings(join(folder, 'hooks', 'hooks.json'))).includes(PLUGIN_HOOK))
    return 'plugin';
  if (existsSync(join(folder, INSTALLED_MARK))) return 'another';
  // An install that was cut short has written only a part.
  const { name = EXTENSION } = readSettings(join(folder, 'qwen-extension.json'));
  return name === EXTENSION ? 'ours' : 'another';
}

function folderOf(home: string): string {
  return join(home, 'extensions', EXTENSION);
}

function removeFolder(home: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  forget(home);
}
