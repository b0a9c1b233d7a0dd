/** A member leaves: what they have is shown, handed over, exported or erased, and their machines are refused. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { AuditPage, PullAnswer, SharedProject } from '../../src/exchange/sync/index.ts';
import { memoriesOfMember } from '../../src/server/store/index.ts';
import { Machine } from '../support/machine.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';
import { Api, type Person } from './_api.ts';
import { operator } from './_operator.ts';
import { asSuperuser, tablesWith } from './_rows.ts';

const { skip } = postgresql;
let postgres: Postgres;
let database: string;
let superuser: string;
let api: Api;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newOwnedDatabase();
  superuser = postgres.urlOf(new URL(database).pathname.slice(1));
  api = await Api.open(database);
});
after(async () => {
  await api?.close();
  await postgres?.remove();
});

async function project(of: Person, name: string, sharedWith: 'everyone' | 'nobody'): Promise<string> {
  const wanted = { name, keys: [`remote:${of.team}/${name}`], with: sharedWith };
  return (await api.ask<SharedProject>(of.key, 'POST', '/v1/projects', wanted)).body.id;
}

async function push(
  by: Person,
  to: string,
  ...entries: readonly ReturnType<typeof entryOf>[]
): Promise<void> {
  const changes = entries.map(put);
  const idempotencyKey = `${by.name} ${entries[0]?.id} ${entries[0]?.version.clock}`;
  const { status, text } = await api.ask(by.key, 'POST', `/v1/projects/${to}/changes`, {
    changes,
    idempotencyKey,
  });
  assert.equal(status, 200, text);
}

/** Ada owns the team; Ben has an open and a private project, and memories in both and in Ada's. */
async function harbour(name: string) {
  const ada = await api.team(name, 'Ada');
  const ben = await api.member(ada.team, 'Ben', 'member');
  const [open, secret, hers] = [
    await project(ben, 'open', 'everyone'),
    await project(ben, 'secret', 'nobody'),
    await project(ada, 'hers', 'everyone'),
  ];
  await push(ben, open, entryOf(`Pilots of ${name} wear orange`, { by: 'ben-laptop' }));
  await push(ben, secret, entryOf(`The vault of ${name} is green`, { by: 'ben-laptop' }));
  await push(ben, hers, entryOf(`Moorings of ${name} are numbered`, { by: 'ben-desk' }));
  await push(ada, hers, entryOf(`Ada of ${name} keeps the log`));
  // Ada rewords Ben's entry, so that his text becomes a replaced one; it stays his.
  await push(ada, open, entryOf(`Pilots of ${name} wear orange`, { clock: 2, body: 'In summer too.' }));
  return { ada, ben, open, secret, hers };
}

const actions = async ({ key }: Person): Promise<readonly string[]> =>
  (await api.ask<AuditPage>(key, 'GET', '/v1/audit')).body.entries.map(({ action }) => action);

test('a dry run shows keys, machines, projects and memories, and changes nothing', { skip }, async (t) => {
  const { ada, ben } = await harbour('Dry');
  const run = operator(Machine.open(t), database);
  const shown = await run('member', 'remove', 'Ben', '--team', ada.team, '--dry-run');
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^Ben \(/m);
  assert.match(shown.stdout, /Keys: +1 valid/);
  assert.match(shown.stdout, /Machines: +.*ben-laptop.*ben-desk|ben-desk.*ben-laptop/);
  assert.match(shown.stdout, /Created: +(?:open, secret|secret, open)/);
  assert.match(shown.stdout, /1 in hers/);
  assert.match(shown.stdout, /Only they can read: secret/);
  assert.doesNotMatch(shown.stdout, /orange|vault/, 'never a text');
  const json = await run('member', 'remove', 'Ben', '--team', ada.team, '--dry-run', '--json');
  assert.equal((JSON.parse(json.stdout) as { projects: unknown[] }).projects.length, 3);
  assert.equal((await api.ask(ben.key, 'GET', '/v1/me')).status, 200);
  const unasked = await run('member', 'remove', 'Ben', '--team', ada.team);
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /--yes/);
});

test(
  'a removed member is refused at once, and their projects belong to another member',
  { skip },
  async (t) => {
    const { ada, ben, open, secret } = await harbour('Handed');
    const cyd = await api.member(ada.team, 'Cyd', 'member');
    const run = operator(Machine.open(t), database);
    const done = await run(
      'member',
      'remove',
      'Ben',
      '--team',
      ada.team,
      '--hand-over',
      'Cyd',
      '--yes',
      '--json',
    );
    assert.equal(done.code, 0, done.stderr);
    const { handedOver } = JSON.parse(done.stdout) as { handedOver: string[] };
    assert.deepEqual(handedOver.toSorted(), [open, secret].toSorted());
    assert.equal((await api.ask(ben.key, 'GET', '/v1/me')).status, 401);
    const { body } = await api.ask<PullAnswer>(cyd.key, 'GET', `/v1/projects/${secret}/changes`);
    const [change] = body.changes;
    assert.equal(change?.author.name, 'Ben', 'memories keep their author');
    const everyone = await api.ask(cyd.key, 'PUT', `/v1/projects/${secret}/shares/everyone`, {
      access: 'read',
    });
    assert.equal(everyone.status, 200, 'the new creator decides about the shares');
    const recorded = await actions(ada);
    assert.ok(recorded.includes('member.hand-over') && recorded.includes('member.remove'));
  },
);

test('projects go to a member who may own them', { skip }, async () => {
  const { ada, ben } = await harbour('Heirs');
  const rea = await api.member(ada.team, 'Rea', 'reader');
  for (const [to, status] of [
    [rea.id, 400],
    [ben.id, 400],
    [(await api.team('Elsewhere', 'Zoe')).id, 404],
  ] as const) {
    const asked = await api.ask(ada.key, 'DELETE', `/v1/members/${ben.id}?handOver=${to}`);
    assert.equal(asked.status, status, asked.text);
  }
  assert.equal((await api.ask(ben.key, 'GET', '/v1/me')).status, 200, 'nothing was changed');
});

test('erasing leaves no text of the member, and a tombstone for every machine', { skip }, async (t) => {
  const { ada, ben, open, secret, hers } = await harbour('Erased');
  const run = operator(Machine.open(t), database);
  const cursor = (await api.ask<PullAnswer>(ada.key, 'GET', `/v1/projects/${hers}/changes`)).body.next;
  const done = await run('member', 'remove', 'Ben', '--team', ada.team, '--erase', '--yes', '--json');
  assert.equal(done.code, 0, done.stderr);
  const { erased } = JSON.parse(done.stdout) as { erased: { memories: number; revisions: number } };
  assert.deepEqual(erased, { memories: 3, revisions: 0, messages: 0 });
  for (const words of ['Pilots of Erased', 'vault of Erased', 'Moorings of Erased'])
    assert.deepEqual(await tablesWith(superuser, words), [], words);
  const { body } = await api.ask<PullAnswer>(ada.key, 'GET', `/v1/projects/${hers}/changes?after=${cursor}`);
  assert.deepEqual(
    body.changes.map(({ op }) => op),
    ['tombstone'],
  );
  const page = await api.ask<{ memories: readonly { title: string }[] }>(
    ada.key,
    'GET',
    `/v1/projects/${hers}/memories`,
  );
  assert.deepEqual(
    page.body.memories.map(({ title }) => title),
    ['Ada of Erased keeps the log'],
  );
  const hidden = await api.ask(ada.key, 'GET', `/v1/projects/${secret}/changes`);
  assert.equal(hidden.status, 404, 'the owner still cannot read a project that was never shared with them');
  assert.equal((await api.ask(ada.key, 'GET', `/v1/projects/${open}/shares`)).text.includes(ben.id), false);
  assert.ok((await actions(ada)).includes('member.erase'));
  const again = await run('member', 'remove', 'Ben', '--team', ada.team, '--erase', '--yes', '--json');
  assert.equal((JSON.parse(again.stdout) as { erased: { memories: number } }).erased.memories, 0);
});

test('erasing that was interrupted continues with the same command', { skip }, async () => {
  const { ada, ben, open } = await harbour('Broken');
  const many = Array.from({ length: 1200 }, (_, i) => entryOf(`Buoy ${i} of Broken`));
  for (let from = 0; from < many.length; from += 400) await push(ben, open, ...many.slice(from, from + 400));
  await api.operator.removeMember({ team: ada.team, who: ben.id });
  const first = await api.operator.eraseMember({ team: ada.team, who: ben.id });
  assert.deepEqual([first.memories, first.isDone], [500, false]);
  const rest = await api.ask<{ erased: number; more: boolean }>(
    ada.key,
    'DELETE',
    `/v1/members/${ben.id}?erase=true`,
  );
  assert.deepEqual([rest.body.erased, rest.body.more], [703, false]);
  assert.deepEqual(await tablesWith(superuser, 'of Broken wear'), []);
});

test('erasing in a team of many projects touches only those of the member', { skip }, async () => {
  const { ada, ben, secret } = await harbour('Wide');
  await asSuperuser(superuser, async (ask) => {
    await ask(
      `INSERT INTO tidemark.project (team_id, id, name, created_by)
       SELECT $1, gen_random_uuid(), 'wide ' || n, $2 FROM generate_series(1, 3500) AS n`,
      [ada.team, ada.id],
    );
    await ask(
      `INSERT INTO tidemark.message (team_id, project_id, group_id, message_id, user_id, sender, role, content,
         create_time, member_id, request_id, state)
       VALUES ($1, $2, 'g', 'm', 'u', 's', 'user', 'The tide table of Wide', '2026-01-01T00:00:00Z', $3,
         gen_random_uuid(), 'failed')`,
      [ada.team, secret, ben.id],
    );
  });
  const removed = await api.ask<{ erased: number; more: boolean }>(
    ada.key,
    'DELETE',
    `/v1/members/${ben.id}?erase=true`,
  );
  assert.deepEqual([removed.body.erased, removed.body.more], [3, false], removed.text);
  assert.deepEqual(await tablesWith(superuser, 'The tide table of Wide'), []);
});

test('a share that an owner makes during an export stays', { skip }, async () => {
  const { ada, ben, secret } = await harbour('Meanwhile');
  const share = await asSuperuser(superuser, async (ask) => {
    await ask('BEGIN');
    await ask("INSERT INTO tidemark.share VALUES ($1, $2, $3, 'read')", [ada.team, secret, ada.id]);
    const exporting = api.store.transaction({ team: ada.team, member: ada.id }, (work) =>
      memoriesOfMember(work, secret, ben.id, { after: '', limit: 10 }),
    );
    const isWaiting = 'SELECT FROM pg_locks WHERE NOT granted AND database IS NULL';
    await waitFor('the export to wait for the share', async () => (await ask(isWaiting)).length > 0);
    await ask('COMMIT');
    assert.equal((await exporting).length, 1);
    return ask('SELECT access FROM tidemark.share WHERE project_id = $1 AND member_id = $2', [
      secret,
      ada.id,
    ]);
  });
  assert.deepEqual(share, [{ access: 'read' }]);
});

test('an operator who removes the oldest owner revokes their keys', { skip }, async () => {
  const ada = await api.team('Founded', 'Ada');
  await api.member(ada.team, 'Cyd', 'owner');
  await api.operator.removeMember({ team: ada.team, who: ada.id });
  const keys = await asSuperuser(superuser, (ask) =>
    ask('SELECT revoked_at IS NULL AS works FROM tidemark.api_key WHERE member_id = $1', [ada.id]),
  );
  assert.ok(keys.length > 0);
  assert.ok(keys.every(({ works }) => works === false));
});

test('only owners see what others have, hand over or erase', { skip }, async () => {
  const { ada, ben } = await harbour('Guarded');
  const eve = await api.member(ada.team, 'Eve', 'member');
  for (const query of ['', '?erase=true', `?handOver=${eve.id}`])
    assert.equal((await api.ask(eve.key, 'DELETE', `/v1/members/${ben.id}${query}`)).status, 403);
  for (const statement of [`tidemark.holdings('${ben.id}')`, `tidemark.hand_over('${ben.id}', '${eve.id}')`])
    await assert.rejects(
      api.store.transaction({ team: ada.team, member: eve.id }, (work) => work.row(`SELECT ${statement}`)),
      /lacks a privilege/,
    );
});

test('the export of one member is read by tidemark import', { skip }, async (t) => {
  const { ada } = await harbour('Copied');
  const machine = Machine.open(t);
  const run = operator(machine, database);
  const { stdout, code, stderr } = await run('member', 'export', 'Ben', '--team', ada.team);
  assert.equal(code, 0, stderr);
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { record: string });
  assert.equal(records[0]?.record, 'tidemark-export');
  assert.equal(records.filter(({ record }) => record === 'memory').length, 3);
  assert.match(stdout, /The vault of Copied is green/);
  assert.doesNotMatch(stdout, /Ada of Copied/);
  const file = join(machine.home, 'ben.jsonl');
  writeFileSync(file, stdout);
  const read = await machine.cli(['import', 'file', file, '--json']);
  assert.equal(read.code, 0, read.stderr + read.stdout);
  assert.match(read.stdout, /3/);
  assert.ok((await actions(ada)).includes('member.export'));
});
