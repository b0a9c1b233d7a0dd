/** The hub of this machine: loopback only, for who was handed a link by the daemon. */
import type { Hono } from 'hono';
import type { BlankEnv } from 'hono/types';
import { hubApp, isLoopbackHost, type Assets, type Feed } from '../http/index.ts';
import { api, type ApiParts } from './_api.ts';
import { LOCKED, errorAnswer } from './_errors.ts';
import type { Keys } from './_keys.ts';

export interface Parts extends ApiParts {
  readonly assets: Assets;
  readonly feed: Feed;
  readonly keys: Keys;
  readonly port: () => number;
  readonly onError: (error: unknown) => void;
}

const FOR_ANYONE = new Set(['/locked.css', '/tidemark.svg']);

export function localHub({ call, imports, assets, feed, keys, port, onError }: Parts): Hono {
  return hubApp<BlankEnv>({
    base: '',
    assets,
    outside: '/locked.html',
    forAnyone: FOR_ANYONE,
    standpoint: () => ({ scheme: 'http', isOwnHost: (host) => isLoopbackHost(host, port()) }),
    // A cookie goes to every port of a machine: two hubs must not overwrite each other's.
    cookieName: () => `tidemark-${port()}`,
    visits: {
      enter: (key) => keys.enter(key),
      isVisitor: (cookie) => keys.isVisitor(cookie),
      claimPage: (cookie) => keys.claimPage(cookie),
      isPage: (cookie, key) => keys.isPage(cookie, key),
      leave: (cookie) => {
        keys.leave(cookie);
        feed.dismiss();
      },
    },
    api: api({ call, imports }),
    events: (_c, lastEventId, cookie) => feed.open(lastEventId, () => keys.isVisitor(cookie)),
    locked: () => errorAnswer(LOCKED),
    failed: (error, c) => {
      const { status, body } = errorAnswer(error);
      if (status === 500) onError(error);
      return c.json(body, status);
    },
  });
}
