/** Questions to the daemon. The cookie goes along by itself; the page's own key stays in this origin's storage. */
import type { MemoryList, SessionList } from '../src/hub/index.ts';
import type { Memory, Project, StoredTurn } from '../src/model/index.ts';

export interface Stats {
  readonly memories: number;
  readonly turns: number;
  readonly sessions: number;
  readonly projects: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly byProject: Readonly<Record<string, number>>;
  /** Memories by day (`2026-11-13`). */
  readonly byDay?: Readonly<Record<string, number>>;
}

export interface ListedProject extends Project {
  readonly memories: number;
  readonly lastAt: string | null;
}

export interface Entry {
  readonly memory: Memory;
  readonly journal?: string;
  readonly line?: number;
  readonly tokens: number;
}

export interface Hit {
  readonly memory: Memory;
  readonly score: number;
  readonly covered: readonly string[];
  readonly cost: number;
}

export interface Found {
  readonly query: { readonly text: string; readonly problems?: readonly string[] };
  readonly hits: readonly Hit[];
}

export interface Conversation {
  readonly turn: StoredTurn;
}

/** What distilling with a model took. */
export interface Spent {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

export interface Cost {
  readonly total: Spent;
  /** By day, newest first; `key` is the day. */
  readonly rows: readonly (Spent & { readonly key: string })[];
}

export interface Status {
  readonly version: string;
}

/** What each address answers with. */
export interface Answers {
  readonly stats: Stats;
  readonly status: Status;
  readonly cost: Cost;
  readonly projects: readonly ListedProject[];
  readonly memories: MemoryList;
  readonly sessions: SessionList;
  readonly search: Found;
  readonly entry: Entry;
  readonly conversation: Conversation;
}

export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const STORED_KEY = 'tidemark-page';
const TIMEOUT_MS = 30_000;
const GONE = new ApiError(
  'gone',
  'The daemon does not answer.',
  'Run `tidemark hub` to start it and get a fresh link.',
);
const LOCKED = new ApiError(
  'locked',
  'This browser has not been let in.',
  'Run `tidemark hub` for a fresh link.',
);

/** `get<'memories'>('/memories?limit=30', signal)` */
export async function get<K extends keyof Answers>(path: string, signal: AbortSignal): Promise<Answers[K]> {
  const used = storedKey();
  const first = used === null ? undefined : await ask(path, used, signal);
  if (first && first.status !== 401) return answerOf<K>(first);
  // No key, or one of a visit that is over: this may be a new visit whose key is still to be had.
  const key = await newKey(used);
  return answerOf<K>(await ask(path, key, signal));
}

/** Ends this visit, here and in the daemon. */
export async function leave(): Promise<void> {
  await send('/leave', { method: 'POST' });
  localStorage.removeItem(STORED_KEY);
}

async function answerOf<K extends keyof Answers>(response: Response): Promise<Answers[K]> {
  if (response.status === 401) throw LOCKED;
  const body = (await response.json()) as { error?: { code: string; message: string; hint?: string } };
  if (body.error) throw new ApiError(body.error.code, body.error.message, body.error.hint);
  // The daemon of this page's own version made it.
  return body as unknown as Answers[K];
}

let asking: Promise<string> | undefined;

/** One for all questions that wait for it: the daemon gives it once. */
function newKey(old: string | null): Promise<string> {
  const known = storedKey();
  if (known !== null && known !== old) return Promise.resolve(known);
  asking ??= claimKey().finally(() => (asking = undefined));
  return asking;
}

async function claimKey(): Promise<string> {
  const before = storedKey();
  const response = await send('/api/page-key', { method: 'POST' });
  if (!response.ok) {
    const other = storedKey();
    if (other !== null && other !== before) return other; // another tab was first
    throw LOCKED;
  }
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(STORED_KEY, key);
  return key;
}

function ask(path: string, key: string, signal: AbortSignal): Promise<Response> {
  return send(`/api${path}`, { headers: { 'tidemark-page': key }, signal });
}

async function send(path: string, { signal, ...options }: RequestInit): Promise<Response> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(path, { ...options, signal: signal ? AbortSignal.any([signal, limit]) : limit });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw GONE;
  }
}

function storedKey(): string | null {
  return localStorage.getItem(STORED_KEY);
}
