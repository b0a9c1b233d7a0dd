/**
 * A team of three with two projects and its hub: Ada owns it, Ben is a member, Rea a reader. `harbour-api` is shared with
 * everyone, `quay-notes` only with Ben. Ada created it. Both wrote half a year of memories.
 */
import { join } from 'node:path';
import { memoryId, MEMORY_KINDS, type MemoryKind } from '../../src/core/index.ts';
import type { SharedProject, WireEntry } from '../../src/exchange/sync/index.ts';
import { readAssets } from '../../src/http/index.ts';
import { teamHub } from '../../src/server/hub/index.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';
import { Api, type Answer, type ApiOptions, type Person } from './_api.ts';

export const PAGE = join(import.meta.dirname, '..', '..', 'plugin', 'dist', 'hub');
const DAY_MS = 24 * 60 * 60_000;

export interface TeamHub {
  readonly api: Api;
  readonly ada: Person;
  readonly ben: Person;
  readonly rea: Person;
  /** Shared with everyone. */
  readonly open: SharedProject;
  /** Not shared with Rea. */
  readonly closed: SharedProject;
}

export interface Visitor {
  readonly cookie: string;
  /** The headers the page sends with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

const THINGS = [
  'The berth booking',
  'The tide table',
  'The invoice',
  'The passkey login',
  'The booking webhook',
  'The price list',
  'The ferry schedule',
  'The crane queue',
  'The customs form',
  'The harbour map',
  'The fuel dock',
];
const SAID: Readonly<Record<MemoryKind, string>> = {
  decision: 'uses an exclusion constraint instead of a lock',
  bugfix: 'no longer counts an hour twice in autumn',
  feature: 'can be exported as a calendar',
  refactor: 'moved out of its controller',
  discovery: 'is read line by line, whatever its size',
  pattern: 'keeps every amount in cents',
  issue: 'fails when a ferry is cancelled twice',
  preference: 'is tested against a real database',
  dead_end: 'gained nothing by a cache in front of it',
};

export async function openTeamHub(database: string, options: ApiOptions = {}): Promise<TeamHub> {
  const api = await Api.open(database, { mounts: [teamHub(readAssets(PAGE, '/hub'))], ...options });
  const ada = await api.team('Harbour', 'Ada');
  const ben = await api.member(ada.team, 'Ben', 'member');
  const rea = await api.member(ada.team, 'Rea', 'reader');
  const open = await projectOf(api, ada, 'harbour-api', 'everyone');
  const closed = await projectOf(api, ada, 'quay-notes', 'nobody');
  await api.ask(ada.key, 'PUT', `/v1/projects/${closed.id}/shares/${ben.id}`, { access: 'write' });
  const now = Date.now();
  await push(api, ada, open, memories(now, 0, 70));
  await push(api, ben, open, memories(now, 70, 100));
  await push(api, ada, closed, [entryOf('The quay is painted cobaltblue', { at: iso(now - DAY_MS) })]);
  return { api, ada, ben, rea, open, closed };
}

export async function push(
  api: Api,
  { key }: Person,
  { id }: SharedProject,
  entries: readonly WireEntry[],
): Promise<void> {
  const changes = { changes: entries.map(put), idempotencyKey: `hub-${Math.random()}` };
  const { status, text } = await api.ask(key, 'POST', `/v1/projects/${id}/changes`, changes);
  if (status !== 200) throw new Error(text);
}

/** Logs in like a browser: exchanges the key for a cookie, and the cookie for the page's key. */
export async function login({ api }: TeamHub, { key }: Person): Promise<Visitor> {
  const answer = await api.ask(undefined, 'POST', '/hub/login', { key }, origin(api));
  if (answer.status !== 200) throw new Error(answer.text);
  return projectPageOf(api, cookieIn(answer));
}

export async function projectPageOf(api: Api, cookie: string): Promise<Visitor> {
  const headers = { cookie, ...origin(api) };
  const { body, status, text } = await api.ask<{ key: string }>(
    undefined,
    'POST',
    '/hub/api/page-key',
    {},
    headers,
  );
  if (status !== 200) throw new Error(text);
  return { cookie, headers: { ...headers, 'tidemark-page': body.key } };
}

export function cookieIn({ headers }: Answer): string {
  const [set = ''] = headers['set-cookie'] ?? [];
  return set.split(';')[0] ?? '';
}

/** The headers with which a browser describes the requesting page. */
export function origin(api: Api): Readonly<Record<string, string>> {
  return { origin: `http://127.0.0.1:${api.port}`, 'sec-fetch-site': 'same-origin' };
}

async function projectOf(api: Api, { key }: Person, name: string, everyone: string): Promise<SharedProject> {
  const wanted = { name, keys: [`git:${name}`], with: everyone };
  return (await api.ask<SharedProject>(key, 'POST', '/v1/projects', wanted)).body;
}

/** Memories of every kind over half a year, more of them recent. */
function memories(now: number, from: number, until: number): readonly WireEntry[] {
  return Array.from({ length: until - from }, (_, n) => {
    const i = from + n;
    const kind = MEMORY_KINDS[i % MEMORY_KINDS.length] ?? 'decision';
    const title = `${THINGS[i % THINGS.length]} ${SAID[kind]}`;
    const at = iso(now - Math.round((i / 100) ** 2 * 170 * DAY_MS) - i * 60_000);
    return entryOf(title, {
      id: memoryId(at, `turn-${i}`, kind, 0),
      kind,
      at,
      body: `${title}. It came up while the winter schedule was planned.`,
      ...(kind === 'decision' ? { reason: 'two bookings at once must not both win' } : {}),
      state: kind === 'issue' ? 'open' : 'current',
      files: [`src/berths/${kind}.ts`],
      by: i < 70 ? 'ada-laptop' : 'ben-desk',
    });
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Opens an event stream of the hub. */
export async function listenTo({ api }: Pick<TeamHub, 'api'>, { headers }: Visitor) {
  const over = new AbortController();
  const response = await fetch(`http://127.0.0.1:${api.port}/hub/api/events`, {
    headers,
    signal: over.signal,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  let said = '';
  const decoder = new TextDecoder();
  const ended = (async () => {
    for await (const piece of response.body ?? [])
      said += decoder.decode(piece as Uint8Array, { stream: true });
  })().catch(() => {});
  await waitFor('the stream to begin', () => said.includes('event: hello'));
  return { text: () => said, ended, stop: () => over.abort() };
}
