/** Whether a team server is at an address, before any key is sent there. */
import * as v from 'valibot';
import { TidemarkError } from '../../core/index.ts';
import { unreachable } from './_unreachable.ts';
import { Health } from './wire-team.ts';

const TIMEOUT_MS = 10_000;

export interface Greeting {
  readonly server: string;
  readonly version: string;
}

/** `server`: as `checkedServer` gave it. Throws, with the next step, where nobody answers or somebody else does. */
export async function greet(server: string, signal: AbortSignal): Promise<Greeting> {
  let text: string;
  try {
    const response = await fetch(`${server}/healthz`, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    text = await response.text();
    if (response.status >= 500)
      throw new TidemarkError('team.away', `${server} answers ${response.status}`, {
        hint: 'Something stands in front of the team server, and the server behind it does not answer. Try again later, or ask who runs it.',
      });
  } catch (cause) {
    if (cause instanceof TidemarkError) throw cause;
    throw unreachable(server, cause, 'See that the address is right and that the server runs.');
  }
  const health = v.safeParse(v.pipe(v.string(), v.parseJson(), Health), text);
  if (health.success) return { server, version: health.output.version };
  throw new TidemarkError(
    'team.not-one',
    `there is a server at ${server}, but it is no Tidemark team server`,
    {
      hint: 'The address is the one of "tidemark server", with nothing behind it unless its proxy adds a path: https://memory.example.com',
    },
  );
}
