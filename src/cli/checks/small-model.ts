/** Checks whether the small model reads the turns. */
import type { KeepHealth } from '../../distill/index.ts';
import { counted } from '../screen.ts';
import { checkOf, type Check } from './check.ts';

export function smallModel(health: KeepHealth): Check {
  const check = checkOf('small model');
  const { model, why, next, trouble } = health;
  if (model === null) return check.note(`not used, rules alone distil: ${why}`, next);
  const failed = Object.entries(health.passed).map(([reason, turns]) => `${reason} (${turns})`);
  if (trouble !== undefined)
    return check.wrong(
      `${sourceLine(health)}; it fails: ${trouble}`,
      'Rules distil meanwhile, and it is tried again in a few minutes. See: tidemark logs',
    );
  if (failed.length === 0) return check.well(sourceLine(health));
  return check.note(
    `${sourceLine(health)}; turns that it could not read: ${failed.join(', ')}`,
    'Try them again with: tidemark distill --small',
  );
}

/** `small-2 distils every turn on this machine; 12 turns waiting, working` */
export function sourceLine({ model, why, waiting, working }: KeepHealth): string {
  if (model === null) return `rules distil every turn on this machine; the small model is not used: ${why}`;
  const queue = waiting === 0 ? 'none waiting' : `${counted(waiting, 'turn')} waiting`;
  return `${model} distils every turn on this machine; ${queue}${working ? ', working' : ''}`;
}
