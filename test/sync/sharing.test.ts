/**
 * New entries of a shared project wait, are announced and can be held back, through the real server on PostgreSQL. The
 * tests move the time by the setting share.delayMinutes.
 */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import type { Change } from '../../src/exchange/sync/index.ts';
import { part } from '../support/parts.ts';
import { startPostgres, type Postgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { Member } from './_member.ts';
import { RealTeam } from './_real-team.ts';

const { skip } = part('postgresql');
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});
after(() => postgres?.remove());

test(
  'a new entry waits, is announced at the next prompt, and leaves after the delay',
  { skip },
  async (t) => {
    const { server, ada, bob } = await team(t);
    const made = await ada.remember('Refresh tokens rotate on every use');
    await ada.exchange();
    assert.deepEqual(
      await titlesOn(server),
      ['Pages are cached'],
      'the confirmed entry was sent, the new one not',
    );
    const shown = await ada.machine.cli(['team']);
    assert.match(
      shown.stdout,
      /1 new entry waiting to be shared:\n\s+\S+ at \d\d:\d\d: Refresh tokens rotate/,
    );
    assert.match(shown.stdout, /tidemark share --hold <id>/);
    const doctor = await ada.machine.cli(['doctor']);
    assert.match(doctor.stdout, /1 entry waiting to be shared/);

    const first = await prompt(ada);
    assert.match(
      first,
      /1 new entry will be shared with Tide at \d\d:\d\d: Refresh tokens rotate on every use/,
    );
    assert.ok(first.includes(`keep local: tidemark share --hold ${shortId(made.id)}`), first);
    assert.doesNotMatch(await prompt(ada), /will be shared/, 'announced once');

    await ada.setDelay(0);
    await ada.exchange();
    assert.deepEqual(await titlesOn(server), ['Pages are cached', 'Refresh tokens rotate on every use']);
    await bob.exchange();
    assert.equal((await bob.entry(made.id))?.author, 'Ada');
    assert.match((await ada.machine.cli(['team'])).stdout, /2 of yours sent/);
  },
);

test(
  'the wait survives a killed daemon and a deleted index, and the entry is announced again',
  { skip },
  async (t) => {
    const { server, ada } = await team(t);
    await ada.remember('Refresh tokens rotate on every use');
    await ada.exchange();
    const [before] = await delayed(ada);
    await ada.machine.killDaemons();
    await ada.machine.up();
    await ada.machine.cli(['reindex']);
    await ada.exchange();
    assert.deepEqual((await delayed(ada))[0], before, 'the same time');
    assert.match(await prompt(ada), /1 new entry will be shared with Tide/);
    assert.deepEqual(await titlesOn(server), ['Pages are cached']);
  },
);

test('a held entry stays local, and sharing it sends it at once', { skip }, async (t) => {
  const { server, ada } = await team(t);
  const { id } = await ada.remember('Refresh tokens rotate on every use');
  await ada.exchange();
  const held = await ada.machine.cli(['share', '--hold', id]);
  assert.equal(held.code, 0, held.stderr);
  assert.match(held.stdout, /stays on this machine: Refresh tokens/);
  assert.doesNotMatch(await prompt(ada), /will be shared/, 'a held entry is not announced');
  await ada.setDelay(0);
  await ada.exchange();
  assert.deepEqual(await titlesOn(server), ['Pages are cached']);
  assert.match(
    (await ada.machine.cli(['team'])).stdout,
    /1 entry kept on this machine:\n\s+\S+ held back by you: Refresh/,
  );
  assert.match((await ada.machine.cli(['doctor'])).stdout, /1 entry held back by you/);
  await ada.setDelay(30);
  const shared = await ada.machine.cli(['share', id]);
  assert.match(shared.stdout, /is shared: Refresh tokens/);
  assert.deepEqual(await titlesOn(server), ['Pages are cached', 'Refresh tokens rotate on every use']);
});

test('holding back an entry that was sent takes it from the team', { skip }, async (t) => {
  const { server, ada, bob, shared } = await team(t);
  await bob.exchange();
  assert.ok(await bob.entry(shared.id));
  const held = await ada.machine.cli(['share', '--hold', shared.id]);
  assert.match(held.stdout, /is taken back from the team and stays on this machine: Pages are cached/);
  assert.deepEqual(await titlesOn(server), []);
  await bob.exchange();
  assert.equal(await bob.entry(shared.id), undefined);
  assert.ok(await ada.entry(shared.id));
});

test(
  'an entry that is forgotten while it waits never leaves; forgetting a shared one does not wait',
  { skip },
  async (t) => {
    const { server, ada, shared } = await team(t);
    const { id } = await ada.remember('Refresh tokens rotate on every use');
    await ada.exchange();
    await ada.machine.call('forget', { ids: [id] });
    await ada.machine.call('edit', { id: shared.id, patch: { title: 'Pages are cached for an hour' } });
    await ada.exchange();
    assert.deepEqual(await titlesOn(server), ['Pages are cached for an hour'], 'an edit does not wait');
    await ada.setDelay(0);
    await ada.machine.call('forget', { ids: [shared.id], now: true });
    await ada.exchange();
    assert.deepEqual(await titlesOn(server), []);
  },
);

test('a preview names the entries that stay, and a wait that begins offline counts', { skip }, async (t) => {
  const server = await RealTeam.open(t, postgres);
  const ada = await Member.open(t, server, await server.member('Ada'));
  await ada.setDelay(30);
  const held = await ada.remember('The queue stays in PostgreSQL');
  await ada.machine.cli(['share', '--hold', held.id]);
  await ada.remember('Pages are cached');
  const preview = await ada.machine.cli(['share', '.', '--dry-run']);
  assert.match(preview.stdout, /entries +1: 1 decision/);
  assert.match(preview.stdout, /kept here 1 entry/);
  assert.match(preview.stdout, /The queue stays in PostgreSQL \(held back by you\)/);
  await ada.share();
  assert.deepEqual(await titlesOn(server), ['Pages are cached']);
  server.away = true;
  await ada.remember('Sessions end after a week');
  await ada.exchange();
  assert.equal((await delayed(ada)).length, 1);
  server.away = false;
  await ada.setDelay(0);
  await ada.exchange();
  assert.deepEqual(await titlesOn(server), ['Pages are cached', 'Sessions end after a week']);
});

test('an entry leaves by itself when its time has come', { skip }, async (t) => {
  const { server, ada } = await team(t);
  await ada.remember('Refresh tokens rotate on every use');
  await ada.exchange();
  assert.equal((await delayed(ada)).length, 1);
  await ada.setDelay(0);
  await ada.machine.call('sweep', {});
  await waitFor('the entry to leave', async () => (await titlesOn(server)).length === 2, {
    explain: () => ada.machine.logs(),
  });
});

/** Ada and Bob share a project with one entry; Ada's new entries wait for half an hour. */
async function team(t: TestContext) {
  const server = await RealTeam.open(t, postgres);
  const ada = await Member.open(t, server, await server.member('Ada'));
  const bob = await Member.open(t, server, await server.member('Bob'));
  await ada.setDelay(30);
  const shared = await ada.remember('Pages are cached');
  await ada.share();
  await bob.share();
  return { server, ada, bob, shared };
}

async function titlesOn(server: RealTeam): Promise<readonly string[]> {
  const isPut = (one: Change): one is Extract<Change, { op: 'put' }> => one.op === 'put';
  return (await server.entries())
    .filter(isPut)
    .map(({ entry }) => entry.title)
    .toSorted();
}

async function delayed(member: Member) {
  return (await member.team()).projects.flatMap((one) => one.delayed);
}

/** Submits a prompt and returns what the user sees. */
async function prompt({ machine }: Member): Promise<string> {
  const { stdout } = await machine.hook('UserPromptSubmit', { session_id: 'one', prompt: 'hello there' });
  return stdout === '' ? '' : ((JSON.parse(stdout) as { systemMessage?: string }).systemMessage ?? '');
}
