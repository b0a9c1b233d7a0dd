/** Asks before something that cannot be seen any more: only on a terminal, and never guesses a yes. */
import { createInterface } from 'node:readline/promises';
import { TidemarkError } from '../../model/index.ts';
import type { Context } from '../verb.ts';

export async function confirm({ options }: Context, question: string): Promise<boolean> {
  if (options['yes']) return true;
  if (!process.stdin.isTTY)
    throw new TidemarkError('usage', 'this needs a yes', { hint: 'Say it with --yes.' });
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } finally {
    asking.close();
  }
}
