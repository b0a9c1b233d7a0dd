/** A question to a person at the terminal, answered by yes or no. What was typed before it stood there is no answer to it. */
import { createInterface } from 'node:readline/promises';
import { setImmediate as afterReading, setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../core/index.ts';

/** What lies in the terminal's buffer is there at once; a person cannot read a question in this time. */
const TYPED_AHEAD_MS = 50;
const CTRL_C = '\u0003';

/** What is neither is asked again; Ctrl-C and a closed terminal end the verb. */
export async function yesOrNo(prompt: string, otherwise: boolean): Promise<boolean> {
  await dropTypedAhead(process.stdin);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  asking.on('SIGINT', () => gone.abort());
  asking.on('close', () => gone.abort());
  try {
    for (;;) {
      const question = `${prompt}${otherwise ? '[Y/n]' : '[y/N]'} `;
      const answer = (await asking.question(question, { signal: gone.signal })).trim().toLowerCase();
      if (answer === '') return otherwise;
      if (/^y(?:es)?$/.test(answer)) return true;
      if (/^no?$/.test(answer)) return false;
    }
  } catch {
    process.stderr.write('\n');
    throw new TidemarkError('cancelled', 'stopped; what was done so far stays', {
      hint: 'Run it again to go on.',
    });
  } finally {
    asking.close();
  }
}

/** An Enter out of impatience, while a step took its time, must not agree to what is asked next. */
async function dropTypedAhead(input: typeof process.stdin): Promise<void> {
  if (!input.isTTY) return;
  const drop = (typed: Buffer): void => {
    if (typed.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
  };
  input.setRawMode(true); // else what has no Enter yet would stay, and become part of the answer
  input.on('data', drop);
  await delay(TYPED_AHEAD_MS);
  await afterReading(); // a process that got no turn in all that time has read nothing yet
  input.off('data', drop).pause();
  input.setRawMode(false);
}
