/** The hub of a team, under `/hub/` on its server: the same page as on one's own machine, for members who log in. */
import * as v from 'valibot';
import { TidemarkError } from '../../core/index.ts';
import { bodyOf, hubApp, isLoopbackHost, type Assets } from '../../http/index.ts';
import { errorFacts, failureOf, type Mount, type ServerEnv } from '../http/index.ts';
import { api } from './api.ts';
import { TeamLive } from './live.ts';
import { TeamVisits } from './visits.ts';

const BASE = '/hub';
const FOR_ANYONE = new Set(['/login.js', '/locked.css', '/tidemark.svg']);
const LoginBody = v.strictObject({ key: v.pipe(v.string(), v.trim(), v.maxLength(200)) });
const LOCKED = new TidemarkError('unauthorized', 'this browser has not been let in', {
  hint: 'Log in again.',
});

/** `assets`: the built page, read for this place (`readAssets(folder, '/hub')`). */
export function teamHub(assets: Assets): Mount {
  return ({ app, store, guard, metrics, log, scheme, isLoopback, leaving, now }) => {
    const failed = (error: unknown): void => log('error', 'hub', errorFacts(error));
    const live: TeamLive = new TeamLive({ store, failed, isVisitor: (cookie) => visits.isVisitor(cookie) });
    const visits = new TeamVisits({ store, guard, now, left: () => live.look() });
    leaving.addEventListener('abort', () => live.close(), { once: true });
    metrics.gauge(
      'tidemark_hub_listeners',
      'Pages of the hub that follow what happens.',
      () => live.listeners,
    );
    const hub = hubApp<ServerEnv>({
      base: BASE,
      assets,
      outside: '/login.html',
      forAnyone: FOR_ANYONE,
      standpoint: (c) => {
        const port = c.env.incoming.socket.localPort ?? 0;
        return {
          scheme,
          // Beyond this machine its names are not ours to know: TLS holds them to the certificate, and a cookie to its name.
          isOwnHost: (host) => !isLoopback || isLoopbackHost(host, port) || host === `[::1]:${port}`,
        };
      },
      // A cookie goes to every port of a machine; two servers behind one proxy must know the same.
      cookieName: (c) =>
        scheme === 'https'
          ? '__Secure-tidemark-team'
          : `tidemark-team-${c.env.incoming.socket.localPort ?? 0}`,
      visits,
      doors: (doors, letIn) =>
        doors.post('/login', async (c) => {
          const { key } = await bodyOf(c, LoginBody);
          letIn(c, await visits.login(key, c));
          return c.json({});
        }),
      api: api({ store, now }),
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
