/** Asks before something that cannot be seen any more: only on a terminal, and never guesses a yes. */
import { TidemarkError } from '../../model/index.ts';
import type { Context } from '../verb.ts';
import { yesOrNo } from './_ask.ts';

export async function confirm({ options }: Context, question: string): Promise<boolean> {
  if (options['yes']) return true;
  if (!process.stdin.isTTY)
    throw new TidemarkError('usage', 'this needs a yes', { hint: 'Say it with --yes.' });
  return yesOrNo(`${question} `, false);
}
