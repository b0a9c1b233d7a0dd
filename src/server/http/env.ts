/** What a request carries on its way through the app. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { KeyHolder } from '../store/index.ts';

export interface ServerEnv {
  /** The raw request and answer of Node: for what the web's `Request` forbids, like a GET with a body. */
  readonly Bindings: HttpBindings;
  readonly Variables: { holder?: KeyHolder; requestId: string };
}

/** Who asks, for limits. Behind a proxy it is what the proxy added last: what stands before, anybody can write. */
export function addressOfClient(c: Context<ServerEnv>, behindProxy: boolean): string {
  const forwarded = behindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined;
  return forwarded || (c.env.incoming.socket.remoteAddress ?? 'unknown');
}
