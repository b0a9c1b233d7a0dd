/** Checks that a team server runs at an address, before any key is sent there. */
import * as v from 'valibot';
import { TidemarkError } from '../../core/index.ts';
import { unreachable } from './_unreachable.ts';
import { Health } from './wire-team.ts';

const TIMEOUT_MS = 10_000;

/** `server`: as returned by `checkedServer`. Throws if nothing answers, or if it is not a team server. */
export async function greet(
  server: string,
  signal: AbortSignal,
): Promise<{ readonly server: string; readonly version: string; readonly isTrial: boolean }> {
  let text: string;
  try {
    const response = await fetch(`${server}/healthz`, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    text = await response.text();
    if (response.status >= 500)
      throw new TidemarkError('team.away', `${server} answers ${response.status}`, {
        hint: 'A proxy answers, but the team server behind it does not. Try again later, or ask its operator.',
      });
  } catch (cause) {
    if (cause instanceof TidemarkError) throw cause;
    throw unreachable(server, cause, 'Check the address and that the server is running.');
  }
  const health = v.safeParse(v.pipe(v.string(), v.parseJson(), Health), text);
  if (health.success) {
    const { version, trial = false } = health.output;
    return { server, version, isTrial: trial };
  }
  throw new TidemarkError('team.not-one', `the server at ${server} is not a Tidemark team server`, {
    hint: 'Use the address of "tidemark server" without a path, unless its proxy adds one: https://memory.example.com',
  });
}
