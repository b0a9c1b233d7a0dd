/**
 * The plan of every statement of every route, in a team of 200,000 memories (a million in the long run): none reads a large
 * table as a whole, and none reads rows in proportion to the size of the team. PostgreSQL logs its own plans.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hubApi, readAssets } from '../../src/http/index.ts';
import { everMem } from '../../src/server/evermem/index.ts';
import { serverApp } from '../../src/server/http/index.ts';
import { teamHub } from '../../src/server/hub/index.ts';
import { ROUTES } from '../../src/server/routes/index.ts';
import {
  adoptModel,
  changesAfter,
  claimMessages,
  queueOf,
  sessionStarts,
  TeamStore,
  waitingCallers,
  waitingTexts,
} from '../../src/server/store/index.ts';
import { IS_LONG_RUN } from '../support/parts.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { Api, type Answer } from './_api.ts';
import { fillLargeTeam, type LargeTeam } from './_large-team.ts';
import { apiCases, everMemCases, hubCases, type PlanCase } from './_plan-cases.ts';
import { EXPLAINING, pagesOf, planLog, scansOf, severalPartitions, type Statement } from './_plans.ts';
import { asSuperuser } from './_rows.ts';
import { login, PAGE, type TeamHub, type Visitor } from './_team-hub.ts';

const { skip } = postgresql;
const MEMORIES = IS_LONG_RUN ? 1_000_000 : 200_000;
/** Tables with a row for each project or less, in any team. */
const SMALL_TABLES = new Set(['team', 'migration', 'project', 'project_counter', 'project_key', 'hub_link']);
/** The key, the caller and the locks of a request. */
const OF_REQUEST = 150;
/** A memory is found in an index, read, and joined with its author and its change. */
const PER_RETURNED = 10;
/** Each statement asks for the projects that the caller may read, and a list reads a few rows of each. */
const PER_PROJECT = 60;
/** Pages of an index and of the table for one row. */
const PAGES_PER_ROW = 6;
/** A prepared statement may be planned for its parameters, or once for all. */
const MODES = ['auto', 'force_generic_plan'] as const;

let postgres: Postgres;
let database: string;
let large: LargeTeam;

before(async () => {
  if (skip) return;
  const settings = { shared_buffers: '256MB', max_wal_size: '8GB', autovacuum: 'off' };
  postgres = await startPostgres({ settings });
  database = await postgres.newDatabase();
  large = await fillLargeTeam(database, MEMORIES);
  const name = new URL(database).pathname.slice(1);
  await asSuperuser(database, async (ask) => {
    for (const [setting, value] of Object.entries(EXPLAINING))
      await ask(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  });
});
after(() => postgres?.remove());

for (const mode of MODES)
  test(`every route reads rows in proportion to its answer (plans: ${mode})`, { skip }, async (t) => {
    const name = new URL(database).pathname.slice(1);
    await asSuperuser(database, (ask) => ask(`ALTER DATABASE ${name} SET plan_cache_mode = '${mode}'`));
    const api = await Api.open(database, { mounts: [everMem(), teamHub(readAssets(PAGE, '/hub'))] });
    t.after(() => api.close());
    const known = await knownIn(large, mode);
    const visitors = {
      owner: await login({ api } as TeamHub, { ...large.owner, id: large.owner.member, name: 'Ada' }),
      member: await login({ api } as TeamHub, { ...large.member, id: large.member.member, name: 'Mia' }),
    };
    const problems: string[] = [];
    for (const [route, cases] of [
      ...Object.entries(apiCases(known)),
      ...Object.entries(everMemCases()),
      ...Object.entries(hubCases(known)).map(
        ([one, some]) => [one.replace(' /', ' /hub/api/'), some] as const,
      ),
    ])
      for (const one of cases) problems.push(...(await examine(api, visitors, route, one)));
    assert.equal(problems.length, 0, `\n${problems.join('\n')}\n`);
  });

test('the work in the background reads what is to be done, not what is done', { skip }, async (t) => {
  const store = await TeamStore.open({ database });
  t.after(() => store.close());
  const { owner } = large;
  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    'looking for vectors of another model': () =>
      store.transaction(owner, (work) => adoptModel(work, 'model', store.vectors)),
    'looking for texts without a vector': () => store.transaction(owner, (work) => waitingTexts(work, 8)),
    'looking for members with queued messages': () => waitingCallers(store),
    'looking for queued messages of a member': () =>
      store.transaction(owner, async (work) => [await claimMessages(work, 200), await queueOf(work)]),
    'looking for the sessions of a group': () =>
      store.transaction(owner, (work) =>
        sessionStarts(work, `g${large.projects[0]}`, '2000-01-01T00:00:00.000Z'),
      ),
    'looking for live changes': () =>
      store.transaction(owner, async (work) => changesAfter(work, (await changesAfter(work)).last)),
  };
  const problems: string[] = [];
  for (const [name, work] of Object.entries(works)) {
    const log = planLog(postgres.log);
    await work();
    const statements = log.read();
    assert.ok(statements.length > 0, name);
    problems.push(
      ...problemsOf(statements, {
        most: OF_REQUEST + PER_PROJECT * owner.projects,
        // A server looks for the queued messages of all teams when it starts.
        ofAllTeams: name.includes('members with queued messages') ? ['message'] : [],
      }).map((one) => `${name} ${one}`),
    );
  }
  assert.equal(problems.length, 0, `\n${problems.join('\n')}\n`);
});

test('the plan test has a case for every route', { skip }, async () => {
  const known = await knownIn(large, 'auto');
  const covered = Object.keys({ ...apiCases(known), ...everMemCases() });
  const api = await Api.open(database);
  const { app, end } = serverApp({
    store: api.store,
    routes: ROUTES,
    mounts: [everMem()],
    log: () => {},
    tls: false,
    behindProxy: false,
    isLoopback: true,
    leaving: new AbortController().signal,
  });
  await end();
  await api.close();
  const routes = app.routes
    .filter(({ method, path }) => method !== 'ALL' && /^\/(?:v1|api)\/(?!openapi)/.test(path))
    .map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual([...new Set(routes)].toSorted(), covered.toSorted());
  const hub = hubApi({ storeFor: () => assert.fail(), errorAnswer: () => assert.fail() }).routes;
  const shown = hub
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !ON_A_MACHINE.test(route));
  assert.deepEqual(shown.toSorted(), Object.keys(hubCases(known)).toSorted());
});

/** Routes that only the hub of a machine answers. */
const ON_A_MACHINE =
  /transcript|\/move|undo-forget|\/changes|\/uses|\/sessions|\/review|\/trash|\/settings|\/import|\/team$/;

async function examine(
  api: Api,
  visitors: Readonly<Record<'owner' | 'member', Visitor>>,
  route: string,
  { as, path, body, extra = [0, ''], whole = [] }: PlanCase,
): Promise<readonly string[]> {
  const log = planLog(postgres.log);
  const [method = ''] = route.split(' ');
  const isHub = route.includes(' /hub/api/');
  const answer = isHub
    ? await api.ask(undefined, method, `/hub/api${path}`, body, visitors[as].headers)
    : await api.ask(large[as].key, method, path, body);
  if (answer.status >= 300) return [`${method} ${path}: ${answer.status} ${answer.text}`];
  const statements = log.read();
  assert.ok(statements.length > 0, `${method} ${path}: PostgreSQL logged no plan`);
  const returned = returnedBy(answer);
  const most = OF_REQUEST + PER_RETURNED * returned + PER_PROJECT * large[as].projects + extra[0];
  const where = `${route} (${path}, as ${as})`;
  return problemsOf(statements, { most, why: `for ${returned} returned ${extra[1]}`, whole }).map(
    (problem) => `${where} ${problem}`,
  );
}

function problemsOf(
  statements: readonly Statement[],
  {
    most,
    why = '',
    whole = [],
    ofAllTeams = [],
  }: { most: number; why?: string; whole?: readonly string[]; ofAllTeams?: readonly string[] },
): readonly string[] {
  const problems = statements.flatMap((statement) => [
    ...scansOf(statement)
      .filter(({ how, table }) => how === 'Seq Scan' && !SMALL_TABLES.has(table) && !whole.includes(table))
      .map(({ table, rows }) => `reads ${table} as a whole (${rows} rows): ${statement.text}`),
    ...severalPartitions(statement)
      .filter((table) => !ofAllTeams.includes(table))
      .map((table) => `reads several partitions of ${table}: ${statement.text}`),
    ...(pagesOf(statement) > PAGES_PER_ROW * most
      ? [`reads ${pagesOf(statement)} pages, expected are at most ${PAGES_PER_ROW * most}: ${statement.text}`]
      : []),
  ]);
  const rows = statements.map(rowsIn).reduce((sum, one) => sum + one, 0);
  if (rows <= most) return problems;
  return [...problems, `reads ${rows} rows, expected are at most ${most} ${why}: ${largestIn(statements)}`];
}

function rowsIn(statement: Statement): number {
  return scansOf(statement).reduce((sum, { rows }) => sum + rows, 0);
}

/** Names the scans that read the most rows. */
function largestIn(statements: readonly Statement[]): string {
  const scans = statements.flatMap((statement) =>
    scansOf(statement).map((scan) => ({ ...scan, text: statement.text })),
  );
  return scans
    .toSorted((a, b) => b.rows - a.rows)
    .slice(0, 4)
    .map(
      ({ how, table, index, rows, text }) =>
        `\n    ${how} ${table} ${index}: ${rows} rows in ${text.slice(0, 1500)}`,
    )
    .join('');
}

/** Counts the objects in the lists of an answer. */
function returnedBy({ body }: Answer): number {
  const count = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + count(one), 0);
    if (typeof value !== 'object' || value === null) return 0;
    return Object.values(value).reduce((sum: number, one) => sum + count(one), 0);
  };
  return count(body);
}

const MEMBER = `SELECT id FROM tidemark.member WHERE team_id = $1 AND name LIKE 'Member %' AND removed_at IS NULL`;

/** Rows that requests can name; each mode has its own to change. */
async function knownIn(team: LargeTeam, mode: string) {
  const shift = MODES.indexOf(mode as (typeof MODES)[number]);
  return asSuperuser(database, async (ask) => {
    const one = async (text: string, ...values: unknown[]): Promise<string> =>
      String((await ask(`${text} OFFSET ${shift} LIMIT 1`, [team.team, ...values]))[0]?.['id']);
    const memory = (project: string | undefined, place: number, kind: string): Promise<string> =>
      one(
        `SELECT id FROM (SELECT id, at FROM tidemark.memory WHERE team_id = $1 AND project_id = $2
           AND kind = '${kind}' ORDER BY at LIMIT 20 OFFSET ${place}) AS m ORDER BY at`,
        project,
      );
    const [biggest, small] = [team.projects[0], team.projects.at(-2)];
    return {
      ...team,
      memories: {
        large: await memory(biggest, 100, 'decision'),
        large2: await memory(biggest, 200, 'decision'),
        issue: await memory(biggest, 100, 'issue'),
        small: await memory(small, 0, 'bugfix'),
        small2: await memory(small, 0, 'feature'),
      },
      other: await one(`${MEMBER} ORDER BY id DESC`),
      leaving: await one(`${MEMBER} ORDER BY id`),
      key: await one(
        `SELECT id FROM tidemark.api_key WHERE team_id = $1 AND prefix = 'tmk_' ORDER BY id DESC`,
      ),
      removable: team.projects[20 + shift] ?? '',
    };
  });
}
