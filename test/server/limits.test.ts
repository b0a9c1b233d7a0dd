/** Limits that two servers of one database count together. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { startTeamServer } from '../support/team-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { Api } from './_api.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;
/** Runs off so slowly that no test sees it. */
const SLOW = { perSecond: 0.001, burst: 20 };
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});
after(async () => {
  await postgres?.remove();
});

test('a key that used its limit at one server is soon refused by the other', { skip }, async (t) => {
  const database = await postgres.newDatabase();
  const [one, two] = [await Api.open(database, { rate: SLOW }), await Api.open(database, { rate: SLOW })];
  t.after(() => Promise.all([one.close(), two.close()]));
  const { key } = await one.team('Harbour', 'Ada');
  const ask = async (at: Api): Promise<number> => (await at.ask(key, 'GET', '/v1/me')).status;
  const reported = (least: number) =>
    waitFor(`${least} reported`, async () => {
      const [row] = await asSuperuser(database, (sql) => sql('SELECT level FROM tidemark.limit_use'));
      return Number(row?.['level']) > least - 1;
    });
  let granted = 0;
  while ((await ask(one)) === 200) granted++;
  assert.equal(granted, SLOW.burst);
  await reported(SLOW.burst);
  // The other one reports what is above a quarter of the burst, and then knows.
  const few = SLOW.burst / 4 + 1;
  for (let n = 0; n < few; n++) assert.equal(await ask(two), 200);
  await reported(SLOW.burst + few);
  granted = few;
  await waitFor('a refusal', async () => {
    const status = await ask(two);
    if (status === 200) granted++;
    return status === 429;
  });
  assert.ok(granted < SLOW.burst, `${granted} of ${SLOW.burst}`);
});

test('wrong keys tried at two server processes count together', { skip }, async (t) => {
  const database = await postgres.newDatabase();
  const first = await startTeamServer(database);
  t.after(() => first.stop());
  const second = await startTeamServer(database);
  t.after(() => second.stop());
  const statuses: number[] = [];
  for (let n = 0; n < 36; n++) {
    const { url } = n % 2 ? first : second;
    const wrong = `tmk_aaaaaaaaaaaa_${String(n).padStart(43, 'x')}`;
    statuses.push((await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${wrong}` } })).status);
  }
  const refused = statuses.filter((status) => status === 429).length;
  assert.ok(refused > 8, `${statuses.join(' ')}`); // 20 at once, and one more in five seconds
  const kept = await asSuperuser(database, (sql) => sql('SELECT name FROM tidemark.limit_use'));
  assert.doesNotMatch(JSON.stringify(kept), /127\.0|aaaa/, 'no address and no key is stored');
});
