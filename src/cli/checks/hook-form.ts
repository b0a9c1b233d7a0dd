/** Checks that no copy of the plugin has the unsafe hooks of older versions. */
import type { Places, TidemarkError } from '../../core/index.ts';
import { replaceOldHooks } from '../../install/index.ts';
import { checkOf, type Check } from './check.ts';

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
    const next =
      'An agent that asks for trust in hooks skips them until you review the change: start it once.';
    return [{ ...check.note(done, next), done: `${done}. ${next}` }];
  } catch (error) {
    const { message, hint = '' } = error as TidemarkError;
    return [check.wrong(message, hint)];
  }
}
