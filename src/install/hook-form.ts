/**
 * Replaces the hook entries of earlier versions, `{"command":"sh","args":[…]}`, in every copy of the plugin on this
 * machine. An agent that ignores `args` runs a bare `sh`, which executes the prompt as shell code. Changes no entry that
 * is not ours and no other file.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError, type Places } from '../core/index.ts';
import { writeAtomicallySync } from '../files/index.ts';
import { clientCopies } from './agents.ts';

const SCRIPT = '${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh';
const EVENT = /^[A-Za-z]+$/;

/** The `hooks.json` files of our plugin that still have the old form, of every agent that copies plugins. */
export function oldHooks(places: Pick<Places, 'app'>, env: NodeJS.ProcessEnv): readonly string[] {
  const manifests = copies(places, env).map((plugin) => join(plugin, 'hooks', 'hooks.json'));
  return [...new Set(manifests)].filter((path) => inNewForm(readOr(path)) !== undefined);
}

/** Replaces the old form in all of them and returns their paths. Throws after the last one if one cannot be written. */
export function replaceOldHooks(places: Pick<Places, 'app'>, env: NodeJS.ProcessEnv): readonly string[] {
  const paths = oldHooks(places, env);
  const failed = paths.filter((path) => !replace(path));
  if (failed.length > 0)
    throw new TidemarkError('old-hooks', `unsafe hooks of an older version remain in ${failed.join(', ')}`, {
      hint: 'Make the file writable and run: tidemark doctor. Or remove the plugin from that agent.',
    });
  return paths;
}

/** The text of a `hooks.json` with every entry as one command string; undefined if there is nothing to replace. */
export function inNewForm(text: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(text);
    const after = converted(manifest);
    return after === manifest ? undefined : `${JSON.stringify(after, null, 2)}\n`;
  } catch {
    return undefined;
  }
}

/** Returns the same object where nothing in it changed. */
function converted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const after = value.map(converted);
    return after.every((one, i) => one === value[i]) ? value : after;
  }
  const { command, args, ...rest } = value as { command?: unknown; args?: unknown };
  if (command === 'sh' && Array.isArray(args) && args[0] === SCRIPT && EVENT.test(String(args[1])))
    return { ...rest, command: `sh "${SCRIPT}" ${args[1]}` };
  const entries = Object.entries(value);
  const after = entries.map(([key, inner]) => [key, converted(inner)] as const);
  return after.every(([, inner], i) => inner === entries[i]?.[1]) ? value : Object.fromEntries(after);
}

/** Plugin folders: ours, and those that clients copied it to. */
function copies(places: Pick<Places, 'app'>, env: NodeJS.ProcessEnv): readonly string[] {
  return [join(places.app, 'plugin'), ...clientCopies(env)];
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function replace(path: string): boolean {
  try {
    const { mode } = statSync(path);
    const text = inNewForm(readFileSync(path, 'utf8'));
    if (text === undefined) return true; // another process replaced it
    writeAtomicallySync(path, text, { mode: mode & 0o777 });
    return true;
  } catch {
    return false;
  }
}
