/**
 * `npm run bench:server-load [-- --clients 200] [--seconds 120] [--memories 20000] [--teams 10] [--keep DIR --size N]
 * [--calm] [--json]`: many clients search, push and pull without a pause, against the built server on a PostgreSQL that makes
 * every commit durable. The server is killed and PostgreSQL crashes during the run; both restart. Clients retry unanswered
 * requests. Any answer but a success is an error, unless server or database was down. At the end every acknowledged entry
 * must exist.
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { PullAnswer, WireEntry } from '../src/exchange/sync/index.ts';
import {
  addMember,
  createKey,
  ensureProject,
  setShare,
  TeamStore,
  type Caller,
} from '../src/server/store/index.ts';
import type { Postgres } from '../test/support/postgres.ts';
import { startTeamServer, type TeamServer } from '../test/support/team-server.ts';
import { entryOfMemory, put } from '../test/support/team.ts';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';
import { TeamClient, type Answer } from './_team-client.ts';
import { filledDatabase, SEED, withPostgres } from './_team-database.ts';
import type { FilledTeam } from './_team-server.ts';

const PER_PUSH = 5;
const QUERY_WORDS = 6;
/** The mix of ten requests of a client. */
const MIX = ['search', 'search', 'search', 'search', 'pull', 'pull', 'pull', 'push', 'push', 'me'] as const;
type Deed = (typeof MIX)[number];
/** Times at which the server is killed and PostgreSQL crashes, as shares of the run. */
const SERVER_KILLED = 0.35;
const POSTGRES_KILLED = 0.65;
/** A client retries an unanswered request after this long. */
const AGAIN_MS = 250;
/** Some minutes; no restart takes that long. */
const MOST_TRIES = 1000;
/** Grace period after a restart, for requests that were refused just before it. */
const GRACE_MS = 1000;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '120' },
    memories: { type: 'string', default: '20000' },
    teams: { type: 'string', default: '10' },
    /** With `--keep`: the size of the database that bench:server left in that folder. */
    size: { type: 'string', default: '1000000' },
    keep: { type: 'string' },
    /** Kills nothing. */
    calm: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [clients, seconds, memories, teams, size] = [
  values.clients,
  values.seconds,
  values.memories,
  values.teams,
  values.size,
].map(Number) as [number, number, number, number, number];

interface Team {
  readonly keys: readonly string[];
  readonly project: string;
  readonly acknowledged: Set<string>;
}

const synthetic = new Synthetic(SEED);
const times = new Map<Deed, number[]>();
const errors = new Map<string, number>();
const whileAway = new Map<string, number>();
let entries = 0;
let awayUntil = 0;
const loadBefore = loadavg()[0] ?? 0;

await withPostgres(values.keep, async (postgres, psql) => {
  const each = Math.floor(memories / teams);
  const sizes =
    values.keep === undefined ? { size: each, teams: teams - 1, each } : { size, teams: 100, each: 1000 };
  const { database, big, small } = await filledDatabase(postgres, psql, values.keep, sizes);
  const all = await prepared(database, [big, ...small].slice(0, teams));
  const server = await startTeamServer(database);
  await run(postgres, database, server, all);
});

async function run(postgres: Postgres, database: string, first: TeamServer, all: readonly Team[]) {
  let server = first;
  console.error(`${all.length} teams; ${clients} clients for ${seconds} s…`);
  const client = new TeamClient(first.url);
  const began = performance.now();
  const end = began + seconds * 1000;
  const incidents = values.calm
    ? undefined
    : (async () => {
        await pause(SERVER_KILLED * seconds * 1000);
        const server1 = await away('server killed', async () => {
          first.signal('SIGKILL');
          await first.ended;
          return startTeamServer(database, { port: first.port });
        });
        server = server1;
        await pause(Math.max(0, began + POSTGRES_KILLED * seconds * 1000 - performance.now()));
        await away('PostgreSQL crashed', async () => {
          await postgres.stop('SIGQUIT');
          await postgres.start();
        });
      })();
  await Promise.all(
    Array.from({ length: clients }, (_, i) => {
      const team = all[i % all.length];
      return team ? work(client, team, i, end) : undefined;
    }),
  );
  await incidents;
  const lasted = (performance.now() - began) / 1000;
  const missing = await countMissing(client, all);
  const { status } = await client.ask(undefined, 'GET', '/readyz');
  client.close();
  await server.stop();
  report({
    lasted,
    missing,
    ready: status === 200,
    acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0),
  });
}

/** Runs `work`; clients may be refused until a moment after it ends. */
async function away<T>(what: string, work: () => Promise<T>): Promise<T> {
  awayUntil = Number.POSITIVE_INFINITY;
  const began = performance.now();
  const result = await work();
  console.error(`${what}; back after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  awayUntil = performance.now() + GRACE_MS;
  return result;
}

/** Creates members with a key each, and a project that all of them push to. */
async function prepared(database: string, filled: readonly FilledTeam[]): Promise<readonly Team[]> {
  const store = await TeamStore.open({ database });
  const made: Team[] = [];
  for (const [i, { caller }] of filled.entries()) {
    const wanted = { name: 'load', keys: [`bench:load:${Date.now()}`] };
    const { id } = await store.transaction(caller, async (work) => {
      const project = await ensureProject(work, wanted);
      await setShare(work, project.id, { member: null, access: 'write' });
      return project;
    });
    const keys: string[] = [];
    for (let k = i; k < clients; k += filled.length) keys.push(await newMember(store, caller, `client ${k}`));
    made.push({ keys, project: id, acknowledged: new Set() });
  }
  await store.close();
  return made;
}

function newMember(store: TeamStore, owner: Caller, name: string): Promise<string> {
  return store.transaction(owner, async (work) => {
    const { id } = await addMember(work, { name, role: 'member' });
    return (await createKey(work, { member: id, scopes: ['read', 'write'] })).secret;
  });
}

function newEntry(): WireEntry {
  return entryOfMemory(synthetic.memory(entries++).memory);
}

async function work(client: TeamClient, team: Team, number: number, end: number): Promise<void> {
  const key = team.keys[Math.floor(number / teams)];
  const changesAt = `/v1/projects/${team.project}/changes`;
  let after = 0;
  for (let n = number; performance.now() < end; n++) {
    const deed = MIX[n % MIX.length] ?? 'me';
    const began = performance.now();
    let tries = 1;
    const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      for (; tries < MOST_TRIES; tries++) {
        const answer = await answerOf<T>(client, key, method, path, body);
        if (answer) return answer.body;
        await pause(AGAIN_MS);
      }
      throw new Error(`${method} ${path}: never answered`);
    };
    if (deed === 'search') await ask('POST', '/v1/search', { query: synthetic.text(QUERY_WORDS), limit: 10 });
    else if (deed === 'pull')
      after = (await ask<PullAnswer>('GET', `${changesAt}?after=${after}&limit=100`)).next;
    else if (deed === 'push') {
      const changes = Array.from({ length: PER_PUSH }, () => put(newEntry()));
      await ask('POST', changesAt, { changes, idempotencyKey: `client-${number}-${n}` });
      for (const change of changes) if (change.op === 'put') team.acknowledged.add(change.entry.id);
    } else await ask('GET', '/v1/me');
    // The time of a retried request says only how long the server was down.
    if (tries === 1) timesOf(deed).push(performance.now() - began);
  }
}

/** Returns undefined if the request failed; the failure is counted. */
async function answerOf<T>(
  client: TeamClient,
  key: string | undefined,
  method: string,
  path: string,
  body: unknown,
): Promise<Answer<T> | undefined> {
  try {
    const answer = await client.ask<T>(key, method, path, body);
    if (answer.status < 300) return answer;
    failed(`${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f-]{36}/, ':p')} ${answer.status}`);
  } catch (error) {
    failed(error instanceof Error && 'code' in error ? String(error.code) : String(error));
  }
  return undefined;
}

function failed(why: string): void {
  const counted = performance.now() < awayUntil ? whileAway : errors;
  counted.set(why, (counted.get(why) ?? 0) + 1);
}

function timesOf(deed: Deed): number[] {
  const known = times.get(deed) ?? [];
  times.set(deed, known);
  return known;
}

async function countMissing(client: TeamClient, all: readonly Team[]): Promise<number> {
  let missing = 0;
  for (const { keys, project, acknowledged } of all) {
    const there = new Set<string>();
    for (let after = 0, more = true; more;) {
      const path = `/v1/projects/${project}/changes?after=${after}`;
      const body = await client.ok<PullAnswer>(keys[0], 'GET', path);
      for (const change of body.changes) if (change.op === 'put') there.add(change.entry.id);
      ({ next: after, more } = body);
    }
    missing += [...acknowledged].filter((id) => !there.has(id)).length;
  }
  return missing;
}

function report(end: {
  readonly lasted: number;
  readonly missing: number;
  readonly ready: boolean;
  readonly acknowledged: number;
}): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const rows = [...times].map(([deed, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => percentile(sorted, q)) as [number, number, number];
    return { deed, n: sorted.length, perSecond: sorted.length / end.lasted, p50, p95, p99 };
  });
  const total = rows.reduce((sum, { n }) => sum + n, 0);
  const count = (of: ReadonlyMap<string, number>): number => [...of.values()].reduce((sum, n) => sum + n, 0);
  const facts = {
    commit,
    seed: SEED,
    clients,
    seconds,
    memories: values.keep === undefined ? memories : size,
    teams,
    loadBefore,
    total,
    failed: count(errors),
    refusedWhileAway: count(whileAway),
    ...end,
  };
  if (values.json)
    console.log(
      JSON.stringify(
        {
          ...facts,
          rows,
          errors: Object.fromEntries(errors),
          whileAway: Object.fromEntries(whileAway),
        },
        null,
        2,
      ),
    );
  else {
    console.log(
      `commit ${commit}, seed ${SEED}: ${clients} clients, ${seconds} s, ${facts.memories} memories, ${teams} teams, load before ${loadBefore.toFixed(1)}`,
    );
    console.log('\n| what | n | a second | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|---|---|');
    for (const { deed, n, perSecond, ...ms } of rows) {
      const shown = [ms.p50, ms.p95, ms.p99].map((one) => one.toFixed(0)).join(' | ');
      console.log(`| ${deed} | ${n} | ${perSecond.toFixed(1)} | ${shown} |`);
    }
    console.log(`\n${total} requests, ${(total / end.lasted).toFixed(0)} a second; ${facts.failed} failed.`);
    for (const [why, n] of errors) console.log(`  ${n} × ${why}`);
    console.log(`${facts.refusedWhileAway} more retried because the server or PostgreSQL was down.`);
    for (const [why, n] of whileAway) console.log(`  ${n} × ${why}`);
    console.log(`${end.acknowledged} entries acknowledged, ${end.missing} of them missing afterwards.`);
  }
  if (facts.failed > 0 || end.missing > 0 || !end.ready) process.exitCode = 1;
}
