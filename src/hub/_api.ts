/** The hub's API: each route parses what is asked, makes a call of the daemon, and hands its answer on as JSON. */
import { Hono, type Context } from 'hono';
import { claudeConfigDir } from '../agents/index.ts';
import { given, VERSION } from '../core/index.ts';
import type { DaemonCall, DaemonStatus, HubReads, SettingRow } from '../daemon/index.ts';
import {
  bodyOf,
  clip,
  cursorText,
  FOUND_ROWS,
  IdInput,
  ImportBody,
  KeyInput,
  LISTED_TEXT,
  MemoriesInput,
  NameInput,
  NothingBody,
  PAGE_ROWS,
  paramsOf,
  queryOf,
  questionOf,
  ReviewBody,
  SearchInput,
  SessionsInput,
  SettingBody,
  WHOLE_TEXT,
  ZoneInput,
  type CaptureHealth,
  type Routes,
  type Settings,
} from '../http/index.ts';
import type { Imports } from './_imports.ts';
import { memoryChanges } from './_memory-changes.ts';

export interface ApiParts {
  readonly call: DaemonCall;
  readonly imports: Imports;
}

export function api({ call, imports }: ApiParts): Hono {
  const routes = new Hono();
  // Where past sessions lie is not the page's to say.
  const configDir = claudeConfigDir(process.env);
  const read = <K extends keyof HubReads>(method: K, args: Parameters<HubReads[K]>[0] | object) =>
    call(method, args) as Promise<Awaited<ReturnType<HubReads[K]>>>; // the reader answers with what it is typed as

  routes.get('/here', (c) => reply<'GET /here'>(c, { kind: 'machine', version: VERSION }));
  routes.get('/overview', async (c) => {
    const [{ paused, captures, inReview, ...counted }, status] = await Promise.all([
      read('read.overview', queryOf(c, ZoneInput)),
      call('status', {}) as Promise<DaemonStatus>,
    ]);
    const health = healthOf(status, { paused, captures, inReview });
    return reply<'GET /overview'>(c, { ...counted, health });
  });

  routes.get('/projects', async (c) =>
    reply<'GET /projects'>(c, clip(await read('read.cards', {}), LISTED_TEXT)),
  );
  routes.get('/projects/:id', async (c) => {
    const { page, ...detail } = await read('read.project', paramsOf(c, NameInput));
    return reply<'GET /projects/:id'>(c, { ...clip(detail, LISTED_TEXT), page: clip(page, WHOLE_TEXT) });
  });

  routes.get('/memories', async (c) => {
    const { before, limit = PAGE_ROWS, ...where } = queryOf(c, MemoriesInput);
    const { next, ...page } = await read('read.page', {
      ...where,
      limit,
      ...(before ? { after: before } : {}),
    });
    return reply<'GET /memories'>(c, { ...clip(page, LISTED_TEXT), next: cursorText(next) });
  });
  routes.get('/memories/:id', async (c) =>
    reply<'GET /memories/:id'>(c, clip(await read('read.memory', paramsOf(c, IdInput)), WHOLE_TEXT)),
  );
  routes.get('/memories/:id/transcript', async (c) => {
    const found = await call('read.transcript', paramsOf(c, IdInput));
    return c.json(clip(found as Routes['GET /memories/:id/transcript']['answer'], WHOLE_TEXT));
  });
  routes.route('/memories', memoryChanges(call));

  routes.get('/search', async (c) => {
    const { limit = FOUND_ROWS, ...asked } = queryOf(c, SearchInput);
    const found = await read('read.found', { query: questionOf(asked), limit });
    return reply<'GET /search'>(c, clip(found, LISTED_TEXT));
  });

  routes.get('/sessions', async (c) => {
    const { before, limit = PAGE_ROWS, ...where } = queryOf(c, SessionsInput);
    const asked = { ...where, limit, ...(before ? { after: before } : {}) };
    const { next, ...page } = await read('read.sessionPage', asked);
    return reply<'GET /sessions'>(c, { ...clip(page, LISTED_TEXT), next: cursorText(next) });
  });
  routes.get('/sessions/:id', async (c) =>
    reply<'GET /sessions/:id'>(c, clip(await read('read.session', paramsOf(c, NameInput)), LISTED_TEXT)),
  );

  routes.get('/review', async (c) =>
    reply<'GET /review'>(c, clip(await read('read.inbox', {}), LISTED_TEXT)),
  );
  routes.post('/review/:id', async (c) => {
    const { id } = paramsOf(c, IdInput);
    const said = await bodyOf(c, ReviewBody);
    const patch = said.verdict === 'edit' ? { patch: said.patch } : {};
    await call('review', { ids: [id], approved: said.verdict !== 'drop', ...patch });
    return reply<'POST /review/:id'>(c, clip(await read('read.inbox', {}), LISTED_TEXT));
  });

  routes.get('/settings', async (c) => reply<'GET /settings'>(c, (await call('settings', {})) as Settings));
  routes.put('/settings/:key', async (c) => {
    const change = { ...paramsOf(c, KeyInput), ...(await bodyOf(c, SettingBody)) };
    return reply<'PUT /settings/:key'>(c, (await call('settings.set', change)) as SettingRow);
  });

  routes.get('/import', (c) => reply<'GET /import'>(c, imports.state));
  routes.get('/import/sources', async (c) =>
    reply<'GET /import/sources'>(c, await read('read.sources', { configDir })),
  );
  routes.post('/import/history', async (c) => {
    const wanted = await bodyOf(c, ImportBody);
    return reply<'POST /import/history'>(c, imports.start({ ...wanted, configDir }));
  });
  routes.post('/import/cancel', async (c) => {
    await bodyOf(c, NothingBody);
    return reply<'POST /import/cancel'>(c, imports.cancel());
  });

  routes.get('/team', async (c) => {
    const view = (await call('read.team', {})) as Routes['GET /team']['answer']; // the ledger checks what gave way
    return reply<'GET /team'>(c, clip(view, LISTED_TEXT));
  });
  return routes;
}

function reply<K extends keyof Routes>(c: Context, answer: Routes[K]['answer']): Response {
  return c.json(answer as object);
}

function healthOf(
  { version, startedAt, busy, lastEvent, spool, setAside, config }: DaemonStatus,
  { paused, captures, inReview }: Pick<CaptureHealth, 'paused' | 'inReview'> & { readonly captures: boolean },
): CaptureHealth {
  const everywhere = paused.some(({ scope }) => scope === 'everywhere');
  return {
    state: !captures ? 'off' : everywhere ? 'paused' : 'capturing',
    paused,
    version,
    daemonSince: startedAt,
    busy,
    lastHook: lastEvent,
    spoolBacklog: spool.depth,
    ...given({ oldestWaiting: spool.oldest }),
    setAside,
    configProblems: config,
    inReview,
  };
}
