/**
 * `npm run bench:server-load [-- --clients 200] [--seconds 120] [--memories 20000] [--teams 10] [--json]`: clients that
 * search, push and pull at once, without a pause, against the built server on a PostgreSQL that makes every commit
 * durable. Any answer but a success is an error; at the end everything that was acknowledged must be there.
 */
import { execFileSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { withOperator, type Operator } from '../src/server/index.ts';
import type { PullAnswer, SharedProject, WireEntry } from '../src/sync/index.ts';
import { entryOfMemory, put } from '../test/support/team.ts';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';

const SEED = 20_261_115;
const PER_PUSH = 5;
const PER_FILL = 500;
const QUERY_WORDS = 6;
/** Of ten things a client does: what a day of work does. */
const MIX = ['search', 'search', 'search', 'search', 'pull', 'pull', 'pull', 'push', 'push', 'me'] as const;
type Deed = (typeof MIX)[number];

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '120' },
    memories: { type: 'string', default: '20000' },
    teams: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
});
const [clients, seconds, memories, teams] = [
  values.clients,
  values.seconds,
  values.memories,
  values.teams,
].map(Number) as [number, number, number, number];

interface Team {
  readonly keys: readonly string[];
  readonly project: string;
}

/** Every client's connection is its own, and stays open. */
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const synthetic = new Synthetic(SEED);
const times = new Map<Deed, number[]>();
const errors = new Map<string, number>();
let entries = 0;

// A script without types: it takes the names of suites and somebody to tell of progress.
const { prepareParts } = (await import(new URL('../scripts/_parts.mjs', import.meta.url).href)) as {
  prepareParts: (suites: readonly string[], say: (text: string) => void) => Promise<void>;
};
await prepareParts(['server'], (text) => console.error(text));
// Only now: it looks at what was prepared.
const { postgresql, startPostgres } = await import('../test/support/postgres.ts');
const { startTeamServer } = await import('../test/support/team-server.ts');
if (postgresql.skip) throw new Error(postgresql.skip);
const postgres = await startPostgres({ durable: true });
try {
  await main(await postgres.newOwnedDatabase());
} finally {
  agent.destroy();
  await postgres.remove();
}

async function main(database: string): Promise<void> {
  const server = await startTeamServer(database);
  const at = server.url;
  const all: Team[] = [];
  for (let i = 0; i < teams; i++)
    all.push(await withOperator(database, (operator) => makeTeam(operator, at, i)));
  console.error(
    `${teams} teams with ${Math.floor(memories / teams)} memories each; ${clients} clients for ${seconds} s…`,
  );

  const acknowledged = all.map(() => new Set<string>());
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, (_, i) => {
      const [team, seen] = [all[i % teams], acknowledged[i % teams]];
      return team && seen ? work(at, team, i, end, seen) : undefined;
    }),
  );
  const missing = await countMissing(at, all, acknowledged);
  const status = await ask(at, undefined, 'GET', '/readyz');
  await server.stop();
  report({
    missing,
    ready: status.status === 200,
    acknowledged: acknowledged.reduce((sum, one) => sum + one.size, 0),
  });
}

async function makeTeam(operator: Operator, at: string, number: number): Promise<Team> {
  const made = await operator.createTeam({ team: `team ${number}`, owner: 'Ada' });
  const { secret } = made.key;
  const project = await ask<SharedProject>(at, secret, 'POST', '/v1/projects', {
    name: 'load',
    keys: [`git:load-${number}`],
  });
  const each = Math.floor(memories / teams);
  for (let filled = 0; filled < each; filled += PER_FILL) {
    const changes = Array.from({ length: Math.min(PER_FILL, each - filled) }, () => put(newEntry()));
    const idempotencyKey = `fill-${number}-${filled}`;
    await ask(at, secret, 'POST', `/v1/projects/${project.body.id}/changes`, { changes, idempotencyKey });
  }
  const keys: string[] = [];
  for (let i = number; i < clients; i += teams) {
    const { id } = await operator.addMember({ team: made.team.id, name: `client ${i}`, role: 'member' });
    const scopes = ['read', 'write'] as const;
    keys.push((await operator.createKey({ team: made.team.id, who: id, name: '', scopes })).secret);
  }
  return { keys, project: project.body.id };
}

function newEntry(): WireEntry {
  return entryOfMemory(synthetic.memory(entries++).memory);
}

async function work(at: string, team: Team, client: number, end: number, seen: Set<string>): Promise<void> {
  const key = team.keys[Math.floor(client / teams)];
  let after = 0;
  for (let n = client; performance.now() < end; n++) {
    const deed = MIX[n % MIX.length] ?? 'me';
    const began = performance.now();
    if (deed === 'search') {
      await ask(at, key, 'POST', '/v1/search', { query: synthetic.text(QUERY_WORDS), limit: 10 });
    } else if (deed === 'pull') {
      const path = `/v1/projects/${team.project}/changes?after=${after}&limit=100`;
      const { body } = await ask<PullAnswer>(at, key, 'GET', path);
      after = body.next ?? after;
    } else if (deed === 'push') {
      const changes = Array.from({ length: PER_PUSH }, () => put(newEntry()));
      const idempotencyKey = `client-${client}-${n}`;
      const { status } = await ask(at, key, 'POST', `/v1/projects/${team.project}/changes`, {
        changes,
        idempotencyKey,
      });
      if (status === 200) for (const change of changes) if (change.op === 'put') seen.add(change.entry.id);
    } else await ask(at, key, 'GET', '/v1/me');
    timesOf(deed).push(performance.now() - began);
  }
}

function timesOf(deed: Deed): number[] {
  const known = times.get(deed) ?? [];
  times.set(deed, known);
  return known;
}

async function countMissing(
  at: string,
  all: readonly Team[],
  acknowledged: readonly ReadonlySet<string>[],
): Promise<number> {
  let missing = 0;
  for (const [i, { keys, project }] of all.entries()) {
    const there = new Set<string>();
    for (let after = 0, more = true; more;) {
      const { body } = await ask<PullAnswer>(
        at,
        keys[0],
        'GET',
        `/v1/projects/${project}/changes?after=${after}`,
      );
      for (const change of body.changes) if (change.op === 'put') there.add(change.entry.id);
      ({ next: after, more } = body);
    }
    missing += [...(acknowledged[i] ?? [])].filter((id) => !there.has(id)).length;
  }
  return missing;
}

function ask<T>(
  at: string,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: T }> {
  return new Promise((resolve) => {
    const failed = (why: string): void => {
      errors.set(why, (errors.get(why) ?? 0) + 1);
      resolve({ status: 0, body: {} as T });
    };
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const asked = request(at + path, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        if (status >= 300) return failed(`${method} ${path.replace(/\?.*/, '')} ${status}`);
        resolve({ status, body: JSON.parse(text) as T });
      });
    });
    asked.on('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.message));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function report(end: {
  readonly missing: number;
  readonly ready: boolean;
  readonly acknowledged: number;
}): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const rows = [...times].map(([deed, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    return {
      deed,
      n: sorted.length,
      p50: percentile(sorted, 0.5),
      p95: percentile(sorted, 0.95),
      p99: percentile(sorted, 0.99),
    };
  });
  const total = rows.reduce((sum, { n }) => sum + n, 0);
  const failed = [...errors.values()].reduce((sum, n) => sum + n, 0);
  const facts = {
    commit,
    seed: SEED,
    clients,
    seconds,
    memories,
    teams,
    load: loadavg()[0],
    total,
    failed,
    ...end,
  };
  if (values.json)
    console.log(JSON.stringify({ ...facts, rows, errors: Object.fromEntries(errors) }, null, 2));
  else {
    console.log(
      `commit ${commit}, seed ${SEED}: ${clients} clients, ${seconds} s, ${memories} memories in ${teams} teams, load ${facts.load?.toFixed(1)}`,
    );
    console.log('\n| what | n | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|---|');
    for (const { deed, n, p50, p95, p99 } of rows)
      console.log(`| ${deed} | ${n} | ${p50.toFixed(0)} | ${p95.toFixed(0)} | ${p99.toFixed(0)} |`);
    console.log(`\n${total} requests, ${(total / seconds).toFixed(0)} a second, ${failed} failed.`);
    for (const [why, n] of errors) console.log(`  ${n} × ${why}`);
    console.log(`${end.acknowledged} entries acknowledged, ${end.missing} of them missing afterwards.`);
  }
  if (failed > 0 || end.missing > 0 || !end.ready) process.exitCode = 1;
}
