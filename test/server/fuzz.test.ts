/** Changed requests to a real team server on a real database: each is answered, and none with 5xx. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SharedProject } from '../../src/exchange/sync/index.ts';
import { serverRequest } from '../support/fuzz/http.ts';
import { reportLong } from '../support/long-report.ts';
import { IS_LONG_RUN } from '../support/parts.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { randomFrom } from '../support/random.ts';
import { Api, type Person } from './_api.ts';

const { skip } = postgresql;
const CASES = IS_LONG_RUN ? 10_000 : 300;
const SEED = 20_261_116;
let postgres: Postgres;
let api: Api;
let ada: Person;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  api = await Api.open(await postgres.newOwnedDatabase());
  ada = await api.team('Harbour', 'Ada');
});

after(async () => {
  await api?.close();
  await postgres?.remove();
});

test(`${CASES} changed requests are answered with 2xx or 4xx`, { skip }, async () => {
  const made = await api.ask<SharedProject>(ada.key, 'POST', '/v1/projects', { name: 'app', keys: [] });
  const statuses = new Map<number, number>();
  for (let n = 0; n < CASES; n++) {
    const { method, path, body } = serverRequest(randomFrom(SEED + n), made.body.id);
    const { status, text } = await api.ask(ada.key, method, path, body);
    assert.ok(status < 500, `case ${n}: ${method} ${path} ${body}: ${status} ${text}\n${api.log.at(-1)}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.ok((statuses.get(200) ?? 0) > 0 && (statuses.get(400) ?? 0) > 0, JSON.stringify([...statuses]));
  for (const [status, count] of statuses)
    reportLong({ subject: 'fuzz cases through the team server', part: `answered with ${status}`, count });
});
