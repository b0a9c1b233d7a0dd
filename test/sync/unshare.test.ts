/** Unsharing a project, with the stand-in and with the real server. */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { TeamServerStandIn } from '../support/team-stand-in.ts';
import { Member, type Team } from './_member.ts';
import { RealTeam } from './_real-team.ts';

const { skip } = postgresql;
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});

after(() => postgres?.remove());

test('unshare removes the user’s entries from the other machines and keeps them here', async (t) =>
  unshared(t, await TeamServerStandIn.open(t)));

test('the same through the real server', { skip }, async (t) =>
  unshared(t, await RealTeam.open(t, postgres)),
);

async function unshared(t: TestContext, server: Team): Promise<void> {
  const ada = await Member.open(t, server, await server.member('Ada'));
  const bob = await Member.open(t, server, await server.member('Bob'));
  const mine = await ada.remember('Pages are cached');
  const his = await bob.remember('Images are lazy');
  await ada.share();
  await bob.share();
  await ada.exchange();
  assert.equal((await ada.memories()).length, 2);
  const ran = await ada.machine.cli(['unshare', '.', '--yes']);
  assert.match(ran.stdout, /no longer shared/);
  assert.deepEqual(await idsOf(ada), [mine.id]);
  await bob.exchange();
  assert.deepEqual(await idsOf(bob), [his.id]);
  await ada.share();
  await bob.exchange();
  assert.equal((await bob.memories()).length, 2, 'it can be shared again');
  assert.equal((await ada.memories()).length, 2);
}

test('a reader can stop sharing: the entries of others leave this machine', async (t) =>
  readerLeft(t, await TeamServerStandIn.open(t)));

test('the same for a reader of the real server', { skip }, async (t) =>
  readerLeft(t, await RealTeam.open(t, postgres)),
);

async function readerLeft(t: TestContext, server: Team): Promise<void> {
  const ada = await Member.open(t, server, await server.member('Ada'));
  const eve = await Member.open(t, server, await server.member('Eve', 'read'));
  const made = await ada.remember('Pages are cached');
  await ada.share();
  const own = await eve.remember('Mine alone');
  await eve.share();
  assert.ok(await eve.entry(made.id));
  const ran = await eve.machine.cli(['unshare', '.', '--yes']);
  assert.match(ran.stdout, /no longer shared/);
  assert.deepEqual(await idsOf(eve), [own.id]);
  const { projects, problem } = await eve.machine.call('read.team', {});
  assert.deepEqual({ projects, problem }, { projects: [], problem: null });
  await ada.exchange();
  assert.deepEqual(await idsOf(ada), [made.id], 'nothing changed for the team');
}

async function idsOf(member: Member): Promise<readonly string[]> {
  return (await member.memories()).map(({ id }) => id);
}
