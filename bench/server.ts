/**
 * `npm run bench:server [-- --size N] [--teams N] [--each N] [--clients N] [--seconds N] [--json]`: what a team of N
 * memories beside many small teams costs a real PostgreSQL: how fast they are taken, how fast they are found, by which plan.
 * Starts the database itself, on loopback; texts are synthetic and seeded.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { searchMemories, TeamStore } from '../src/server/store/index.ts';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';
import { fillTeam, type FilledTeam } from './_team-server.ts';

const SEED = 20_261_115;
const QUERIES = 200;
const QUERY_WORDS = 8;
const NOW = new Date('2027-01-01T00:00:00Z');
const MB = 1024 * 1024;
/** What a machine of 4 GB would give a database that has it to itself; the rest is PostgreSQL's own. */
const SETTINGS = {
  shared_buffers: '1GB',
  work_mem: '32MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
};

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '100000' },
    teams: { type: 'string', default: '100' },
    each: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
});

// A script without types: it takes the names of suites and somebody to tell of progress.
const { prepareParts } = (await import(new URL('../scripts/_parts.mjs', import.meta.url).href)) as {
  prepareParts: (suites: readonly string[], say: (text: string) => void) => Promise<void>;
};
await prepareParts(['server'], (text) => console.error(text));
// Only now: it looks at what was prepared.
const { postgresql, startPostgres } = await import('../test/support/postgres.ts');
if (postgresql.skip) throw new Error(postgresql.skip);
const postgres = await startPostgres({ durable: true, settings: SETTINGS });
try {
  await main(await postgres.newDatabase());
} finally {
  await postgres.remove();
}

async function main(database: string): Promise<void> {
  const [size, teams, each] = [Number(values.size), Number(values.teams), Number(values.each)];
  const store = await TeamStore.open({ database });
  const synthetic = new Synthetic(SEED);
  const began = performance.now();
  const big = await fillTeam(store, synthetic, {
    name: 'big',
    memories: size,
    onProgress: (done) => done % 50_000 === 0 && console.error(`${done} of ${size}`),
  });
  const bigSeconds = (performance.now() - began) / 1000;
  const small: FilledTeam[] = [];
  const beganSmall = performance.now();
  for (let i = 0; i < teams; i++)
    small.push(await fillTeam(store, synthetic, { name: `small-${i}`, memories: each }));
  const smallSeconds = (performance.now() - beganSmall) / 1000;
  await asked(database, 'VACUUM ANALYZE');

  const questions = new Synthetic(SEED);
  const texts = Array.from({ length: QUERIES }, () => questions.text(QUERY_WORDS));
  const find = async (team: FilledTeam, text: string, project?: string): Promise<number> => {
    const options = { now: NOW, ...(project ? { project, scope: 'project' as const } : {}) };
    const from = performance.now();
    await store.transaction(team.caller, (work) => searchMemories(work, store.vectors, text, options), {
      readOnly: true,
    });
    return performance.now() - from;
  };
  const times = async (run: (text: string, i: number) => Promise<number>): Promise<Pair> => {
    const found: number[] = [];
    for (const [i, text] of texts.entries()) found.push(await run(text, i));
    return pairOf(found);
  };
  for (const text of texts.slice(0, 20)) await find(big, text);
  const figures = {
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    seed: SEED,
    memories: size,
    teams,
    each,
    vectors: store.vectors,
    ingest: { big: size / bigSeconds, small: (teams * each) / Math.max(1, smallSeconds) },
    diskMb: await diskOf(database),
    search: {
      big: await times((text) => find(big, text)),
      project: await times((text, i) => find(big, text, big.projects[i % big.projects.length])),
      short: await times((text) => find(big, text.split(' ').slice(0, 2).join(' '))),
      small: await times((text, i) => find(small[i % small.length] ?? big, text)),
    },
    together: await together(texts, (text, i) =>
      find(i % 2 === 0 ? big : (small[i % small.length] ?? big), text),
    ),
    plan: await planOf(database, big, texts[0] ?? ''),
  };
  await store.close();
  if (values.json) return console.log(JSON.stringify(figures, null, 2));
  print(figures);
}

type Pair = readonly [number, number];

function pairOf(times: readonly number[]): Pair {
  const sorted = times.toSorted((a, b) => a - b);
  return [percentile(sorted, 0.5), percentile(sorted, 0.95)];
}

/** Several at once for some seconds: how many a second, how long each, how many failed. */
async function together(texts: readonly string[], run: (text: string, i: number) => Promise<number>) {
  const end = performance.now() + Number(values.seconds) * 1000;
  const times: number[] = [];
  let failed = 0;
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const i = next++;
      try {
        times.push(await run(texts[i % texts.length] ?? '', i));
      } catch {
        failed++;
      }
    }
  };
  await Promise.all(Array.from({ length: Number(values.clients) }, client));
  const seconds = Math.max(1, Number(values.seconds));
  return { clients: Number(values.clients), perSecond: times.length / seconds, ms: pairOf(times), failed };
}

/** What the function that finds candidates does, as PostgreSQL itself tells it. */
async function planOf(database: string, { caller }: FilledTeam, text: string): Promise<string> {
  const plans: string[] = [];
  const client = new Client({ connectionString: database });
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  await client.connect();
  const store = await TeamStore.open({ database, connections: 1 });
  try {
    const questions = await questionsOf(store, caller, text);
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;
      SET auto_explain.log_nested_statements = on; SET client_min_messages = log; BEGIN; SET LOCAL ROLE tidemark_app;
      SET LOCAL tidemark.team = '${caller.team}'; SET LOCAL tidemark.member = '${caller.member}'`);
    await client.query(questions);
  } finally {
    await store.close();
    await client.end();
  }
  return plans.find((plan) => plan.includes('memory_tokens')) ?? plans.join('\n');
}

/** The statement a search sends, with what this team asks in it. */
async function questionsOf(store: TeamStore, caller: FilledTeam['caller'], text: string) {
  let sent: { text: string; values: unknown[] } = { text: 'SELECT 1', values: [] };
  await store.transaction(caller, (work) => {
    const listening = {
      ...work,
      rows: (statement: string, given: readonly unknown[] = []) => {
        if (statement.includes('tidemark.matches')) sent = { text: statement, values: [...given] };
        return work.rows(statement, given);
      },
    };
    return searchMemories(listening, store.vectors, text, { now: NOW });
  });
  return sent;
}

async function diskOf(database: string): Promise<number> {
  const [row] = await asked(database, 'SELECT pg_database_size(current_database()) AS bytes');
  return Number(row?.['bytes']) / MB;
}

async function asked(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function print(figures: {
  readonly commit: string;
  readonly memories: number;
  readonly teams: number;
  readonly each: number;
  readonly vectors: string;
  readonly ingest: { readonly big: number; readonly small: number };
  readonly diskMb: number;
  readonly search: Readonly<Record<'big' | 'project' | 'short' | 'small', Pair>>;
  readonly together: { clients: number; perSecond: number; ms: Pair; failed: number };
  readonly plan: string;
}): void {
  const { search, together: many, ingest } = figures;
  const pair = ([p50, p95]: Pair): string => `${p50.toFixed(1)} / ${p95.toFixed(1)}`;
  console.log(
    `commit ${figures.commit} · ${figures.memories} memories in one team, ${figures.each} in each of ${figures.teams} others · synthetic, seed ${SEED} · vectors: ${figures.vectors}`,
  );
  console.log('\n| what | figure |\n|---|---|');
  const rows = [
    ['taken, one team, memories/s (pushes of 500, fsync on)', Math.round(ingest.big)],
    ['taken, many teams, memories/s', Math.round(ingest.small)],
    ['database, MB', Math.round(figures.diskMb)],
    [`search, ${QUERY_WORDS} words, whole team, p50 / p95 ms`, pair(search.big)],
    [`search, ${QUERY_WORDS} words, one project, p50 / p95 ms`, pair(search.project)],
    ['search, 2 words, whole team, p50 / p95 ms', pair(search.short)],
    [`search, ${QUERY_WORDS} words, a small team, p50 / p95 ms`, pair(search.small)],
    [`${many.clients} clients at once, searches/s`, many.perSecond.toFixed(1)],
    [`${many.clients} clients at once, p50 / p95 ms`, pair(many.ms)],
    ['failed', many.failed],
  ];
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
  console.log(`\n\`\`\`\n${figures.plan}\n\`\`\``);
}
