/** The request: its body up to a size limit, also of a GET or without a content length, its caller and its address. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { TidemarkError } from '../../core/index.ts';
import type { Caller, KeyHolder } from '../store/index.ts';
import { networkOf } from './address.ts';

export interface ServerEnv {
  /** Node's own request and response, because the web `Request` has no body for a GET. */
  readonly Bindings: HttpBindings;
  readonly Variables: { holder?: KeyHolder; requestId: string };
}

/** Returns the holder that the guard of the route has set. */
export function holderOf(c: Context<ServerEnv>): KeyHolder {
  const { holder } = c.var;
  if (!holder) throw new Error('the route has no guard');
  return holder;
}

export function callerOf(c: Context<ServerEnv>): Caller {
  const { team, member } = holderOf(c);
  return { team: team.id, member: member.id };
}

/**
 * Returns the client's network, for rate limits. Behind a proxy it is that of the last forwarded address, which the proxy
 * added itself; a client can forge the others.
 */
export function networkOfClient(c: Context<ServerEnv>, behindProxy: boolean): string {
  const forwarded = behindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined;
  return networkOf(forwarded || (c.env.incoming.socket.remoteAddress ?? 'unknown'));
}

export async function readBody(c: Context<ServerEnv>, largest: number): Promise<string> {
  const { incoming } = c.env;
  if (Number(c.req.header('content-length') ?? 0) > largest) throw tooLarge(largest);
  const pieces: Buffer[] = [];
  let size = 0;
  // Do not destroy the stream when reading stops early: the response uses the same connection.
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
