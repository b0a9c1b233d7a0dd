/** The hub of a team, under `/hub/` on its server: the same page as on a machine, for members who log in. */
import * as v from 'valibot';
import { TidemarkError } from '../../core/index.ts';
import { bodyOf, hubApi, hubApp, isLoopbackHost, type Assets } from '../../http/index.ts';
import { errorFacts, failureOf, type Mount, type ServerEnv } from '../http/index.ts';
import { TeamLive } from './live.ts';
import { teamStore } from './store.ts';
import { TeamVisits } from './visits.ts';

const BASE = '/hub';
const PUBLIC_FILES = new Set(['/login.js', '/locked.css', '/tidemark.svg']);
const LoginBody = v.strictObject({ key: v.pipe(v.string(), v.trim(), v.maxLength(200)) });
const LOCKED = new TidemarkError('unauthorized', 'this browser is not signed in', {
  hint: 'Log in again.',
});

/** `assets`: the built page, read for this base path (`readAssets(folder, '/hub')`). */
export function teamHub(assets: Assets): Mount {
  return ({ app, store, guard, metrics, log, scheme, isLoopback, leaving, isTrial, now }) => {
    const failed = (error: unknown): void => log('error', 'hub', errorFacts(error));
    const live: TeamLive = new TeamLive({ store, failed, isVisitor: (cookie) => visits.isVisitor(cookie) });
    const visits = new TeamVisits({ store, guard, now, onLeave: () => live.checkVisits() });
    leaving.addEventListener('abort', () => live.close(), { once: true });
    metrics.gauge(
      'tidemark_hub_listeners',
      'Pages of the hub that listen for live events.',
      () => live.listeners,
    );
    const hub = hubApp<ServerEnv>({
      base: BASE,
      assets,
      lockedPage: '/login.html',
      publicFiles: PUBLIC_FILES,
      address: (c) => {
        const port = c.env.incoming.socket.localPort ?? 0;
        return {
          scheme,
          // A public server does not know its own names: TLS binds them to the certificate, and cookies to their name.
          isOwnHost: (host) => !isLoopback || isLoopbackHost(host, port) || host === `[::1]:${port}`,
        };
      },
      // Browsers send a cookie to every port of a machine; servers behind one proxy must share the name.
      cookieName: (c) =>
        scheme === 'https'
          ? '__Secure-tidemark-team'
          : `tidemark-team-${c.env.incoming.socket.localPort ?? 0}`,
      visits,
      logins: (routes, signIn) =>
        routes.post('/login', async (c) => {
          const { key } = await bodyOf(c, LoginBody);
          signIn(c, await visits.login(key, c));
          return c.json({});
        }),
      api: hubApi<ServerEnv>({
        storeFor: (c) => {
          const { holder } = c.var;
          if (!holder) throw new Error('an API request without a visit');
          return teamStore({ store, isTrial, now }, holder);
        },
        errorAnswer: failureOf,
      }),
      events: async (c, lastEventId, cookie) => {
        const { holder } = c.var;
        return holder && live.open(holder, cookie, lastEventId);
      },
      locked: () => failureOf(LOCKED),
      failed: (error, c) => {
        const { status, body, retryAfter } = failureOf(error);
        if (status >= 500) log('error', 'failed', { request: c.var.requestId, status, ...errorFacts(error) });
        if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
        return c.json(body, status);
      },
    });
    app.route(BASE, hub);
  };
}
