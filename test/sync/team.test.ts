/** Two members of a team on two machines: each reads, changes and forgets what the other writes. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DIST } from '../support/machine.ts';
import { TeamServerStandIn } from '../support/team-stand-in.ts';
import { waitFor } from '../support/wait-for.ts';
import { Member } from './_member.ts';

test('a shared entry reaches the other member with its author', async (t) => {
  const { ada, bob } = await team(t);
  const made = await ada.remember('Refresh tokens rotate on every use', {
    reason: 'a stolen one is noticed',
  });
  await ada.share();
  await bob.remember('Sessions end after a week');
  await bob.share();
  const there = await bob.entry(made.id);
  assert.equal(there?.author, 'Ada');
  assert.equal(there?.reason, 'a stolen one is noticed');
  const found = await bob.machine.cli(['search', 'refresh tokens']);
  assert.match(found.stdout, /Refresh tokens rotate on every use \(by Ada\)/);
  assert.match((await bob.machine.cli(['show', made.id])).stdout, /on Ada's machine/);
  const transcript = await bob.machine.cli(['transcript', made.id]);
  assert.match(transcript.stderr, /on Ada's machine/);
  assert.match((await bob.machine.cli(['brief'])).stdout, /\(Ada, /);
  await ada.exchange();
  assert.deepEqual(
    new Map((await ada.memories()).map(({ title, author }) => [title, author])),
    new Map([
      ['Refresh tokens rotate on every use', undefined],
      ['Sessions end after a week', 'Bob'],
    ]),
  );

  const before = await bob.memories();
  await bob.machine.cli(['reindex']);
  assert.match((await bob.machine.cli(['search', 'refresh tokens'])).stdout, /\(by Ada\)/);
  await bob.exchange();
  await ada.exchange();
  assert.deepEqual(await bob.memories(), before, 'a lost cursor changes nothing');
});

test('a new member without memories of the project shares it by its folder', async (t) => {
  const { ada, bob } = await team(t);
  const made = await ada.remember('Refresh tokens rotate on every use');
  await ada.share();
  const preview = await bob.machine.cli(['share', '.', '--dry-run']);
  assert.match(preview.stdout, /entries\s+0\n/);
  assert.equal((await bob.machine.cli(['projects'])).stdout, '', 'a preview changes nothing');
  await bob.share();
  assert.equal((await bob.entry(made.id))?.author, 'Ada');
  assert.match((await bob.machine.cli(['search', 'refresh tokens'])).stdout, /\(by Ada\)/);
});

test('the same statement of two members is stored twice and shown once', async (t) => {
  const { ada, bob } = await team(t);
  const statement = 'Barnacles are scraped off in March';
  await ada.remember(statement);
  await ada.share();
  await bob.remember(statement);
  await bob.share();
  await ada.exchange();
  for (const one of [ada, bob]) {
    assert.equal((await one.memories()).length, 2);
    for (const args of [['search', 'barnacles scraped'], ['brief']]) {
      const { stdout } = await one.machine.cli(args);
      assert.equal(stdout.split(statement).length - 1, 1, `${args[0]}: ${stdout}`);
    }
  }
});

test('changes by command, by editor and of state are exchanged in both directions', async (t) => {
  const { ada, bob } = await team(t);
  const issue = await ada.remember('The login page flickers', { kind: 'issue' });
  const fact = await ada.remember('Cookies are strict');
  await ada.share();
  await bob.share();
  await bob.machine.call('settle', { ids: [issue.id], done: true });
  await waitFor('the state to reach Ada', async () => {
    await ada.exchange();
    return (await ada.entry(issue.id))?.state === 'resolved';
  });
  await bob.rewrite((text) => text.replace('Cookies are strict', 'Cookies are strict and secure'));
  await waitFor('the edit to reach Ada', async () => {
    await bob.exchange();
    await ada.exchange();
    return (await ada.entry(fact.id))?.title === 'Cookies are strict and secure';
  });
  assert.equal((await ada.entry(fact.id))?.author, undefined);
  assert.deepEqual((await ada.team()).conflicts, []);
});

test('a merge reaches the team, and so does its undo', async (t) => {
  const { ada, bob } = await team(t);
  const [stays, goes] = [
    await ada.remember('Orders are kept in PostgreSQL'),
    await ada.remember('A lost order is worse than a slow one'),
  ];
  const titles = async (one: Member) => (await one.memories()).map(({ title }) => title).toSorted();
  const both = await titles(ada);
  for (const one of [ada, bob]) await one.share();
  assert.deepEqual(await titles(bob), both);
  await ada.machine.cli(['merge', stays.id, goes.id]);
  for (const one of [ada, bob]) await one.exchange();
  assert.deepEqual(await titles(bob), [stays.title]);
  assert.equal((await ada.machine.cli(['merge', '--undo', stays.id])).code, 0);
  for (const one of [ada, bob]) await one.exchange();
  assert.deepEqual([await titles(ada), await titles(bob)], [both, both]);
  assert.equal((await bob.entry(goes.id))?.author, 'Ada');
});

test('of two concurrent edits the later wins everywhere, and the replaced text is recorded and shown', async (t) => {
  const { ada, bob, server } = await team(t);
  const { id } = await ada.remember('Queues drain by hand');
  await bob.remember('Queues are short at night');
  await ada.share();
  await bob.share();
  await ada.exchange();
  server.away = true;
  await ada.edit(id, { title: 'Queues drain by Ada' });
  await ada.exchange().catch(() => {});
  await bob.edit(id, { title: 'Queues drain by Bob' });
  await bob.exchange().catch(() => {});
  server.away = false;
  for (const one of [bob, ada, bob]) await one.exchange();
  assert.equal((await ada.entry(id))?.title, 'Queues drain by Bob');
  assert.equal((await bob.entry(id))?.title, 'Queues drain by Bob');
  const { stdout } = await ada.machine.cli(['team', '--conflicts']);
  assert.match(stdout, /Queues drain by Ada/);
  assert.match((await ada.machine.cli(['team'])).stdout, /yours was replaced by Bob's from /);
  await ada.machine.cli(['reindex']);
  assert.equal((await ada.team()).conflicts.length, 1, 'it is no part of the index alone');
  await ada.machine.cli(['team', '--seen', id]);
  assert.equal((await ada.team()).conflicts.length, 0);
  await ada.machine.cli(['reindex']);
  assert.doesNotMatch((await ada.machine.cli(['team', '--conflicts'])).stdout, /drain by Ada/);
});

test('a forgotten entry disappears from the server and from all members', async (t) => {
  const { ada, bob, server } = await team(t);
  const { id } = await ada.remember('The wombat service is deprecated');
  await ada.share();
  await bob.share();
  assert.ok(await bob.entry(id));
  await bob.machine.cli(['forget', id, '--now']);
  await bob.exchange();
  await ada.exchange();
  assert.equal(await ada.entry(id), undefined);
  assert.deepEqual(
    server.entries().map(({ op }) => op),
    ['tombstone'],
  );
  await ada.machine.cli(['forget', id, '--undo']);
  assert.ok(await ada.entry(id));
  await ada.exchange();
  await bob.exchange();
  assert.equal(await bob.entry(id), undefined, 'its owner restored it, but does not share it again');
});

test('a forgotten entry can be restored for a day, on every machine', async (t) => {
  const { ada, bob } = await team(t);
  const { id } = await ada.remember('The quokka service is deprecated');
  await ada.share();
  await bob.share();
  await ada.machine.cli(['forget', id]);
  await ada.exchange();
  await bob.exchange();
  assert.equal(await bob.entry(id), undefined);
  await ada.machine.cli(['forget', id, '--undo']);
  await ada.exchange();
  await bob.exchange();
  assert.equal((await bob.entry(id))?.title, 'The quokka service is deprecated');
});

test('changes made while the server is away survive SIGKILL and are sent when it is back', async (t) => {
  const { ada, bob, server } = await team(t);
  await ada.share();
  await bob.share();
  server.away = true;
  const made = await ada.remember('Backups run at night');
  await ada.exchange().catch(() => {});
  const view = await ada.team();
  assert.equal(view.waiting, 1);
  assert.equal(view.problem?.code, 'team.away');
  assert.match((await ada.machine.cli(['search', 'backups'])).stdout, /Backups run at night/);
  await ada.machine.killDaemons();
  rmSync(ada.machine.places.teamState, { force: true });
  server.away = false;
  server.hangUps = 1;
  await ada.machine.up();
  await waitFor('it to be sent', async () => {
    await ada.exchange();
    return (await ada.team()).waiting === 0;
  });
  await bob.exchange();
  assert.equal((await bob.entry(made.id))?.author, 'Ada');
  assert.equal((await bob.memories()).length, 1);
});

test('a change is sent automatically', async (t) => {
  const { ada, bob } = await team(t);
  await ada.share();
  await bob.share();
  const made = await ada.remember('Alarms ring twice');
  await waitFor('it to be sent', async () => {
    await bob.exchange();
    return (await bob.entry(made.id)) !== undefined;
  });
});

test('a reader receives entries, sees that nothing is sent, and archives the days of others', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const eve = await Member.open(t, server, server.member('Eve', 'read'));
  const noted = join(ada.machine.root, '2025-01-02_0900.md');
  writeFileSync(noted, '# Session 2025-01-02_0900\n\n## Decisions\n- Pages are cached\n');
  const taken = await ada.machine.cli(['extract-facts', noted]);
  assert.equal(taken.code, 0, taken.stderr);
  const [made] = await ada.memories();
  assert.ok(made);
  await ada.share();
  await eve.remember('Mine alone');
  await eve.share();
  assert.equal((await eve.entry(made.id))?.author, 'Ada');
  assert.match((await eve.machine.cli(['team'])).stdout, /read-only: your changes stay/);
  assert.equal(server.received.includes('Pages are cached'), true);
  assert.equal(server.received.includes('Mine alone'), false, 'nothing is sent, not even to be refused');
  assert.match((await eve.machine.cli(['doctor'])).stdout, /1 project shared/);

  const report = await eve.machine.call('archive', { days: 30 });
  assert.equal(report.days, 1);
  assert.match((await eve.machine.cli(['search', 'pages cached'])).stdout, /\(by Ada\)/);
});

test('login stores the key for the owner only and refuses unencrypted servers and unknown keys', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const { places } = ada.machine;
  assert.equal(statSync(places.team).mode & 0o777, 0o600);
  const { key } = (JSON.parse(readFileSync(places.team, 'utf8')) as { login: { key: string } }).login;
  for (const args of [['team'], ['team', '--json'], ['doctor'], ['logs', '--lines', '1000']]) {
    const { stdout, stderr } = await ada.machine.cli(args);
    assert.equal(`${stdout}${stderr}`.includes(key), false, args.join(' '));
  }
  const bare = await ada.machine.run(
    process.execPath,
    [join(DIST, 'cli.cjs'), 'login', 'http://memory.example.com', '--key-stdin'],
    { input: 'tmk_x_y\n' },
  ).ended;
  assert.match(bare.stderr, /not encrypted/);
  const wrong = await ada.machine.run(
    process.execPath,
    [join(DIST, 'cli.cjs'), 'login', server.url, '--key-stdin'],
    {
      input: 'tmk_x_y\n',
    },
  ).ended;
  assert.match(wrong.stderr, /does not accept the key/);
  assert.equal(wrong.code, 1);
  const typed = await ada.machine.cli(['login', server.url]);
  assert.match(typed.stderr, /only be typed at a terminal/);
  const out = await ada.machine.cli(['logout']);
  assert.equal(out.code, 0, out.stderr);
  assert.equal(readFileSync(places.team, 'utf8').includes(key), false);
  assert.match((await ada.machine.cli(['share', '.', '--yes'])).stderr, /tidemark login/);
});

async function team(t: TestContext) {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const bob = await Member.open(t, server, server.member('Bob'));
  return { server, ada, bob };
}
