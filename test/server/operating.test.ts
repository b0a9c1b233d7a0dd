/** For operators: one screen of figures, pruning in bounded batches, periods of a team, and metrics. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import type { PullAnswer, SharedProject } from '../../src/exchange/sync/index.ts';
import { keepUp, pruneAll } from '../../src/server/admin/index.ts';
import { everMem } from '../../src/server/evermem/index.ts';
import { prune } from '../../src/server/store/index.ts';
import { Machine } from '../support/machine.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { Api, type Person } from './_api.ts';
import { operator } from './_operator.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;
const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');
const HOUR_MS = 60 * 60_000;
let postgres: Postgres;
let database: string;
let superuser: string;
let api: Api;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newOwnedDatabase();
  superuser = postgres.urlOf(new URL(database).pathname.slice(1));
  api = await Api.open(database, { mounts: [everMem(), keepUp({ keptDays: 30, everyMs: HOUR_MS })] });
});
after(async () => {
  await api?.close();
  await postgres?.remove();
});

const sql = (text: string, values?: unknown[]) => asSuperuser(superuser, (ask) => ask(text, values));
const countOf = async (table: string, where = 'true'): Promise<number> =>
  Number((await sql(`SELECT count(*) AS n FROM tidemark.${table} WHERE ${where}`))[0]?.['n']);

async function pushed(by: Person, name: string, ...titles: readonly string[]): Promise<string> {
  const wanted = { name, keys: [`remote:${by.team}/${name}`] };
  const { id } = (await api.ask<SharedProject>(by.key, 'POST', '/v1/projects', wanted)).body;
  const changes = titles.map((title) => put(entryOf(title)));
  await api.ask(by.key, 'POST', `/v1/projects/${id}/changes`, {
    changes,
    idempotencyKey: `of ${name} ${by.team}`,
  });
  return id;
}

test('status is one screen, without the password, and its figures are right', { skip }, async (t) => {
  const ada = await api.team('Harbour', 'Ada');
  await api.member(ada.team, 'Ben', 'member');
  await api.key(ada.team, ada.id, ['read'], new Date(Date.now() + 24 * HOUR_MS).toISOString());
  await sql("UPDATE tidemark.api_key SET created_at = now() - interval '100 days' WHERE member_id <> $1", [
    ada.id,
  ]);
  await pushed(ada, 'docks', 'Cranes turn left', 'Ropes are checked on Monday');
  const run = operator(Machine.open(t), database);
  const shown = await run('status');
  assert.equal(shown.code, 0, shown.stderr);
  assert.ok(!`${shown.stdout}${shown.stderr}`.includes(new URL(database).password));
  assert.match(shown.stdout, /^Database +postgres:\/\/test_1@127\.0\.0\.1:\d+\/test_1, PostgreSQL \d+.*MB$/m);
  assert.match(shown.stdout, /^Teams +1, 2 members \(0 removed\), 1 project, 2 memories$/m);
  assert.match(shown.stdout, /^Keys +3 active; 1 expire within 14 days; 1 unused for 90 days$/m);
  assert.match(shown.stdout, /Largest teams\n +2 +Harbour \(2 members, 1 project\)/);
  assert.match(shown.stdout, /Last pushes\n.*Harbour: Ada → docks/);
  assert.match(shown.stdout, /Connections\n +\d+ +tidemark.*127\.0\.0\.1/);
  assert.doesNotMatch(shown.stdout, /Cranes/, 'never a text');
  const json = JSON.parse((await run('status', '--json')).stdout) as {
    queues: object;
    schema: { done: number };
  };
  assert.deepEqual(json.queues, { withoutVectors: 2, messages: 0, oldestMessage: null, failedMessages: 0 });
});

test('the figures of all teams cannot be read within a request', { skip }, async () => {
  const zoe = await api.team('Zeta', 'Zoe');
  const caller = { team: zoe.team, member: zoe.id };
  for (const call of [
    "tidemark.overview(10, interval '1 day', interval '1 day')",
    'tidemark.upkeep(now())',
    "tidemark.prune('push', NULL, now(), 1)",
    'tidemark.retentions()',
  ])
    await assert.rejects(
      api.store.transaction(caller, (work) => work.row(`SELECT ${call}`)),
      /lacks a privilege/,
      call,
    );
});

test('pruning deletes what is over in batches, and nothing of the last day', { skip }, async () => {
  const ada = await api.team('Pruned', 'Ada');
  const id = await pushed(ada, 'quay', 'Bollards are iron');
  const old = "now() - interval '40 days'";
  await sql(
    `INSERT INTO tidemark.push SELECT $1, $2, $3, 'old ' || n, '{}', ${old} FROM generate_series(1, 25) AS n`,
    [ada.team, id, ada.id],
  );
  await sql(
    `INSERT INTO tidemark.message (team_id, project_id, group_id, message_id, user_id, sender, role, content, create_time,
       member_id, request_id, state, received_at)
     SELECT $1, $2, 'g', state || n, 'u', 's', 'user', '', '2026-01-01T00:00:00Z', $3, gen_random_uuid(), state, ${old}
     FROM generate_series(1, 5) AS n, unnest(ARRAY['done', 'failed']) AS state`,
    [ada.team, id, ada.id],
  );
  await sql(
    `INSERT INTO tidemark.hub_link VALUES ($1, 'ended', $2, 'k', sha256('x'), now() - interval '1 minute')`,
    [ada.team, ada.id],
  );
  const [now, keptDays] = [new Date(), 30];
  assert.equal(await prune(api.store, 'push', { before: new Date(), most: 10 }), 10, 'at most one batch');
  assert.equal(await countOf('push', "key LIKE 'old %'"), 15);
  const report = await pruneAll(api.store, { now, keptDays, batch: 4 });
  assert.deepEqual(report, { push: 15, message: 5, hub_link: 1 });
  assert.equal(await countOf('push', `team_id = '${ada.team}'`), 1, 'the answer of today stays');
  assert.equal(await countOf('message', "state = 'failed'"), 5, 'a message that is no memory yet stays');
  const later = new Date(now.getTime() + 400 * 24 * HOUR_MS);
  await pruneAll(api.store, { now: later, keptDays: 0 });
  assert.equal(
    await countOf('push', `team_id = '${ada.team}'`),
    1,
    'a wrong clock deletes nothing of the last day',
  );
});

test('one server prunes at a time', { skip }, async () => {
  const ada = await api.team('Alone', 'Ada');
  const id = await pushed(ada, 'pier', 'Planks are oak');
  await sql(`INSERT INTO tidemark.push VALUES ($1, $2, $3, 'old', '{}', now() - interval '40 days')`, [
    ada.team,
    id,
    ada.id,
  ]);
  const other = new Client({ connectionString: superuser });
  await other.connect();
  await other.query("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('pruning of tidemark', 0))");
  assert.deepEqual(await pruneAll(api.store, { now: new Date(), keptDays: 30 }), {});
  await other.end();
  assert.deepEqual(await pruneAll(api.store, { now: new Date(), keptDays: 30 }), { push: 1 });
});

const PASSING = "split_part(action, '.', 1) NOT IN ('team', 'member', 'key')";
const ONE_TEAM = "team_id = '00000000-0000-4000-8000-000000000000'";

test('a batch among 100,000 rows reads as many rows as it deletes', { skip }, async () => {
  const ada = await api.team('Many', 'Ada');
  const id = await pushed(ada, 'many', 'Gulls are many');
  await sql(
    `INSERT INTO tidemark.push SELECT $1, $2, $3, 'old ' || n, '{}', now() - interval '40 days' - n * interval '1 second'
     FROM generate_series(1, 100000) AS n`,
    [ada.team, id, ada.id],
  );
  const read = await asSuperuser(superuser, async (ask) => {
    await ask('BEGIN');
    await ask("SELECT tidemark.prune('push', NULL, now() - interval '30 days', 1000)");
    const [row] = await ask(
      `SELECT sum(n_tup_del) AS n_tup_del, sum(seq_tup_read) AS seq_tup_read, sum(idx_tup_fetch) AS idx_tup_fetch
       FROM pg_stat_xact_user_tables WHERE relname ~ '^push_p'`,
    );
    await ask('ROLLBACK');
    return row;
  });
  assert.equal(Number(read?.['n_tup_del']), 1000);
  assert.equal(Number(read?.['seq_tup_read']), 0, 'no sequential scan');
  assert.ok(Number(read?.['idx_tup_fetch']) <= 3000, `${String(read?.['idx_tup_fetch'])} rows read`);
  await sql('DELETE FROM tidemark.push WHERE team_id = $1', [ada.team]);
});

test('every pruned kind reads its oldest rows from an index', { skip }, async () => {
  const plans: [table: string, where: string, order: string][] = [
    ['push', "at < now() - interval '30 days'", 'at'],
    ['message', "state = 'done' AND received_at < now() - interval '30 days'", 'received_at'],
    ['session_event', "received_at < now() - interval '30 days'", 'received_at'],
    ['hub_link', 'until < now()', 'until'],
    ['hub_visit', 'until < now()', 'until'],
    ['memory_revision', `${ONE_TEAM} AND kept_at < now()`, 'kept_at'],
    ['audit', `${ONE_TEAM} AND at < now() AND ${PASSING}`, 'at'],
    [
      'memory',
      `${ONE_TEAM} AND project_id = team_id AND changed_at < now() AND state <> 'open' AND kind <> 'preference'`,
      'changed_at',
    ],
  ];
  for (const [table, where, order] of plans) {
    const rows = await asSuperuser(superuser, async (ask) => {
      await ask('SET enable_seqscan = off');
      await ask('SET enable_bitmapscan = off');
      return ask(`EXPLAIN SELECT * FROM tidemark.${table} WHERE ${where} ORDER BY ${order} LIMIT 1000`);
    });
    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    assert.match(plan, /Index (?:Only )?Scan/, plan);
    // Partitions are merged by their sort key.
    assert.doesNotMatch(plan, /-> +(?:Incremental )?Sort |^(?:Incremental )?Sort /m, plan);
  }
});

test(
  'a period forgets old memories on every machine, but no open entry and no preference',
  { skip },
  async (t) => {
    const ada = await api.team('Aged', 'Ada');
    const secret = await api.member(ada.team, 'Ben', 'member');
    const run = operator(Machine.open(t), database);
    const wanted = { name: 'old', keys: ['remote:aged/old'], with: 'nobody' };
    const { id } = (await api.ask<SharedProject>(secret.key, 'POST', '/v1/projects', wanted)).body;
    const at = '2020-01-01T00:00:00.000Z';
    const entries = [
      entryOf('Old and over', { at }),
      entryOf('Old and open', { at, kind: 'issue', state: 'open' }),
      entryOf('Old preference', { at, kind: 'preference' }),
      entryOf('Old but changed since', { at }),
      entryOf('New'),
    ];
    const changes = entries.map(put);
    await api.ask(secret.key, 'POST', `/v1/projects/${id}/changes`, {
      changes,
      idempotencyKey: 'the old ones',
    });
    await sql(
      `UPDATE tidemark.memory SET changed_at = now() - interval '3 years' WHERE project_id = $1 AND title <> 'Old but changed since'`,
      [id],
    );
    const set = ['settings', 'set', 'retention.memories', '730d', '--team', ada.team];
    const preview = await run(...set, '--dry-run');
    assert.match(preview.stdout, /: 1 memory\n +old: 1/);
    assert.equal((await run('settings', '--team', ada.team, '--json')).stdout.trim(), '{}');
    assert.match((await run(...set)).stderr, /cannot be undone.*\n.*--yes/);
    const done = await run(...set, '--yes');
    assert.match(done.stdout, /retention\.memories = 730 days/);
    assert.deepEqual(await pruneAll(api.store, { now: new Date(), keptDays: 30 }), { memory: 1 });
    const { body } = await api.ask<PullAnswer>(secret.key, 'GET', `/v1/projects/${id}/changes`);
    assert.deepEqual(
      body.changes.map((one) => (one.op === 'put' ? one.entry.title : one.op)),
      ['Old and open', 'Old preference', 'Old but changed since', 'New', 'tombstone'],
    );
    const { text } = await api.ask(ada.key, 'GET', '/v1/audit');
    assert.match(text, /memory\.expire.*"days":730/);
    assert.match(text, /team\.settings/);
  },
);

test('replaced texts and the audit log end with the periods of their team only', { skip }, async () => {
  const [ada, zoe] = [await api.team('Short', 'Ada'), await api.team('Long', 'Zoe')];
  for (const person of [ada, zoe]) await pushed(person, 'logged', 'Ropes are tarred');
  for (const { team } of [ada, zoe])
    await sql("UPDATE tidemark.audit SET at = now() - interval '120 days' WHERE team_id = $1", [team]);
  await api.operator.setSettings({ team: ada.team, changes: { 'retention.audit': 90 } });
  const of = (team: string) => `team_id = '${team}'`;
  const [before, kept] = [
    await countOf('audit', of(zoe.team)),
    await countOf('audit', `${of(ada.team)} AND NOT ${PASSING}`),
  ];
  const report = await pruneAll(api.store, { now: new Date(), keptDays: 30 });
  assert.ok((report.audit ?? 0) > 0);
  assert.equal(await countOf('audit', of(ada.team)), kept, 'members, keys and settings stay');
  assert.ok(kept > 1);
  assert.equal(await countOf('audit', of(zoe.team)), before);
  await sql(
    "UPDATE tidemark.audit SET at = now() - interval '120 days', action = 'share.set' WHERE team_id = $1",
    [ada.team],
  );
  const [newest] = await sql('SELECT max(id) AS id FROM tidemark.audit WHERE team_id = $1', [ada.team]);
  await pruneAll(api.store, { now: new Date(), keptDays: 30 });
  const left = await sql('SELECT id FROM tidemark.audit WHERE team_id = $1', [ada.team]);
  assert.deepEqual(left, [newest], 'numbers are never given twice');
});

test('a team that cannot be pruned does not keep the others from it', { skip }, async () => {
  const [bad, good] = [await api.team('Ownerless', 'Ada'), await api.team('Sound', 'Zoe')];
  const id = await pushed(good, 'sound', 'Fog horns are brass');
  for (const { team } of [bad, good])
    await api.operator.setSettings({ team, changes: { 'retention.memories': 30 } });
  await sql("UPDATE tidemark.member SET role = 'member' WHERE team_id = $1", [bad.team]);
  await sql(
    "UPDATE tidemark.memory SET at = '2020-01-01T00:00:00.000Z', changed_at = '2020-01-01' WHERE project_id = $1",
    [id],
  );
  await assert.rejects(pruneAll(api.store, { now: new Date(), keptDays: 30 }), /has no owner/);
  assert.equal(await countOf('memory', `project_id = '${id}'`), 0);
  await sql('DELETE FROM tidemark.team_setting WHERE team_id = $1', [bad.team]);
});

test('a period has a shortest value, asks, and has a preview only for memories', { skip }, async (t) => {
  const ada = await api.team('Hasty', 'Ada');
  for (const [key, days] of [
    ['retention.memories', 29],
    ['retention.revisions', 29],
    ['retention.audit', 89],
  ] as const) {
    const { status } = await api.ask(ada.key, 'PUT', '/v1/team/settings', { settings: { [key]: days } });
    assert.equal(status, 400, key);
  }
  const run = operator(Machine.open(t), database);
  const set = ['settings', 'set', 'retention.revisions', '30d', '--team', ada.team];
  const previewed = await run(...set, '--dry-run');
  assert.deepEqual([previewed.code, /--dry-run is only for/.test(previewed.stderr)], [2, true]);
  const unasked = await run(...set);
  assert.deepEqual([unasked.code, /--yes/.test(unasked.stderr)], [2, true]);
  assert.deepEqual(await api.operator.settings({ team: ada.team }), {});
  assert.equal((await run(...set, '--yes')).code, 0);
  assert.deepEqual(await api.operator.settings({ team: ada.team }), { 'retention.revisions': 30 });
});

test('dashboard and alerts name only metrics that the server has', { skip }, async () => {
  const ada = await api.team('Measured "team"', 'Ada');
  await api.ask('tmk_wrong', 'GET', '/v1/me');
  const { text } = await api.ask(ada.key, 'GET', '/metrics');
  const known = new Set([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '']) => name));
  for (const file of ['grafana-dashboard.json', 'alerts.yml']) {
    const used = readFileSync(join(DEPLOY, file), 'utf8').match(/\b(?:tidemark|process)_[a-z_]+\b/g) ?? [];
    assert.ok(used.length > 0, file);
    for (const name of new Set(used))
      assert.ok(known.has(name.replace(/_(?:bucket|sum|count)$/, '')) || known.has(name), `${file}: ${name}`);
  }
  assert.doesNotMatch(text, /Measured|Ada|Harbour|[0-9a-f]{8}-[0-9a-f]{4}/, 'no team and no member');
  assert.match(text, /^tidemark_errors_total\{code="unauthorized"\} 1$/m);
  assert.match(text, /^tidemark_database_bytes \d{5,}$/m);
  assert.match(text, /^tidemark_prunable_rows\{table="push"\} \d+$/m);
  assert.match(text, /^tidemark_unembedded_texts \d+$/m);
});
