/** The client: which version is installed and was seen last, whether our plugin is on, whether its hooks are allowed. */
import { execFile } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { listTranscripts } from '../../import/index.ts';
import { age } from '../../recall/index.ts';
import type { ClientSettings } from './_client-settings.ts';
import { note, well, wrong, type Check } from './check.ts';

/** What the project is tested with; older ones may work. */
const OLDEST_TESTED = [2, 1, 197] as const;
const VERSION_LIMIT_MS = 10_000;
/** The client writes its version into every line of a conversation, but not into the first few of a file. */
const PEEK_BYTES = 256 * 1024;
const LOOKED_AT = 5;

export async function client(env: NodeJS.ProcessEnv, { configDir }: ClientSettings): Promise<Check> {
  const name = 'Claude Code';
  const installed = await installedVersion(env);
  const seen = lastSeen(configDir);
  const lately = seen
    ? `last seen ${seen.version}, ${age(seen.at.toISOString(), new Date())}`
    : 'no session seen yet';
  if (!installed)
    return note(
      name,
      `not on the PATH; ${lately}`,
      seen ? undefined : 'Install it first: npm install -g @anthropic-ai/claude-code',
    );
  const evidence = `${installed} installed, ${lately}`;
  if (isOlder(installed))
    return note(name, evidence, `Tested from ${OLDEST_TESTED.join('.')} on; update with: claude update`);
  return well(name, evidence);
}

export function plugin({ plugins, hooksOff }: ClientSettings): Check {
  const name = 'plugin';
  const [id, on] = [...plugins].find(([key]) => key.startsWith('tidemark@')) ?? [];
  if (id === undefined) return note(name, 'not installed for this user or project', 'tidemark install');
  if (!on) return wrong(name, `${id} is installed, but switched off`, `claude plugin enable ${id}`);
  if (hooksOff !== undefined)
    return wrong(
      name,
      `${id} is on, but ${hooksOff} switches every hook off`,
      'Take "disableAllHooks" out of that file.',
    );
  return well(name, `${id} is installed and on`);
}

function installedVersion(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    // On Windows it is a script of the shell.
    const options = { env, timeout: VERSION_LIMIT_MS, shell: process.platform === 'win32' };
    execFile('claude', ['--version'], options, (error, stdout) =>
      resolve(error ? undefined : /\d+\.\d+\.\d+/.exec(stdout)?.[0]),
    );
  });
}

function lastSeen(configDir: string): { readonly version: string; readonly at: Date } | undefined {
  for (const { path, modifiedAt } of listTranscripts(configDir).slice(0, LOOKED_AT)) {
    const version = /"version":"(\d+\.\d+\.\d+)"/.exec(headOf(path))?.[1];
    if (version) return { version, at: modifiedAt };
  }
  return undefined;
}

function headOf(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(PEEK_BYTES);
      return bytes.toString('utf8', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function isOlder(version: string): boolean {
  const numbers = version.split('.').map(Number);
  for (const [i, least] of OLDEST_TESTED.entries()) {
    const difference = (numbers[i] ?? 0) - least;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
