/**
 * `npm run bench:server [-- --matrix | --crash] [--memories N] [--teams N] [--big N] [--clients N] [--seconds N]
 * [--instances N] [--pgbouncer] [--pgvector] [--without-model] [--keep DIR] [--again] [--quick] [--json]`: measures the team
 * server with a real PostgreSQL and the built program: search, and a mixed load of many clients, with CPU time, memory and
 * disk. Texts are synthetic and seeded. `--matrix` runs one and three servers, with and without PgBouncer and pgvector.
 * `--crash` kills server and database during the load and looks for lost entries. With `--keep` the databases and the
 * results of finished arrangements stay in that folder for the next run; `--again` measures them again.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commit as commitOfTree } from './_facts.ts';
import { crashed, printCrash } from './_team-crash.ts';
import {
  diskOf,
  prepareParts,
  SEED,
  sizesOf,
  withDatabase,
  withFolder,
  type Running,
  type Sizes,
} from './_team-database.ts';
import { MIX } from './_team-load.ts';
import { tableOf, type Result } from './_team-report.ts';
import { withSite, type Arrangement, type Phase, type Site } from './_team-site.ts';

const { values } = parseArgs({
  options: {
    memories: { type: 'string' },
    teams: { type: 'string' },
    big: { type: 'string' },
    clients: { type: 'string' },
    seconds: { type: 'string' },
    instances: { type: 'string', default: '1' },
    pgbouncer: { type: 'boolean', default: false },
    pgvector: { type: 'boolean', default: false },
    'without-model': { type: 'boolean', default: false },
    matrix: { type: 'boolean', default: false },
    crash: { type: 'boolean', default: false },
    keep: { type: 'string' },
    again: { type: 'boolean', default: false },
    /** Some thousand memories and seconds, to see that the benchmark works. */
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const DEFAULTS = values.quick
  ? { memories: 1500, teams: 6, big: 700, clients: 10, seconds: 0.5 }
  : { memories: 1_000_000, teams: 1000, big: 200_000, clients: 200, seconds: 20 };
const numberOf = (name: keyof typeof DEFAULTS): number => Number(values[name] ?? DEFAULTS[name]);
const sizes: Sizes = {
  memories: numberOf('memories'),
  teams: numberOf('teams'),
  big: numberOf('big'),
  clients: numberOf('clients'),
};
const seconds = numberOf('seconds');
const withModel = !values['without-model'];
/** The aims of the issue are for this many. */
const FEW = 20;
const commit = commitOfTree();
/** Ordered so that each database is started once. */
const MATRIX: readonly Arrangement[] = [false, true].flatMap((pgvector) =>
  [1, 3].flatMap((instances) => [false, true].map((pgbouncer) => ({ instances, pgbouncer, pgvector }))),
);
const ONE: Arrangement = {
  instances: Number(values.instances),
  pgbouncer: values.pgbouncer,
  pgvector: values.pgvector,
};

// Ends PostgreSQL, PgBouncer and the servers too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await prepareParts();
await withFolder(values.keep, async (folder) => {
  mkdirSync(folder, { recursive: true });
  if (values.crash) {
    const found = await withDatabase(folder, sizes, ONE.pgvector, (running) =>
      withSite(running, ONE, withModel, (site) =>
        crashed(site, running, { members: running.filled.clients, mix: MIX, seconds: seconds * 6 }),
      ),
    );
    const facts = { commit, seed: SEED, sizes, arrangement: ONE, ...found };
    if (values.json) console.log(JSON.stringify(facts, null, 2));
    else printCrash(facts);
    if (found.missing > 0 || Object.keys(found.errors).length > 0) process.exitCode = 1;
    return;
  }
  const results: Result[] = [];
  for (const arrangement of values.matrix ? MATRIX : [ONE]) results.push(await resultOf(folder, arrangement));
  console.log(values.json ? JSON.stringify(results, null, 2) : tableOf(results));
  if (results.some((one) => one.failure !== undefined)) process.exitCode = 1;
});

/** A result of an earlier run of the same commit and options is used again, so that a matrix can be continued. */
async function resultOf(folder: string, arrangement: Arrangement): Promise<Result> {
  const file = join(folder, 'results.jsonl');
  const about = { commit, seed: SEED, sizes, seconds, withModel, arrangement };
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const known = lines
    .map((line) => JSON.parse(line) as Result)
    .findLast((one) => JSON.stringify(one.about) === JSON.stringify(about) && one.failure === undefined);
  if (known && !values.again) return known;
  console.error(`${JSON.stringify(arrangement)}…`);
  const began = performance.now();
  const loadBefore = loadavg()[0] ?? 0;
  const result = await withDatabase(folder, sizes, arrangement.pgvector, (running) =>
    withSite(running, arrangement, withModel, (site) => measured(running, site)),
  ).then(
    (found) => ({ about, loadBefore, ...found }),
    // The other arrangements of a matrix are measured all the same.
    (error: unknown) => ({
      about,
      loadBefore,
      failure: error instanceof Error ? error.message : String(error),
    }),
  );
  const took = Math.round((performance.now() - began) / 1000);
  console.error(`  ${result.failure ?? 'done'}, ${took} s`);
  appendFileSync(file, `${JSON.stringify(result)}\n`);
  return result;
}

async function measured(
  { database, filled }: Running,
  site: Site,
): Promise<Omit<Result, 'about' | 'loadBefore'>> {
  const { big, clients, small } = filled;
  const inBig = clients.filter(({ team }) => team.caller.team === big.caller.team);
  const few = clients.filter((_, i) => i % Math.ceil(clients.length / FEW) === 0);
  const phases: Phase[] = [];
  const phase = async (name: string, load: Parameters<Site['measure']>[1]): Promise<void> => {
    const done = await site.measure(name, load);
    console.error(`  ${name}: ${done.requests} requests, ${JSON.stringify(done.errors)}`);
    phases.push(done);
  };
  // The model starts with the first search, and each connection plans its statements once.
  await site.load.run({ members: few, mix: ['search', 'pull'], seconds: seconds / 2 });
  const alone = { alone: true, seconds: seconds / 2 };
  await phase('search alone, big team', { ...alone, members: inBig, mix: ['search'] });
  await phase('search alone, one project', { ...alone, members: inBig, mix: ['search one project'] });
  await phase('search alone, small teams', { ...alone, members: small, mix: ['search'] });
  await phase('pull alone', { ...alone, seconds: seconds / 4, members: few, mix: ['pull'] });
  await phase('search', { members: few, mix: ['search'], seconds });
  // After the searches: the server computes the vectors of what is pushed in the background.
  await phase('push alone', { ...alone, seconds: seconds / 4, members: few, mix: ['push'] });
  await phase('mixed, few', { members: few, mix: MIX, seconds });
  await phase('mixed, all', { members: clients, mix: MIX, seconds: seconds * 1.5 });
  return {
    hash: filled.hash,
    phases,
    memory: site.memory(),
    diskMb: await diskOf(database),
    largest: await sizesOf(database),
    filledInSeconds: filled.seconds,
    ...(filled.vectorSeconds === undefined ? {} : { vectorSeconds: filled.vectorSeconds }),
  };
}
