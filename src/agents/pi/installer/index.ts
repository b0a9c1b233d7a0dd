/** Installs Tidemark into pi: one file in its folder of extensions, which pi loads without a question. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { given } from '../../../core/index.ts';
import type { FoundClient, Installer, InstallStatus, InstallWorld } from '../../agent.ts';
import { findProgram, packageVersion } from '../../installing/find-program.ts';
import { outdated, putFiles, removeFiles } from '../../installing/own-files.ts';
import { piFolder } from '../folder.ts';
import { extensionFile } from './extension-file.ts';

export const installer: Installer = { find, plan, install, remove, status, runsOwnFiles: true };

/** Other programs are called pi too. */
const PACKAGE = /[\\/]pi-coding-agent[\\/]/;

async function find(env: NodeJS.ProcessEnv): Promise<FoundClient | undefined> {
  const found = findProgram(env, 'pi');
  const path = found !== undefined && PACKAGE.test(realpathSync(found)) ? found : undefined;
  const folder = piFolder(env);
  if (path === undefined && !existsSync(folder)) return undefined;
  return { folder, ...given({ path, version: path && packageVersion(path) }) };
}

async function plan({ env, places }: InstallWorld): Promise<readonly string[]> {
  return outdated([extensionFile(env, places)]).map(({ path }) => `write the extension ${path}`);
}

async function install({ env, places }: InstallWorld): Promise<readonly string[]> {
  return putFiles([extensionFile(env, places)]).map(({ path }) => `wrote the extension ${path}`);
}

async function remove({ env, places }: Pick<InstallWorld, 'env' | 'places'>): Promise<readonly string[]> {
  const { path } = extensionFile(env, places);
  const below = dirname(dirname(piFolder(env)));
  return removeFiles([path], below).map((removed) => `removed the extension ${removed}`);
}

async function status({ env, places }: InstallWorld): Promise<InstallStatus> {
  const file = extensionFile(env, places);
  if (!existsSync(file.path)) return { state: 'absent', evidence: `no ${file.path}`, findings: [] };
  const findings = outdated([file]).map(({ path }) => ({
    text: `the extension is outdated or belongs to another data folder: ${path}`,
    isRepairable: true,
  }));
  return {
    state: findings.length > 0 ? 'faulty' : 'installed',
    evidence: `the extension ${file.path}`,
    findings,
  };
}
