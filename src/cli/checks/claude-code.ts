/** Checks Claude Code: its version, whether our plugin is on, and whether hooks are allowed. */
import { closeSync, readSync } from 'node:fs';
import { OLDEST_CLIENT, findClaudeCode, installedPlugins, listTranscripts } from '../../agents/index.ts';
import { isNewer, VERSION, type Places, type TidemarkError } from '../../core/index.ts';
import { openRegularSync } from '../../files/index.ts';
import {
  faultsOf,
  installPlugin,
  marketplaceRoot,
  replaceOldHooks,
  wantedAsItIs,
} from '../../install/index.ts';
import { age } from '../../recall/index.ts';
import { ownOrigin } from '../program.ts';
import { tilde } from '../screen.ts';
import type { ClientSettings } from './_client-settings.ts';
import { checkOf, type Check } from './check.ts';

/** The client writes its version into every line of a transcript except the first few. */
const PEEK_BYTES = 256 * 1024;
const MAX_TRANSCRIPTS = 5;

export async function client(env: NodeJS.ProcessEnv, { configDir }: ClientSettings): Promise<Check> {
  const check = checkOf('Claude Code');
  const installed = await findClaudeCode(env, { anyVersion: true }).then(
    ({ version }) => version,
    () => undefined,
  );
  const seen = lastSeen(configDir);
  const lastUse = seen
    ? `last seen ${seen.version}, ${age(seen.at.toISOString(), new Date())}`
    : 'no session seen yet';
  if (!installed)
    return check.note(
      `not on the PATH; ${lastUse}`,
      seen ? undefined : 'Install it first: npm install -g @anthropic-ai/claude-code',
    );
  const evidence = `${installed} installed, ${lastUse}`;
  if (isNewer(OLDEST_CLIENT, installed))
    return check.wrong(evidence, `Tidemark needs ${OLDEST_CLIENT} or newer; update it: claude update`);
  return check.well(evidence);
}

export function plugin(
  places: Places,
  env: NodeJS.ProcessEnv,
  { plugins, hooksOff, configDir }: ClientSettings,
): Check {
  const check = checkOf('plugin');
  const [id, on] = [...plugins].find(([key]) => key.startsWith('tidemark@')) ?? [];
  if (id === undefined) return check.note('not installed for this user or project', 'tidemark install');
  if (!on) return check.wrong(`${id} is installed, but turned off`, `claude plugin enable ${id}`);
  if (hooksOff !== undefined)
    return check.wrong(
      `${id} is on, but ${hooksOff} turns every hook off`,
      'Remove "disableAllHooks" from that file.',
    );
  const [copy] = installedPlugins(configDir);
  if (!copy) return check.wrong(`${id} is on, but the client has no copy of it`, 'tidemark repair');
  const own = { root: marketplaceRoot(ownOrigin(places), places), version: VERSION };
  const wanted = wantedAsItIs(configDir, own);
  const fix = async (): Promise<string> => {
    const around = { places, env, origin: ownOrigin(places), onStep: () => {} };
    const { mended: repaired } = await installPlugin(await findClaudeCode(env), around);
    return `repaired the plugin: ${repaired.map(({ text }) => tilde(text)).join('; ')}`;
  };
  // Other checks report these, or a project's own settings ask for them.
  const reportedElsewhere = new Set(['switched-off', 'no-node', 'not-installed']);
  const faults = faultsOf(places, configDir, wanted).filter(({ code }) => !reportedElsewhere.has(code));
  if (faults.length > 0)
    return check.wrong(`${id}: ${faults.map(({ text }) => text).join('; ')}`, 'tidemark repair', fix);
  const from = wanted.root === own.root ? '' : `, from ${tilde(wanted.root ?? '')}`;
  return check.well(`${id} ${copy.version} is installed and on${from}`);
}

/**
 * Replaces unsafe hooks of older versions in every copy, also those of other agents, without waiting for `--fix`: until
 * then each prompt there may run as shell code. Empty when every copy is safe.
 */
export function hookForm(places: Places, env: NodeJS.ProcessEnv): readonly Check[] {
  const check = checkOf('hook form');
  try {
    const replaced = replaceOldHooks(places, env);
    if (replaced.length === 0) return [];
    const done = `unsafe hooks of an older version were replaced in ${replaced.join(', ')}`;
    const next = 'In Codex, review the changed hooks once: it skips them until then.';
    return [{ ...check.note(done, next), done: `${done}. ${next}` }];
  } catch (error) {
    const { message, hint = '' } = error as TidemarkError;
    return [check.wrong(message, hint)];
  }
}

function lastSeen(configDir: string): { readonly version: string; readonly at: Date } | undefined {
  for (const { path, modifiedAt } of listTranscripts(configDir).slice(0, MAX_TRANSCRIPTS)) {
    const version = /"version":"(\d+\.\d+\.\d+)"/.exec(headOf(path))?.[1];
    if (version) return { version, at: modifiedAt };
  }
  return undefined;
}

function headOf(path: string): string {
  try {
    const { fd: file } = openRegularSync(path);
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
