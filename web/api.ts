/** Requests to the hub's server: the daemon or a team server. The browser sends the cookie; the page's key is in this origin's storage. */
import type { Changed, ErrorBody, Routes } from '../src/http/index.ts';
import { BASE } from './base.ts';

export type Route = keyof Routes;
export type AnswerOf<R extends Route> = Routes[R]['answer'];
type BodyOf<R extends Route> = Routes[R] extends { readonly body: infer B } ? B : undefined;
type QueryOf<R extends Route> = Routes[R] extends { readonly query: infer Q } ? Q : undefined;

/** The value for `:id`, the query and the body of a request. */
export interface Asked<R extends Route> {
  readonly id?: string;
  readonly query?: QueryOf<R>;
  readonly body?: BodyOf<R>;
}

export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  /** With `conflict`: the current entry. */
  readonly present: Changed | undefined;

  constructor(code: string, message: string, hint?: string, present?: Changed) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.present = present;
  }
}

const STORED_KEY = 'tidemark-page';
const TIMEOUT_MS = 30_000;
/** On a machine the page is in the root. */
const GONE =
  BASE === ''
    ? new ApiError(
        'gone',
        'The daemon does not answer.',
        'Run `tidemark hub` to start it and get a new link.',
      )
    : new ApiError('gone', 'The server does not answer.', 'The page tries again automatically.');
const LOCKED = new ApiError(
  'locked',
  'This browser is not signed in.',
  BASE === ''
    ? 'Run `tidemark hub` for a new link.'
    : 'Load the page again to log in, or run `tidemark hub --team` for a new link.',
);

/** `ask('GET /memories', { query: { limit: '30' } }, signal)` */
export async function ask<R extends Route>(
  route: R,
  asked: Asked<R> = {},
  signal?: AbortSignal,
): Promise<AnswerOf<R>> {
  const [method = 'GET'] = route.split(' ');
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const response = await withKey(pathOf(route, asked), {
    method,
    ...(method === 'GET'
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked.body ?? {}) }),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  return answerOf<R>(response);
}

/** Opens a stream of events, without a timeout. */
export async function listen(path: string, lastId: string, signal: AbortSignal): Promise<Response> {
  const response = await withKey(path, {
    headers: { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
    signal,
  });
  if (response.status === 401) throw LOCKED;
  if (!response.ok || !response.body) throw GONE;
  return response;
}

/** Ends this visit in the browser and on the server. */
export async function leave(): Promise<void> {
  await ask('POST /logout');
  localStorage.removeItem(STORED_KEY);
}

export function pathOf<R extends Route>(route: R, { id = '', query }: Asked<R>): string {
  const [, path = ''] = route.split(' ');
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given as [string, string][]).toString();
  return path.replace(/:\w+/, encodeURIComponent(id)) + (search === '' ? '' : `?${search}`);
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('page', String(error));
}

async function answerOf<R extends Route>(response: Response): Promise<AnswerOf<R>> {
  if (response.status === 401) throw LOCKED;
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Partial<ErrorBody>;
  if (body.error) {
    const { code, message, hint } = body.error;
    throw new ApiError(code, message, hint, body.present);
  }
  // The server has the same version as this page, so the types match.
  return body as unknown as AnswerOf<R>;
}

async function withKey(path: string, init: RequestInit): Promise<Response> {
  const used = storedKey();
  const first = used === null ? undefined : await send(path, used, init);
  if (first && first.status !== 401) return first;
  // There is no key, or its visit has ended: a new visit may still have its key to claim.
  return send(path, await newKey(used), init);
}

let asking: Promise<string> | undefined;

/** Shared by all waiting requests, because the server issues the key once. */
function newKey(old: string | null): Promise<string> {
  const known = storedKey();
  if (known !== null && known !== old) return Promise.resolve(known);
  asking ??= claimKey().finally(() => (asking = undefined));
  return asking;
}

async function claimKey(): Promise<string> {
  const before = storedKey();
  const response = await send('/page-key', '', { method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) {
    const other = storedKey();
    if (other !== null && other !== before) return other; // another tab was first
    throw LOCKED;
  }
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(STORED_KEY, key);
  return key;
}

async function send(path: string, key: string, { headers, ...init }: RequestInit): Promise<Response> {
  try {
    return await fetch(`${BASE}/api${path}`, { ...init, headers: { ...headers, 'tidemark-page': key } });
  } catch (error) {
    // Cancelled by the page, not a lost connection.
    if (init.signal?.aborted && (init.signal.reason as Error | undefined)?.name !== 'TimeoutError')
      throw error;
    throw GONE;
  }
}

function storedKey(): string | null {
  return localStorage.getItem(STORED_KEY);
}
