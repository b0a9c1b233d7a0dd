/** `forget --now` reaches every copy of the text on the machines of the other members, with their next exchange. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { leaksIn } from '../support/leaks.ts';
import { TeamServerStandIn } from '../support/team-stand-in.ts';
import { Member } from './_member.ts';

interface Team {
  readonly ada: Member;
  readonly bob: Member;
  readonly server: TeamServerStandIn;
  readonly id: string;
}

/** A team in which Ada has shared an entry with the word in its text, and Bob has received it. */
async function teamWith(t: TestContext, word: string): Promise<Team> {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const bob = await Member.open(t, server, server.member('Bob'));
  const { id } = await ada.remember(`The ${word} queue drains at night`);
  await bob.remember('Alarms ring twice');
  await ada.share();
  await bob.share();
  assert.match((await bob.entry(id))?.title ?? '', new RegExp(word));
  return { ada, bob, server, id };
}

/** Ada forgets the entry for good, and Bob hears of it. */
async function forgetNow({ ada, bob, id }: Team): Promise<void> {
  const { code, stderr } = await ada.machine.cli(['forget', id, '--now']);
  assert.equal(code, 0, stderr);
  await ada.exchange();
  await bob.exchange();
}

/** Asserts that no file of the members contains the word, also after the index is rebuilt. */
async function assertErased(members: readonly Member[], word: string): Promise<void> {
  for (const rebuilt of [false, true])
    for (const { machine, name } of members) {
      if (rebuilt) await machine.cli(['reindex']);
      assert.deepEqual(leaksIn(machine.places.home, [{ name: word, text: word }]), [], name);
      assert.doesNotMatch((await machine.cli(['search', word])).stdout, new RegExp(word));
    }
}

test('the replaced texts of a conflict are erased on both sides', async (t) => {
  const word = 'quokkaberry';
  const team = await teamWith(t, word);
  const { ada, bob, server, id } = team;
  server.away = true;
  await ada.edit(id, { body: `Ada says ${word}` });
  await ada.exchange().catch(() => {});
  await bob.edit(id, { body: `Bob says ${word}` });
  await bob.exchange().catch(() => {});
  server.away = false;
  for (const one of [bob, ada, bob]) await one.exchange();
  const views = await Promise.all([ada, bob].map((one) => one.team()));
  assert.ok(views.some(({ conflicts }) => conflicts.length > 0));
  await bob.machine.cli(['backup']);
  await forgetNow(team);
  await assertErased([ada, bob], word);
  assert.deepEqual((await bob.team()).conflicts, []);
});

test('an entry that the other member merged into an entry of their own is erased', async (t) => {
  const word = 'wombatberry';
  const team = await teamWith(t, word);
  const { bob, id } = team;
  const own = await bob.remember('Queues drain at night, every night');
  const merged = await bob.machine.cli(['merge', own.id, id]);
  assert.equal(merged.code, 0, merged.stderr);
  await bob.machine.cli(['backup']);
  await forgetNow(team);
  await assertErased([bob], word);
  assert.equal((await bob.entry(own.id))?.title, 'Queues drain at night, every night');
});

test('an entry that the other member could still restore is erased', async (t) => {
  const word = 'numbatberry';
  const team = await teamWith(t, word);
  const { bob, id } = team;
  await bob.machine.cli(['forget', id]);
  await forgetNow(team);
  await assertErased([bob], word);
  assert.notEqual((await bob.machine.cli(['forget', id, '--undo'])).code, 0);
});

test('an entry that the other member moved to another project is erased', async (t) => {
  const word = 'dingoberry';
  const team = await teamWith(t, word);
  const { bob, id } = team;
  const mine = await bob.machine.call('remember', {
    draft: { kind: 'decision', title: 'Elsewhere', body: '', facts: [], concepts: [], files: [] },
    dir: bob.machine.home,
  });
  assert.notEqual(mine.project, await bob.project);
  await bob.machine.call('move', { id, project: mine.project });
  await forgetNow(team);
  await assertErased([bob], word);
});

test('a tombstone of the team does not touch an entry that never came from it', async (t) => {
  const team = await teamWith(t, 'bilbyberry');
  const { bob, ada, server } = team;
  const mine = await bob.machine.call('remember', {
    draft: { kind: 'decision', title: 'Private elsewhere', body: '', facts: [], concepts: [], files: [] },
    dir: bob.machine.home,
  });
  const [project] = server.projects;
  assert.ok(project);
  server.push({ id: project.createdBy.id, name: 'Ada' }, project.id, {
    changes: [
      {
        op: 'tombstone',
        id: mine.id,
        turn: mine.provenance.turn,
        hash: 'h',
        version: { clock: 1, machine: 'x' },
      },
    ],
    idempotencyKey: 'a forged tombstone',
  });
  await ada.exchange();
  await bob.exchange();
  assert.equal((await bob.entry(mine.id))?.title, 'Private elsewhere');
  await bob.machine.cli(['reindex']);
  assert.match((await bob.machine.cli(['search', '--all', 'Private elsewhere'])).stdout, /Private elsewhere/);
});
