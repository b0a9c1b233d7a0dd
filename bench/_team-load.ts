/**
 * The clients of the server benchmark: members who search, push, pull and read without a pause, each with a connection of
 * its own, spread over the servers. Counts answers and errors; keeps no text.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { PullAnswer, SearchAnswer } from '../src/exchange/sync/index.ts';
import { entryOfMemory, put } from '../test/support/team.ts';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';
import { TeamClient } from './_team-client.ts';
import { SEED, type Member } from './_team-database.ts';

export type Deed = 'search' | 'search one project' | 'pull' | 'push' | 'read';

/** The mix of ten requests of a client. */
export const MIX: readonly Deed[] = [
  'search',
  'pull',
  'search',
  'push',
  'read',
  'search',
  'pull',
  'push',
  'search',
  'pull',
];

export interface Times {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface Outcome {
  readonly clients: number;
  readonly seconds: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly times: Readonly<Partial<Record<Deed, Times>>>;
  /** By request and status. */
  readonly errors: Readonly<Record<string, number>>;
  /** Refused while a server or the database was down, and sent again. */
  readonly whileAway: Readonly<Record<string, number>>;
  readonly pushedEntries: number;
  /** Requests and pushed entries of the first part, which is not counted. */
  readonly warmed: number;
  readonly warmedEntries: number;
}

type Counts = Omit<Outcome, 'warmed' | 'warmedEntries'>;

export interface Load {
  readonly members: readonly Member[];
  /** One client, which is another member with each request. */
  readonly alone?: boolean;
  readonly mix: readonly Deed[];
  readonly seconds: number;
  /** Sends a request that failed again, until it is answered. */
  readonly isAway?: () => boolean;
}

const QUERY_WORDS = 8;
const PER_PUSH = 5;
const PULLED = 100;
/** Ids of pushed entries follow those of the largest team, and their times are before today. */
const FIRST_PUSHED = 1_200_000;
const AGAIN_MS = 250;
/** Some minutes; no restart takes that long. */
const MOST_TRIES = 1000;
const WARM_SHARE = 0.15;

export class TeamLoad {
  readonly #clients: readonly TeamClient[];
  /** The project of each team that its clients push to. */
  readonly #projects: ReadonlyMap<string, string>;
  readonly #synthetic = new Synthetic(SEED + 1);
  /** Ids of entries that were acknowledged, by team. */
  readonly acknowledged = new Map<string, Set<string>>();
  #entries = FIRST_PUSHED;
  #requests = 0;

  constructor(urls: readonly string[], projects: ReadonlyMap<string, string>) {
    this.#clients = urls.map((url) => new TeamClient(url));
    this.#projects = projects;
  }

  /** Runs the clients; the first part of the time, in which plans and caches are made, is not counted. */
  async run(load: Load): Promise<Outcome> {
    const warm = load.isAway
      ? undefined
      : await this.#measured({ ...load, seconds: load.seconds * WARM_SHARE });
    const counted = await this.#measured(load);
    return { ...counted, warmed: warm?.requests ?? 0, warmedEntries: warm?.pushedEntries ?? 0 };
  }

  /** Returns the project that the clients of a team push to. */
  projectOf(team: string): string | undefined {
    return this.#projects.get(team);
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  async #measured(load: Load): Promise<Counts> {
    const counted = new Counted();
    const began = performance.now();
    const clients = load.alone ? 1 : load.members.length;
    await Promise.all(Array.from({ length: clients }, (_, i) => this.#work(i, load, counted)));
    return counted.outcome(clients, (performance.now() - began) / 1000);
  }

  async #work(number: number, load: Load, counted: Counted): Promise<void> {
    const client = this.#clients[number % this.#clients.length];
    const end = performance.now() + load.seconds * 1000;
    const state: State = { after: 0, found: undefined };
    for (let n = number; performance.now() < end; n++) {
      const deed = load.mix[n % load.mix.length] ?? 'search';
      const member = load.members[(load.alone ? n : number) % load.members.length];
      if (!member) return;
      const began = performance.now();
      let tries = 0;
      const ask = async <T>(method: string, path: string, body?: unknown): Promise<T | undefined> => {
        for (; tries < MOST_TRIES; await pause(AGAIN_MS)) {
          tries++;
          const { answer, failure } = await asked<T>(client, member.key, method, path, body);
          if (failure === undefined) return answer;
          counted.failed(`${deed} ${failure}`, load.isAway?.() ?? false);
          if (!load.isAway) return undefined;
        }
        throw new Error(`${method} ${path}: never answered`);
      };
      const answered = await this.#do(deed, member, state, counted, ask);
      // The time of a repeated request says only how long the server was down.
      if (answered && tries === 1) counted.took(deed, performance.now() - began);
    }
  }

  /** @returns whether it was answered */
  async #do(deed: Deed, member: Member, state: State, counted: Counted, ask: Ask): Promise<boolean> {
    const { caller, projects } = member.team;
    const shared = this.#projects.get(caller.team) ?? projects[0];
    const changesAt = `/v1/projects/${shared}/changes`;
    switch (deed) {
      case 'search':
      case 'search one project': {
        const query = this.#synthetic.text(QUERY_WORDS);
        const project = deed === 'search' ? {} : { project: projects[this.#requests++ % projects.length] };
        const found = await ask<SearchAnswer>('POST', '/v1/search', { query, limit: 10, ...project });
        state.found = found?.hits[0]?.memory.id ?? state.found;
        return found !== undefined;
      }
      case 'pull': {
        const path = `${changesAt}?after=${state.after}&limit=${PULLED}`;
        const pulled = await ask<PullAnswer>('GET', path);
        state.after = pulled?.next ?? state.after;
        return pulled !== undefined;
      }
      case 'push': {
        const entries = Array.from({ length: PER_PUSH }, () =>
          entryOfMemory(this.#synthetic.memory(this.#entries++).memory),
        );
        const idempotencyKey = `load ${entries[0]?.id} ${entries.length}`;
        const answer = await ask('POST', changesAt, { changes: entries.map(put), idempotencyKey });
        if (answer === undefined) return false;
        counted.pushed += entries.length;
        const known = this.acknowledged.get(caller.team) ?? new Set();
        this.acknowledged.set(caller.team, known);
        for (const { id } of entries) known.add(id);
        return true;
      }
      case 'read':
        return (await ask('GET', state.found ? `/v1/memories/${state.found}` : '/v1/me')) !== undefined;
    }
  }
}

interface State {
  after: number;
  found: string | undefined;
}

type Ask = <T>(method: string, path: string, body?: unknown) => Promise<T | undefined>;

async function asked<T>(
  client: TeamClient | undefined,
  key: string,
  method: string,
  path: string,
  body: unknown,
): Promise<{ readonly answer?: T; readonly failure?: string }> {
  try {
    const answer = await client?.ask<T>(key, method, path, body);
    if (answer && answer.status < 300) return { answer: answer.body };
    return { failure: String(answer?.status) };
  } catch (error) {
    return { failure: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
  }
}

class Counted {
  readonly #times = new Map<Deed, number[]>();
  readonly #errors = new Map<string, number>();
  readonly #whileAway = new Map<string, number>();
  pushed = 0;

  took(deed: Deed, ms: number): void {
    const times = this.#times.get(deed) ?? [];
    this.#times.set(deed, times);
    times.push(ms);
  }

  failed(what: string, isAway: boolean): void {
    const counts = isAway ? this.#whileAway : this.#errors;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  outcome(clients: number, seconds: number): Counts {
    const times = Object.fromEntries([...this.#times].map(([deed, all]) => [deed, timesOf(all)]));
    const requests = [...this.#times.values()].reduce((sum, all) => sum + all.length, 0);
    return {
      clients,
      seconds,
      requests,
      perSecond: requests / seconds,
      times,
      errors: Object.fromEntries(this.#errors),
      whileAway: Object.fromEntries(this.#whileAway),
      pushedEntries: this.pushed,
    };
  }
}

function timesOf(all: readonly number[]): Times {
  const sorted = all.toSorted((a, b) => a - b);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => percentile(sorted, q)) as [number, number, number];
  return { n: sorted.length, p50, p95, p99 };
}
