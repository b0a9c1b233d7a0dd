/** Checks whether the small model reads the turns. */
import type { KeepHealth } from '../../distill/index.ts';
import { counted } from '../screen.ts';
import { checkOf, type Check } from './check.ts';

export function smallModel(health: KeepHealth): Check {
  const check = checkOf('small model');
  const { model, why, next, trouble } = health;
  if (model === null) return check.note(`not used, only rules make memories: ${why}`, next);
  const failed = Object.entries(health.passed).map(([reason, turns]) => `${reason} (${turns})`);
  if (trouble !== undefined)
    return check.wrong(
      `${sourceLine(health)}; it fails: ${trouble}`,
      'Until then only rules make memories; it is tried again in a few minutes. See: tidemark logs',
    );
  if (failed.length === 0) return check.well(sourceLine(health));
  return check.note(
    `${sourceLine(health)}; turns that it could not read: ${failed.join(', ')}`,
    'Only rules read them. See: tidemark logs',
  );
}

/** `small-5 reads every turn on this machine; 12 turns waiting, working` */
export function sourceLine({ model, why, waiting, working }: KeepHealth): string {
  if (model === null) return `only rules make memories; the small model is not used: ${why}`;
  const queue = waiting === 0 ? 'none waiting' : `${counted(waiting, 'turn')} waiting`;
  return `${model} reads every turn on this machine; ${queue}${working ? ', working' : ''}`;
}
