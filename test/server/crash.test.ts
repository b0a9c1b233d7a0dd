/**
 * The server is killed and PostgreSQL is killed and started again, many times while clients push. Every
 * acknowledged entry must exist exactly once. A repeated request is applied once, even if its first answer was lost.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PullAnswer, PushAnswer, SharedProject } from '../../src/exchange/sync/index.ts';
import { withOperator } from '../../src/server/index.ts';
import { IS_LONG_RUN } from '../support/parts.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { randomFrom } from '../support/random.ts';
import { startTeamServer, type TeamServer } from '../support/team-server.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';

const { skip } = postgresql;
const CLIENTS = 8;
const ROUNDS = IS_LONG_RUN ? 20 : 2;
/** The most acknowledged pushes between two kills. */
const BETWEEN = 60;
/** Decides when to kill what. Repeatable with the same seed, as far as the machine allows. */
const SEED = 9;
const PER_PUSH = 3;

let postgres: Postgres;
let database: string;
let key: string;

before(async () => {
  if (skip) return;
  postgres = await startPostgres({ durable: true });
  database = await postgres.newOwnedDatabase();
  const { made } = await withOperator(database, (operator) =>
    operator.init({ team: 'Harbour', owner: 'Ada' }),
  );
  key = made?.key.secret ?? '';
});

after(async () => {
  await postgres?.remove();
});

test(
  `nothing acknowledged is lost, and nothing is there twice (seed ${SEED}, ${ROUNDS} rounds)`,
  { skip },
  async () => {
    let server = await startTeamServer(database, { args: ['--rate', '100000'] });
    const { port } = server;
    const url = server.url;
    const project = await ask<SharedProject>(url, 'POST', '/v1/projects', {
      name: 'crash',
      keys: ['git:crash'],
    });
    assert.ok(project);
    const acknowledged = new Set<string>();
    const state = { isOver: false, lost: 0 };
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      pushUntilOver(url, project.id, client, acknowledged, state),
    );

    const random = randomFrom(SEED);
    const pushes = () => moreThan(acknowledged, acknowledged.size + random.below(BETWEEN), server);
    const killServer = async () => {
      server.signal('SIGKILL');
      await server.ended;
    };
    const startServer = async () => {
      server = await startTeamServer(database, { port, args: ['--rate', '100000'] });
    };
    for (let round = 0; round < ROUNDS; round++) {
      await pushes();
      await killServer();
      await startServer();
      await pushes();
      await postgres.stop(random.below(2) === 0 ? 'SIGQUIT' : 'SIGINT');
      await postgres.start();
      await pushes();
      await Promise.all([killServer(), postgres.stop('SIGQUIT')]);
      await postgres.start();
      await startServer();
    }
    await moreThan(acknowledged, acknowledged.size + BETWEEN, server);
    state.isOver = true;
    await Promise.all(clients);

    const stored = await pullAll(url, project.id);
    const times = Map.groupBy(stored, (id) => id);
    assert.deepEqual(
      [...acknowledged].filter((id) => !times.has(id)),
      [],
      'acknowledged, but missing',
    );
    assert.deepEqual(
      [...times].filter(([, all]) => all.length > 1),
      [],
    );
    assert.ok(state.lost > 0, 'some answers got lost on the way, or nothing was tried');
    await server.stop();
  },
);

/** Repeats the same request with the same key until it is answered, like a client. */
async function pushUntilOver(
  url: string,
  project: string,
  client: number,
  acknowledged: Set<string>,
  state: { isOver: boolean; lost: number },
): Promise<void> {
  for (let n = 0; !state.isOver; n++) {
    const entries = Array.from({ length: PER_PUSH }, (_, i) => entryOf(`Entry ${client} ${n} ${i}`));
    const request = { changes: entries.map(put), idempotencyKey: `client-${client}-push-${n}` };
    const answer = await waitFor(
      'an answer',
      async () => {
        const said = await ask<PushAnswer>(url, 'POST', `/v1/projects/${project}/changes`, request);
        if (!said) state.lost++;
        return said;
      },
      { timeout: 60_000 },
    );
    assert.deepEqual(
      answer.results.map(({ outcome }) => outcome),
      entries.map(() => 'stored'),
      'a repeated request gets the first answer',
    );
    for (const { id } of answer.results) acknowledged.add(id);
  }
}

async function pullAll(url: string, project: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after = 0; ;) {
    const page = await ask<PullAnswer>(url, 'GET', `/v1/projects/${project}/changes?after=${after}`);
    assert.ok(page);
    ids.push(...page.changes.map((change) => (change.op === 'put' ? change.entry.id : change.id)));
    if (!page.more) return ids;
    after = page.next;
  }
}

function moreThan(acknowledged: ReadonlySet<string>, wanted: number, server: TeamServer): Promise<boolean> {
  return waitFor('pushes to be acknowledged', () => acknowledged.size > wanted, {
    timeout: 60_000,
    explain: () => JSON.stringify(server.log.slice(-5)),
  });
}

/** Returns undefined if there was no answer or a 503. Anything else is a failure of the server. */
async function ask<T>(url: string, method: string, path: string, body?: unknown): Promise<T | undefined> {
  let response: Response;
  try {
    response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return (await response.json()) as T;
  } catch {
    return undefined;
  }
  assert.equal(response.status, 503, await response.text());
  return undefined;
}
