/** Measures the hub's API and live stream over HTTP, with the requests that the page sends. */
import { readFileSync } from 'node:fs';
import { request, type ClientRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { MemoryDraft } from '../src/core/index.ts';
import { ask, enter, type Visitor } from '../test/support/hub-client.ts';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';

export interface ApiFigure {
  readonly p50: number;
  readonly p95: number;
  /** CPU time of the daemon per answer; less affected by other load than wall time. */
  readonly cpuMs: number;
  readonly kb: number;
}

export type ApiFigures = Readonly<Record<string, ApiFigure>>;

export interface StreamFigures {
  readonly clients: number;
  readonly listening: number;
  readonly refused: number;
  readonly connectMs: number;
  readonly heardMs: number;
}

const ROUNDS = 30;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;
const CLIENTS = 1000;
const SEED = 20_261_115;
const HEARD_LIMIT_MS = 30_000;

export async function apiFigures(link: string, pid: number): Promise<ApiFigures> {
  const { port, visitor } = await entered(link);
  const get = async (path: string): Promise<string> => {
    const { status, text } = await ask(port, `/api${path}`, { headers: visitor.headers });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return text;
  };
  const { memories, next } = JSON.parse(await get('/memories?limit=200')) as {
    memories: { id: string; project: string }[];
    next: string;
  };
  const [first] = memories;
  const deep = await cursorAt(get, next, 20);
  const synthetic = new Synthetic(SEED);
  const words = Array.from({ length: ROUNDS }, () => synthetic.text(3));
  const cases: Readonly<Record<string, (round: number) => string>> = {
    'first screen': () => '/home',
    overview: () => '/overview',
    projects: () => '/projects',
    'first page of memories': () => '/memories?limit=50',
    'page 21 of 200': () => `/memories?limit=200&before=${encodeURIComponent(deep)}`,
    'first page of a project': () => `/memories?limit=50&project=${first?.project}`,
    'first page of a kind': () => '/memories?limit=50&kind=preference',
    'one memory': (round) => `/memories/${memories[round]?.id}`,
    'search, one word': (round) => `/search?q=${words[round]?.split(' ')[0]}`,
    'search, three words': (round) => `/search?q=${encodeURIComponent(words[round] ?? '')}`,
    sessions: () => '/sessions?limit=50',
  };
  const figures: [string, ApiFigure][] = [];
  for (const [name, path] of Object.entries(cases)) figures.push([name, await timed(get, path, pid)]);
  return Object.fromEntries(figures);
}

/** Opens a thousand live streams at once, then adds one memory. */
export async function streamFigures(
  link: string,
  remember: (draft: MemoryDraft) => Promise<unknown>,
): Promise<StreamFigures> {
  const { port, visitor } = await entered(link);
  const began = performance.now();
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => listener(port, visitor)));
  const connectMs = performance.now() - began;
  const listening = clients.filter(({ status }) => status === 200);
  const told = performance.now();
  await remember({ kind: 'discovery', title: 'A live memory', body: '', facts: [], concepts: [], files: [] });
  while (listening.some((client) => !client.heard()) && performance.now() - told < HEARD_LIMIT_MS)
    await delay(1);
  const heardMs = performance.now() - told;
  for (const { asked } of clients) asked.destroy();
  return {
    clients: CLIENTS,
    listening: listening.length,
    refused: clients.filter(({ status }) => status === 503).length,
    connectMs,
    heardMs,
  };
}

async function timed(
  get: (path: string) => Promise<string>,
  path: (round: number) => string,
  pid: number,
): Promise<ApiFigure> {
  let bytes = (await get(path(0))).length; // the first only warms up
  const times: number[] = [];
  const before = cpuMsOf(pid);
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    bytes = (await get(path(round))).length;
    times.push(performance.now() - began);
  }
  const cpuMs = (cpuMsOf(pid) - before) / ROUNDS;
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), cpuMs, kb: bytes / 1024 };
}

/** Returns user and system time since the process started; 0 where there is no /proc. */
function cpuMsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

async function cursorAt(
  get: (path: string) => Promise<string>,
  from: string,
  pages: number,
): Promise<string> {
  let next = from;
  for (let i = 1; i < pages; i++) {
    const page = JSON.parse(await get(`/memories?limit=200&before=${encodeURIComponent(next)}`)) as {
      next: string | null;
    };
    next = page.next ?? next;
  }
  return next;
}

async function entered(link: string): Promise<{ readonly port: number; readonly visitor: Visitor }> {
  return { port: Number(new URL(link).port), visitor: await enter(link) };
}

interface Client {
  readonly asked: ClientRequest;
  readonly status: number;
  readonly heard: () => boolean;
}

function listener(port: number, { headers }: Visitor): Promise<Client> {
  return new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port, path: '/api/events', headers, agent: false } as const;
    const asked = request(to, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', () => {}); // ended by us
      resolve({ asked, status: response.statusCode ?? 0, heard: () => text.includes('event: memories') });
    });
    asked.on('error', reject).end();
  });
}
