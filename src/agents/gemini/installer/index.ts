/**
 * Installs Tidemark into Gemini CLI: an extension of our own files, so that no file of the user is edited. The user may
 * switch extensions and hooks off; `status` tells.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { given } from '../../../core/index.ts';
import type { FoundClient, Installer, InstallStatus, InstallWorld } from '../../agent.ts';
import { findProgram, packageVersion } from '../../installing/find-program.ts';
import { putWrapper, wrapperPath } from '../../installing/hook-wrapper.ts';
import { outdated, putFiles, removeFiles } from '../../installing/own-files.ts';
import { geminiFolder } from '../folder.ts';
import { withoutSwitch } from './enablement.ts';
import { EXTENSION, extensionFiles, HOOK_COUNT } from './extension.ts';
import { obstacles } from './obstacles.ts';

export const installer: Installer = {
  find,
  plan,
  install,
  remove,
  status,
  ifSilent:
    'In Gemini CLI, /hooks lists the hooks it runs, and /extensions list shows whether ours is enabled.',
};

type World = Pick<InstallWorld, 'env' | 'places'>;

async function find(env: NodeJS.ProcessEnv): Promise<FoundClient | undefined> {
  const path = findProgram(env, 'gemini');
  const folder = geminiFolder(env);
  // Other programs of the vendor use the folder too; sessions are the client's.
  if (path === undefined && !existsSync(join(folder, 'tmp'))) return undefined;
  return { folder, ...given({ path, version: path && packageVersion(path) }) };
}

async function plan(world: InstallWorld): Promise<readonly string[]> {
  return outdated(filesOf(world)).length > 0 ? [`write the extension ${folderOf(world)}`] : [];
}

async function install(world: InstallWorld): Promise<readonly string[]> {
  putWrapper(world.places);
  return putFiles(filesOf(world)).length > 0 ? [`wrote the extension ${folderOf(world)}`] : [];
}

async function remove(world: World): Promise<readonly string[]> {
  const paths = filesOf(world).map(({ path }) => path);
  const removed = removeFiles(paths, geminiFolder(world.env));
  withoutSwitch(join(folderOf(world), '..'), EXTENSION);
  return removed.length > 0 ? [`removed the extension ${folderOf(world)}`] : [];
}

async function status(world: InstallWorld): Promise<InstallStatus> {
  const files = filesOf(world);
  const folder = folderOf(world);
  if (!files.some(({ path }) => existsSync(path)))
    return { state: 'absent', evidence: `no ${folder}`, findings: [] };
  const stale = [
    ...(outdated(files).length > 0 ? [`files of the extension are missing or outdated: ${folder}`] : []),
    ...(existsSync(wrapperPath(world.places)) ? [] : [`${wrapperPath(world.places)} is missing`]),
  ];
  const findings = [
    ...stale.map((text) => ({ text, isRepairable: true })),
    ...obstacles(geminiFolder(world.env), world.cwd),
  ];
  return {
    state: findings.length > 0 ? 'faulty' : 'installed',
    evidence: `${HOOK_COUNT} hooks in ${folder}`,
    findings,
  };
}

function folderOf({ env }: Pick<InstallWorld, 'env'>): string {
  return join(geminiFolder(env), 'extensions', EXTENSION);
}

function filesOf(world: World) {
  return extensionFiles(folderOf(world), world.places);
}
