/** The routes of a hub's API: each checks its input, calls one method of the store and sends the answer as JSON. */
import { Hono, type Context, type Env } from 'hono';
import { given, TidemarkError } from '../core/index.ts';
import type { Cursor } from '../database/index.ts';
import { NOT_FOUND, type ErrorAnswer } from './answer.ts';
import { clip } from './clip.ts';
import {
  AuditInput,
  ChangeBody,
  EditBody,
  FOUND_ROWS,
  IdInput,
  ImportBody,
  KeyInput,
  ListInput,
  MemoriesInput,
  MoveBody,
  NameInput,
  NothingBody,
  PAGE_ROWS,
  questionOf,
  ReviewBody,
  SearchInput,
  SessionsInput,
  SettingBody,
  SupersedeBody,
  ZoneInput,
} from './hub-input.ts';
import type { HubStore } from './hub-store.ts';
import { bodyOf, paramsOf, queryOf } from './input.ts';
import type { ErrorBody, Routes } from './wire.ts';

export interface HubApiOptions<E extends Env> {
  readonly storeFor: (c: Context<E>) => HubStore;
  readonly errorAnswer: (error: unknown) => ErrorAnswer;
}

/** Undefined: this hub does not have the route. */
type Answer<K extends keyof Routes> = Promise<Routes[K]['answer'] | undefined>;
type Change = Extract<keyof Routes, `POST /memories/:id/${string}`>;

/** Longest text in a list. */
const LISTED_TEXT = 2000;
/** Longest text on a page of its own: a browser still lays that out at once. */
const FULL_TEXT = 200_000;

export function hubApi<E extends Env>({ storeFor, errorAnswer }: HubApiOptions<E>): Hono<E> {
  const api = new Hono<E>();
  const handle = (route: keyof Routes, handler: (store: HubStore, c: Context<E>) => Promise<Response>) => {
    const [method = '', path = ''] = route.split(' ');
    api.on(method, path, (c) => handler(storeFor(c), c));
  };
  const on = <K extends keyof Routes>(route: K, answer: (store: HubStore, c: Context<E>) => Answer<K>) =>
    handle(route, async (store, c) => jsonOr404(c, await answer(store, c)));
  /** A change that comes too late is answered with the error and the current text. */
  const change = <K extends Change>(
    route: K,
    answer: (store: HubStore, id: string, c: Context<E>) => Answer<K>,
  ) =>
    handle(route, async (store, c) => {
      const { id } = paramsOf(c, IdInput);
      try {
        return jsonOr404(c, await answer(store, id, c));
      } catch (error) {
        if (!(error instanceof TidemarkError) || error.code !== 'conflict') throw error;
        const { status, body } = errorAnswer(error);
        return c.json({ ...body, present: await store.present(id) } satisfies ErrorBody, status);
      }
    });
  const listed = async <T>(answer: Promise<T> | undefined) => clip(await answer, LISTED_TEXT);
  const full = async <T>(answer: Promise<T> | undefined) => clip(await answer, FULL_TEXT);

  on('GET /here', (store) => store.here());
  on('GET /overview', (store, c) => store.overview(queryOf(c, ZoneInput)));
  on('GET /home', (store, c) => listed(store.home(queryOf(c, ZoneInput))));
  on('GET /changes', (store, c) => listed(store.changes?.(queryOf(c, ListInput).limit ?? PAGE_ROWS)));
  on('GET /uses', (store, c) => {
    const { limit = PAGE_ROWS, ...where } = queryOf(c, ListInput);
    return listed(store.uses?.({ ...where, limit }));
  });
  on('GET /projects', (store) => listed(store.projects()));
  on('GET /projects/:id', async (store, c) => {
    const { page, ...detail } = await store.project(paramsOf(c, NameInput).id);
    return { ...clip(detail, LISTED_TEXT), page: clip(page, FULL_TEXT) };
  });

  on('GET /memories', async (store, c) => {
    const { before, limit = PAGE_ROWS, ...where } = queryOf(c, MemoriesInput);
    const { next, ...page } = await store.memories({ ...where, limit, ...given({ after: before }) });
    return { ...clip(page, LISTED_TEXT), next: cursorText(next) };
  });
  on('GET /memories/:id', (store, c) => full(store.memory(paramsOf(c, IdInput).id)));
  on('GET /memories/:id/transcript', (store, c) => full(store.transcript?.(paramsOf(c, IdInput).id)));
  change('POST /memories/:id/edit', async (store, id, c) => store.edit(id, await bodyOf(c, EditBody)));
  change('POST /memories/:id/resolve', async (store, id, c) =>
    store.settle(id, { done: true, ...(await bodyOf(c, ChangeBody)) }),
  );
  change('POST /memories/:id/reopen', async (store, id, c) =>
    store.settle(id, { done: false, ...(await bodyOf(c, ChangeBody)) }),
  );
  change('POST /memories/:id/supersede', async (store, id, c) =>
    store.supersede(id, await bodyOf(c, SupersedeBody)),
  );
  change('POST /memories/:id/move', async (store, id, c) => store.move?.(id, await bodyOf(c, MoveBody)));
  change('POST /memories/:id/forget', async (store, id, c) => store.forget(id, await bodyOf(c, ChangeBody)));
  change('POST /memories/:id/undo-forget', async (store, id, c) => {
    await bodyOf(c, NothingBody);
    return store.undoForget?.(id);
  });

  on('GET /search', (store, c) => {
    const { limit = FOUND_ROWS, ...asked } = queryOf(c, SearchInput);
    return listed(store.search(questionOf(asked), limit));
  });

  on('GET /sessions', async (store, c) => {
    const { before, limit = PAGE_ROWS, ...where } = queryOf(c, SessionsInput);
    const found = await store.sessions?.({ ...where, limit, ...given({ after: before }) });
    return found && { ...clip(found, LISTED_TEXT), next: cursorText(found.next) };
  });
  on('GET /sessions/:id', (store, c) => listed(store.session?.(paramsOf(c, NameInput).id)));

  on('GET /review', (store) => listed(store.inbox?.()));
  on('POST /review/:id', async (store, c) =>
    listed(store.review?.(paramsOf(c, IdInput).id, await bodyOf(c, ReviewBody))),
  );

  on('GET /trash', (store) => listed(store.trash?.()));

  on('GET /settings', async (store) => store.settings?.());
  on('PUT /settings/:key', async (store, c) =>
    store.changeSetting?.(paramsOf(c, KeyInput).key, await bodyOf(c, SettingBody)),
  );

  on('GET /import', async (store) => store.importState?.());
  on('GET /import/sources', async (store) => store.importSources?.());
  on('POST /import/history', async (store, c) => store.startImport?.(await bodyOf(c, ImportBody)));
  on('POST /import/cancel', async (store, c) => {
    await bodyOf(c, NothingBody);
    return store.cancelImport?.();
  });

  on('GET /team', (store) => listed(store.team?.()));
  on('GET /members', async (store) => store.members?.());
  on('GET /audit', (store, c) => listed(store.audit?.(queryOf(c, AuditInput))));
  return api;
}

function jsonOr404(c: Context, answer: unknown): Response {
  if (answer === undefined) return c.json(NOT_FOUND.body, NOT_FOUND.status);
  return c.json(answer as object);
}

/** The text that `before` accepts. */
function cursorText(cursor: Cursor | null): string | null {
  return cursor && `${cursor.at}~${cursor.id}`;
}
