/**
 * `npm run bench:server [-- --size N] [--teams N] [--each N] [--keep DIR] [--clients N] [--seconds N] [--json]`: measures a
 * team of N memories next to many small teams, with a real PostgreSQL and the built server: search, query plan, push rate,
 * disk and memory. Texts are synthetic and seeded. With `--keep` the database stays in that folder for the next run.
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { SharedProject } from '../src/exchange/sync/index.ts';
import { searchMemories, TeamStore } from '../src/server/store/index.ts';
import { startTeamServer } from '../test/support/team-server.ts';
import { entryOfMemory, put } from '../test/support/team.ts';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';
import { TeamClient } from './_team-client.ts';
import {
  cpuOf,
  diskOf,
  filledDatabase,
  keyOf,
  memoryOf,
  SEED,
  sizesOf,
  withPostgres,
  type FilledDatabase,
} from './_team-database.ts';
import { planOf } from './_team-plan.ts';
import { MODEL, type FilledTeam } from './_team-server.ts';

const QUERIES = 200;
const QUERY_WORDS = 8;
const NOW = new Date('2027-01-01T00:00:00Z');
const PER_PUSH = 500;
/** Number of small teams that are searched. */
const ASKED_TEAMS = 20;

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '100000' },
    teams: { type: 'string', default: '100' },
    each: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '20' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [size, teams, each, clients, seconds] = [
  values.size,
  values.teams,
  values.each,
  values.clients,
  values.seconds,
].map(Number) as [number, number, number, number, number];
/** The load of the machine before the run, printed next to the times. */
const loadBefore = loadavg()[0] ?? 0;

await withPostgres(values.keep, async (postgres, psql) => {
  const filled = await filledDatabase(postgres, psql, values.keep, { size, teams, each });
  const store = await TeamStore.open({ database: filled.database });
  try {
    report(await measured(filled, store, postgres.pid));
  } finally {
    await store.close();
  }
});

async function measured(filled: FilledDatabase, store: TeamStore, postgres: number) {
  const { database, big, small } = filled;
  const synthetic = new Synthetic(SEED);
  const texts = Array.from({ length: QUERIES }, () => synthetic.text(QUERY_WORDS));
  // One key sends requests without a pause; its rate limit is not measured here.
  const server = await startTeamServer(database, { args: ['--rate', '100000'] });
  try {
    const client = new TeamClient(server.url);
    const key = await keyOf(store, big.caller, 'read', 'write', 'admin');
    const theirs = await Promise.all(
      small.slice(0, ASKED_TEAMS).map(({ caller }) => keyOf(store, caller, 'read')),
    );
    const find = (holder: string | undefined, query: string, project?: string): Promise<number> =>
      timed(() =>
        client.ok(holder, 'POST', '/v1/search', { query, limit: 10, ...(project ? { project } : {}) }),
      );
    // CPU time of this process, where a search does not go through the server.
    const own = (): number => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
    const times = async (
      run: (text: string, i: number) => Promise<number>,
      asking: () => number = () => cpuOf(server.pid),
    ): Promise<Found> => {
      for (const [i, text] of texts.slice(0, 20).entries()) await run(text, i);
      const before = [asking(), cpuOf(postgres)] as const;
      const found: number[] = [];
      for (const [i, text] of texts.entries()) found.push(await run(text, i));
      const cpu = [asking() - before[0], cpuOf(postgres) - before[1]] as const;
      return { ms: pairOf(found), cpu: [cpu[0] / texts.length, cpu[1] / texts.length] };
    };
    const inTeam = ({ projects }: FilledTeam, i: number): string | undefined => projects[i % projects.length];
    const vector = { model: MODEL, vector: synthetic.vector() };
    const byMeaning = (query: string, project?: string): Promise<number> =>
      timed(() =>
        store.transaction(
          big.caller,
          (work) =>
            searchMemories(work, store.vectors, query, {
              now: NOW,
              vector,
              ...(project ? { project, scope: 'project' } : {}),
            }),
          { readOnly: true },
        ),
      );
    return {
      commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
      seed: SEED,
      memories: size,
      teams,
      each,
      vectors: store.vectors,
      loadBefore,
      filledInSeconds: filled.seconds,
      search: {
        'words, whole team': await times((text) => find(key, text)),
        'words, one project': await times((text, i) => find(key, text, inTeam(big, i))),
        '2 words, whole team': await times((text) => find(key, text.split(' ').slice(0, 2).join(' '))),
        '2 words, one project': await times((text, i) =>
          find(key, text.split(' ').slice(0, 2).join(' '), inTeam(big, i)),
        ),
        'words, a small team': await times((text, i) => find(theirs[i % theirs.length], text)),
        'words and vectors, whole team': await times((text) => byMeaning(text), own),
        'words and vectors, one project': await times((text, i) => byMeaning(text, inTeam(big, i)), own),
      },
      together: await together(texts, (text, i) => find(i % 2 === 0 ? key : theirs[i % theirs.length], text)),
      ingestPerSecond: await ingest(client, key, synthetic),
      diskMb: await diskOf(database),
      largest: await sizesOf(database),
      serverMb: memoryOf(server.pid),
      postgresMb: memoryOf(postgres),
      plan: await planOf(database, big.caller, texts[0] ?? ''),
    };
  } finally {
    await server.stop();
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

type Pair = readonly [number, number];

/** Wall time (median, 95th percentile) and CPU time of server and PostgreSQL per search. */
interface Found {
  readonly ms: Pair;
  readonly cpu: Pair;
}

function pairOf(times: readonly number[]): Pair {
  const sorted = times.toSorted((a, b) => a - b);
  return [percentile(sorted, 0.5), percentile(sorted, 0.95)];
}

/** Runs several clients for some seconds. Returns searches per second and their times. */
async function together(texts: readonly string[], run: (text: string, i: number) => Promise<number>) {
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const i = next++;
      times.push(await run(texts[i % texts.length] ?? '', i));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { clients, perSecond: times.length / Math.max(1, seconds), ms: pairOf(times) };
}

/** Pushes to the big team without a pause, then removes the entries. */
async function ingest(client: TeamClient, key: string, synthetic: Synthetic): Promise<number> {
  const wanted = { name: 'ingest', keys: [`bench:ingest:${Date.now()}`] };
  const { id } = await client.ok<SharedProject>(key, 'POST', '/v1/projects', wanted);
  const began = performance.now();
  let taken = 0;
  while (performance.now() - began < seconds * 1000) {
    const changes = Array.from({ length: PER_PUSH }, (_, i) =>
      put(entryOfMemory(synthetic.memory(taken + i).memory)),
    );
    await client.ok(key, 'POST', `/v1/projects/${id}/changes`, {
      changes,
      idempotencyKey: `ingest ${taken}`,
    });
    taken += PER_PUSH;
  }
  const perSecond = taken / ((performance.now() - began) / 1000);
  await client.ok(key, 'DELETE', `/v1/projects/${id}`);
  return perSecond;
}

function report(figures: Awaited<ReturnType<typeof measured>>): void {
  if (values.json) return console.log(JSON.stringify(figures, null, 2));
  const pair = ([p50, p95]: Pair): string => `${p50.toFixed(1)} / ${p95.toFixed(1)}`;
  const { together: many, filledInSeconds } = figures;
  console.log(
    `commit ${figures.commit} · ${size} memories in one team, ${each} in each of ${teams} others · synthetic, seed ${SEED} · vectors: ${figures.vectors} · load before ${loadBefore.toFixed(1)}`,
  );
  console.log('\n| what | figure |\n|---|---|');
  const rows: readonly (readonly [string, string | number])[] = [
    ...(filledInSeconds === undefined ? [] : [['filled by COPY, s', Math.round(filledInSeconds)] as const]),
    ...Object.entries(figures.search).map(
      ([name, { ms, cpu }]) =>
        [
          `search, ${name}, p50 / p95 ms`,
          `${pair(ms)} (CPU: server ${cpu[0].toFixed(1)}, PostgreSQL ${cpu[1].toFixed(1)})`,
        ] as const,
    ),
    [`${many.clients} clients at once, searches/s`, many.perSecond.toFixed(1)],
    [`${many.clients} clients at once, p50 / p95 ms`, pair(many.ms)],
    [
      `taken through the API, memories/s (pushes of ${PER_PUSH}, fsync on)`,
      Math.round(figures.ingestPerSecond),
    ],
    ['database, MB', Math.round(figures.diskMb)],
    ...figures.largest.map(({ name, mb }) => [`of that ${name}`, Math.round(mb)] as const),
    ['memory of the server, MB', Math.round(figures.serverMb)],
    ['memory of PostgreSQL, MB', Math.round(figures.postgresMb)],
  ];
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
  console.log(`\n\`\`\`\n${figures.plan}\n\`\`\``);
}
