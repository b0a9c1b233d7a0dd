/** The API of a team's hub: the same questions as on one's own machine, answered from what the member may read. */
import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import { TidemarkError, VERSION } from '../../core/index.ts';
import {
  ChangeBody,
  clip,
  cursorText,
  EditBody,
  FOUND_ROWS,
  IdInput,
  LISTED_TEXT,
  MemoriesInput,
  NameInput,
  PAGE_ROWS,
  paramsOf,
  bodyOf,
  queryOf,
  questionOf,
  SearchInput,
  SupersedeBody,
  WHOLE_TEXT,
  ZoneInput,
  type Changed,
  type ErrorBody,
  type Routes,
} from '../../http/index.ts';
import { requireOwner, requireScope, scopesOfRole } from '../access/index.ts';
import { failureOf, type ServerEnv } from '../http/index.ts';
import type { KeyHolder, TeamStore, Work } from '../store/index.ts';
import { edit, forget, present, settle, supersede } from './changes.ts';
import { Counted } from './counted.ts';
import { memoryDetail } from './memory-detail.ts';
import { cards, found, memoryPage, overview, projectDetail } from './reads.ts';
import { auditList, members } from './team.ts';

export interface ApiParts {
  readonly store: TeamStore;
  readonly now: () => Date;
}

const AuditInput = v.object({ before: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/))) });

export function api({ store, now }: ApiParts): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  const counted = new Counted();
  const read = <T>(c: Context<ServerEnv>, work: (work: Work) => Promise<T>): Promise<T> =>
    store.transaction(callerOf(c), work, { readOnly: true });

  routes.get('/here', (c) => {
    const { team, member, key } = holderOf(c);
    const mayWrite = key.scopes.includes('write') && scopesOfRole(member.role).includes('write');
    const who = { team: team.name, member, mayWrite };
    return reply<'GET /here'>(c, { kind: 'team', version: VERSION, ...who });
  });
  routes.get('/overview', async (c) => {
    const { zone } = queryOf(c, ZoneInput);
    return reply<'GET /overview'>(c, await read(c, (work) => overview(work, counted, zone, now())));
  });
  routes.get('/projects', async (c) =>
    reply<'GET /projects'>(c, clip(await read(c, (work) => cards(work, counted)), LISTED_TEXT)),
  );
  routes.get('/projects/:id', async (c) => {
    const { id } = paramsOf(c, NameInput);
    return reply<'GET /projects/:id'>(
      c,
      clip(await read(c, (work) => projectDetail(work, counted, id)), LISTED_TEXT),
    );
  });
  routes.get('/memories', async (c) => {
    const { before, limit = PAGE_ROWS, ...where } = queryOf(c, MemoriesInput);
    const { next, ...page } = await read(c, (work) =>
      memoryPage(work, counted, where, { limit, after: before }),
    );
    return reply<'GET /memories'>(c, { ...clip(page, LISTED_TEXT), next: cursorText(next) });
  });
  routes.get('/memories/:id', async (c) => {
    const { id } = paramsOf(c, IdInput);
    const holder = holderOf(c);
    return reply<'GET /memories/:id'>(
      c,
      clip(await read(c, (work) => memoryDetail(work, holder, id)), WHOLE_TEXT),
    );
  });
  routes.get('/search', async (c) => {
    const { limit = FOUND_ROWS, ...asked } = queryOf(c, SearchInput);
    const options = { limit, mode: store.vectors, now: now() };
    const answer = await read(c, (work) => found(work, questionOf(asked), options));
    return reply<'GET /search'>(c, clip(answer, LISTED_TEXT));
  });
  routes.get('/members', async (c) => {
    const { team } = holderOf(c);
    return reply<'GET /members'>(c, await read(c, (work) => members(work, team.name)));
  });
  routes.get('/audit', async (c) => {
    requireScope(holderOf(c), 'admin');
    requireOwner(holderOf(c));
    const { before } = queryOf(c, AuditInput);
    return reply<'GET /audit'>(c, clip(await read(c, (work) => auditList(work, before)), LISTED_TEXT));
  });

  /** Where the entry changed meanwhile, it comes along with the error as it is now. */
  const change = <T extends v.GenericSchema>(
    path: string,
    schema: T,
    make: (work: Work, holder: KeyHolder, id: string, body: v.InferOutput<T>) => Promise<unknown>,
  ): void => {
    routes.post(`/memories/:id/${path}`, async (c) => {
      const { id } = paramsOf(c, IdInput);
      const holder = holderOf(c);
      requireScope(holder, 'write');
      const body = await bodyOf(c, schema);
      try {
        return c.json(
          (await store.transaction(callerOf(c), (work) => make(work, holder, id, body))) as object,
        );
      } catch (error) {
        if (!(error instanceof TidemarkError) || error.code !== 'conflict') throw error;
        const { status, body: told } = failureOf(error);
        const now: Changed = await read(c, (work) => present(work, id));
        return c.json({ ...told, present: now } satisfies ErrorBody, status);
      }
    });
  };
  change('edit', EditBody, (work, holder, id, body) => edit(work, holder, { id, ...body }, now()));
  change('resolve', ChangeBody, (work, holder, id, body) =>
    settle(work, holder, { id, done: true, ...body }, now()),
  );
  change('reopen', ChangeBody, (work, holder, id, body) =>
    settle(work, holder, { id, done: false, ...body }, now()),
  );
  change('supersede', SupersedeBody, (work, holder, id, body) =>
    supersede(work, holder, { id, ...body }, now()),
  );
  change('forget', ChangeBody, (work, holder, id, body) => forget(work, holder, { id, ...body }, now()));
  return routes;
}

function reply<K extends keyof Routes>(c: Context, answer: Routes[K]['answer']): Response {
  return c.json(answer as object);
}

function holderOf(c: Context<ServerEnv>): KeyHolder {
  const { holder } = c.var;
  if (!holder) throw new Error('a question without a visit');
  return holder;
}

function callerOf(c: Context<ServerEnv>): { readonly team: string; readonly member: string } {
  const { team, member } = holderOf(c);
  return { team: team.id, member: member.id };
}
