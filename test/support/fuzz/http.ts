/** Fuzz targets: HTTP requests of the hub and of the team server. A bad request is answered with 4xx, never with 5xx. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import * as v from 'valibot';
import { TidemarkError } from '../../../src/core/index.ts';
import { PulledFrame, readPage } from '../../../src/exchange/sync/received.ts';
import { answer, checked, hubApi, jsonOf } from '../../../src/http/index.ts';
import type { HubStore } from '../../../src/http/hub-store.ts';
import { keysOf } from '../../../src/server/evermem/group.ts';
import { listingV0, metaV0, questionV0, receivedV0 } from '../../../src/server/evermem/v0.ts';
import { listingV1, questionV1, receivedV1 } from '../../../src/server/evermem/v1.ts';
import { ROUTES } from '../../../src/server/routes/index.ts';
import type { Random } from '../random.ts';
import type { Target } from './engine.ts';
import { mutated, mutatedJson, scramble } from './mutate.ts';

const ID = '1ja0p3h7k2m9qx';
const UUID = '123e4567-e89b-42d3-a456-426614174000';
const AT = '2026-11-15T10:00:00.000Z';
const ENTRY = {
  id: ID,
  kind: 'decision',
  title: 't',
  body: 'b',
  reason: 'r',
  facts: ['f'],
  concepts: ['c'],
  files: ['a.ts'],
  state: 'current',
  at: AT,
  supersedes: [ID],
  provenance: { agent: 'claude-code', session: 's', turn: 't', messages: ['m'], by: 'local' },
  machine: 'm1',
  version: { clock: 1, machine: 'm1' },
};
const BODIES: readonly unknown[] = [
  { revision: 'abc', patch: { title: 't', body: 'b', facts: ['f'], kind: 'decision' } },
  { revision: 'abc', by: ID },
  { revision: 'abc', project: 'p' },
  { verdict: 'edit', patch: { title: 't' } },
  { verdict: 'keep' },
  { value: ['a', 'b'] },
  { value: 5 },
  { project: 'p', since: '2026-11-01' },
  {},
  { changes: [{ op: 'put', entry: ENTRY }], idempotencyKey: 'key-12345678' },
  {
    changes: [{ op: 'tombstone', id: ID, turn: 't', hash: 'h', version: { clock: 2, machine: 'm1' } }],
    idempotencyKey: 'key-12345678',
  },
  { query: 'tokens', project: UUID, limit: 5, cursor: '5' },
  { name: 'ada', role: 'member' },
  { name: 'key', scopes: ['read'], member: UUID, expiresAt: AT },
  { name: 'app', keys: ['git@x:y'], with: 'everyone' },
  { access: 'read' },
];
const QUERIES: readonly [string, ...string[]] = [
  'project=p&kind=decision,issue&state=open&since=2026-11-01&limit=5&zone=Europe/Berlin',
  `before=${AT}~${ID}&limit=200`,
  'q=tokens%20kind:decision&file=a.ts',
  'after=5&limit=10',
  'mine=true',
  'cursor=abc&limit=3',
];
const PATHS: readonly (readonly [string, string])[] = [
  ['GET', '/memories'],
  ['GET', `/memories/${ID}`],
  ['POST', `/memories/${ID}/edit`],
  ['POST', `/memories/${ID}/resolve`],
  ['POST', `/memories/${ID}/supersede`],
  ['POST', `/memories/${ID}/move`],
  ['POST', `/memories/${ID}/forget`],
  ['POST', `/memories/${ID}/undo-forget`],
  ['GET', '/search'],
  ['GET', '/sessions'],
  ['GET', '/sessions/s1'],
  ['GET', '/projects/p'],
  ['POST', `/review/${ID}`],
  ['PUT', '/settings/capture.ignore'],
  ['POST', '/import/history'],
  ['POST', '/import/cancel'],
  ['GET', '/audit'],
  ['GET', '/overview'],
];

const failures: unknown[] = [];
const hub = new Hono();
/** A store that has every method and answers with an empty page: the target is the parser in front of it. */
const emptyStore = new Proxy({} as HubStore, { get: () => async () => ({ next: null, page: '' }) });
hub.route('/', hubApi({ storeFor: () => emptyStore, errorAnswer: () => answer(500, 'internal', 'x') }));
hub.onError((error, c) => {
  if (error instanceof TidemarkError && error.code === 'invalid') return c.json({}, 400);
  failures.push(error);
  return c.json({}, 500);
});

/** The hub answers any query, path and body with 200 or 4xx. */
export const hubRequests: Target = {
  name: 'hub requests',
  weight: 5,
  make: request,
  check: async (input, random) => {
    const [method, known] = PATHS[random.below(PATHS.length)] ?? ['GET', '/'];
    const { query, body } = partsOf(input);
    const path =
      random.below(5) === 0 ? `${known}/${encodeURIComponent(query.slice(0, 30).toWellFormed())}` : known;
    failures.length = 0;
    const url = `http://localhost${path}?${query.toWellFormed().replaceAll('#', '')}`;
    const response = await hub.request(
      url,
      method === 'GET' ? { method } : { method, body: body.toWellFormed() },
    );
    assert.ok(response.status < 500, `${method} ${path}: ${response.status} ${String(failures[0])}`);
  },
};

/** Every schema of the team server accepts a request or refuses it as invalid. */
export const serverRequests: Target = {
  name: 'server requests',
  weight: 16,
  make: request,
  check: (input, random) => {
    const route = ROUTES[random.below(ROUTES.length)]!;
    const { query, body } = partsOf(input);
    const params = {
      project: query.slice(0, 40),
      member: UUID,
      key: query.slice(0, 20),
      id: query.slice(0, 14),
    };
    for (const [schema, read] of [
      [route.params, () => params],
      [route.query, () => Object.fromEntries(new URLSearchParams(query))],
      [route.body, () => jsonOf(body)],
    ] as const) {
      if (schema) assertInvalidOr(() => checked(schema, read()));
    }
    assert.equal(({} as Record<string, unknown>)['x'], undefined, 'no prototype is changed');
  },
};

/** A page of changes from a team server, which may be hostile: its good rows are taken, the others are listed. */
export const pulledPage: Target = {
  name: 'pulled page',
  weight: 5,
  make: (random) => {
    const author = { id: UUID, name: 'ada' };
    const page = {
      changes: [
        { op: 'put', entry: ENTRY, seq: 1, author },
        { op: 'withdraw', id: ID, version: ENTRY.version, seq: 2, author },
      ],
      next: 2,
      more: false,
      latest: 5,
    };
    return mutatedJson(random, page, (own) => scramble(own, 6));
  },
  check: (input) => {
    const frame = v.safeParse(PulledFrame, JSON.parse(input));
    if (!frame.success) return;
    const { changes, skipped } = readPage(frame.output, 0);
    assert.equal(changes.length + skipped.length, frame.output.changes.length);
    for (const { reason, seq } of skipped) assert.ok(reason.length <= 300 && Number.isSafeInteger(seq));
  },
};

const EVERMEM = readFileSync(join(import.meta.dirname, '../../fixtures/evermem/requests.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { path: string; body: string });
const EVERMEM_BODIES = EVERMEM.map(({ body }) => (body === '' ? {} : (JSON.parse(body) as unknown)));
const NOW = new Date('2026-12-01T00:00:00Z');

/** The requests of EverMem's clients: each parser returns or refuses with a typed error. */
export const evermemRequests: Target = {
  name: 'EverMem requests',
  weight: 3,
  make: (random) => mutatedJson(random, EVERMEM_BODIES[random.below(EVERMEM_BODIES.length)]),
  check: (input) => {
    const value: unknown = JSON.parse(input);
    const query = Object.fromEntries(
      Object.entries(typeof value === 'object' && value !== null ? value : {}).map(([key, one]) => [
        key,
        typeof one === 'string' ? one : JSON.stringify(one),
      ]),
    );
    for (const parse of [
      () => receivedV0(value, NOW),
      () => receivedV1(value, NOW, 'group'),
      () => receivedV1(value, NOW, 'user'),
      () => metaV0(value),
      () => questionV0(value),
      () => questionV1(value),
      () => listingV0(query),
      () => listingV1(value),
      () => keysOf(input.slice(0, 80), UUID),
    ] as (() => unknown)[])
      assertInvalidOr(parse);
  },
};

function assertInvalidOr(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof TidemarkError, `${String(error)}`);
    assert.equal(error.code, 'invalid');
  }
}

/** Returns the query and the body of a request in one text. */
function request(random: Random): string {
  const query =
    random.below(2) === 0 ? random.pick(QUERIES) : mutated(random, random.pick(QUERIES)).slice(0, 300);
  const json = mutatedJson(random, BODIES[random.below(BODIES.length)], (own) => scramble(own, 6));
  return `${query}\n\u241e\n${random.below(4) === 0 ? mutated(random, json) : json}`;
}

function partsOf(input: string): { readonly query: string; readonly body: string } {
  const [query = '', body = ''] = input.split('\n\u241e\n');
  return { query, body };
}

/** A changed request of the team server, for tests that send it to a real one. `project`: an id that exists. */
export function serverRequest(
  random: Random,
  project: string,
): { readonly method: string; readonly path: string; readonly body: string | undefined } {
  const route = ROUTES[random.below(ROUTES.length)]!;
  const { query, body } = partsOf(request(random));
  const valueOf = (name: string): string => {
    if (random.below(8) === 0) return encodeURIComponent(scramble(random, 6).toWellFormed()) || 'x';
    return name === 'project' ? project : name === 'id' ? ID : UUID;
  };
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => valueOf(name));
  const search = query === '' ? '' : `?${encodeURI(query.toWellFormed()).replaceAll('#', '')}`;
  return { method: route.method, path: path + search, body: route.body ? body.toWellFormed() : undefined };
}
