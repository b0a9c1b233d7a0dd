/** Asks before something that cannot be seen any more: only on a terminal, and never guesses a yes. */
import { TidemarkError } from '../core/index.ts';
import { yesOrNo } from './ask.ts';
import type { Context } from './verb.ts';

export async function confirm({ options }: Context, question: string): Promise<boolean> {
  if (options['yes']) return true;
  if (!process.stdin.isTTY)
    throw new TidemarkError('usage', 'this needs a yes', { hint: 'Say it with --yes.' });
  return yesOrNo(`${question} `, false);
}
