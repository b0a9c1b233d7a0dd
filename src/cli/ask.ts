/** Asks the user to confirm something at the terminal. Input typed before the question appeared does not count. */
import { createInterface } from 'node:readline/promises';
import { setImmediate as afterReading, setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../core/index.ts';
import { shown } from './screen.ts';
import { usageError, type Context } from './verb.ts';

/** Buffered input arrives at once; no one reads a question in this time. */
const TYPED_AHEAD_MS = 50;
const CTRL_C = '\u0003';

/** Asks before a step that cannot be undone or that sends something. Without a terminal it requires `--yes`. */
export async function confirm({ options }: Context, question: string): Promise<boolean> {
  if (options['yes']) return true;
  if (!process.stdin.isTTY) throw usageError(`confirmation needed: ${question}`, 'Run it again with --yes.');
  return yesOrNo(`${question} `, false);
}

/** Asks again until the answer is yes or no; Enter alone is `otherwise`. Ctrl-C and a closed terminal end the verb. */
export async function yesOrNo(prompt: string, otherwise: boolean): Promise<boolean> {
  const question = `${prompt}${otherwise ? '[Y/n]' : '[y/N]'} `;
  await dropTypedAhead(process.stdin);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  asking.on('SIGINT', () => gone.abort());
  asking.on('close', () => gone.abort());
  try {
    for (;;) {
      const answer = (await asking.question(shown(question), { signal: gone.signal })).trim().toLowerCase();
      if (answer === '') return otherwise;
      if (/^y(?:es)?$/.test(answer)) return true;
      if (/^no?$/.test(answer)) return false;
    }
  } catch {
    process.stderr.write('\n');
    throw new TidemarkError('cancelled', 'stopped; the steps done so far are kept', {
      hint: 'Run it again to continue.',
    });
  } finally {
    asking.close();
  }
}

/** Drops input typed during a slow step, so that an impatient Enter does not confirm the next question. */
async function dropTypedAhead(input: typeof process.stdin): Promise<void> {
  if (!input.isTTY) return;
  const drop = (typed: Buffer): void => {
    if (typed.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
  };
  input.setRawMode(true); // otherwise a line without Enter would become part of the answer
  input.on('data', drop);
  await delay(TYPED_AHEAD_MS);
  await afterReading(); // a process that did not run in that time has read nothing yet
  input.off('data', drop).pause();
  input.setRawMode(false);
}
