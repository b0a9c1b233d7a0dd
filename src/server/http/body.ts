/** Reads a body from the raw request, up to a limit: also that of a GET, and of one that does not say how long it is. */
import type { Context } from 'hono';
import { TidemarkError } from '../../core/index.ts';
import type { ServerEnv } from './env.ts';

export async function readBody(c: Context<ServerEnv>, largest: number): Promise<string> {
  const { incoming } = c.env;
  if (Number(c.req.header('content-length') ?? 0) > largest) throw tooLarge(largest);
  const pieces: Buffer[] = [];
  let size = 0;
  // Not to be destroyed where reading stops: the answer goes over the same connection.
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(piece as Uint8Array);
    size += bytes.length;
    if (size > largest) throw tooLarge(largest);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function tooLarge(largest: number): TidemarkError {
  return new TidemarkError('too-large', `the body is over ${Math.floor(largest / 1024)} KB`);
}
