/** The brief a project got last time, for the session that starts while the daemon does not answer. Reads only. */
import { briefFile, type HookInput, type Places } from '../core/index.ts';
import { readTextSync, STATE_BYTES } from '../files/index.ts';
import { printable } from './ask.ts';

/** The hook output to print, or nothing: a resumed or forked session has its brief already. */
export function keptBrief(places: Places, projectDir: string | undefined, input: HookInput): string {
  const folder = projectDir ?? input.cwd;
  if (!folder || input.source === 'resume' || input.source === 'fork') return '';
  try {
    const output: unknown = JSON.parse(readTextSync(briefFile(places, folder), STATE_BYTES))?.output;
    return typeof output === 'string' ? printable(output) : '';
  } catch {
    return '';
  }
}
