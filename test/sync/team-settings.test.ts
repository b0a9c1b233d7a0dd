/** Settings of a team reach the machines of its members with the exchange, and end when a machine leaves the team. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { part } from '../support/parts.ts';
import { startPostgres, type Postgres } from '../support/postgres.ts';
import { Member } from './_member.ts';
import { RealTeam } from './_real-team.ts';

const { skip } = part('postgresql');
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});
after(() => postgres?.remove());

test('a team makes settings stricter on its machines until they log out', { skip }, async (t) => {
  const server = await RealTeam.open(t, postgres);
  await server.settings({ 'capture.ignore': ['/elsewhere'] });
  const ada = await Member.open(t, server, await server.member('Ada'));
  const config = async (key: string) =>
    JSON.parse((await ada.machine.cli(['config', 'get', key, '--json'])).stdout) as {
      value: unknown;
      origin: string;
    };
  assert.deepEqual(await config('capture.ignore'), {
    key: 'capture.ignore',
    value: ['/elsewhere'],
    origin: 'team',
  });

  await ada.remember('Pages are cached');
  await ada.share();
  assert.equal((await server.entries()).length, 1);
  await server.settings({ 'share.delayMinutes': 45, 'share.neverKinds': ['issue'], 'notes.review': true });
  await ada.remember('The login fails on Mondays', { kind: 'issue' });
  await ada.remember('Refresh tokens rotate');
  await ada.exchange();
  assert.equal(
    (await server.entries()).length,
    1,
    'the rules of the same answer apply before anything is sent',
  );
  const shown = (await ada.machine.cli(['team'])).stdout;
  assert.match(shown, /your team sets share\.delayMinutes: 45/);
  assert.match(shown, /1 new entry waiting to be shared/);
  assert.match(shown, /your team shares no entries of the kind issue: The login fails/);
  assert.deepEqual((await config('share.delayMinutes')).origin, 'team');
  const listed = (await ada.machine.cli(['config'])).stdout;
  assert.match(listed, /share\.delayMinutes +45 +your team/);
  const rows = await ada.machine.call('settings', {});
  const row = rows.rows.find(({ key }) => key === 'share.delayMinutes');
  assert.deepEqual([row?.value, row?.from, row?.stored], [45, 'team', 0], 'the hub shows both values');

  writeFileSync(join(ada.machine.project, '.tidemark.json'), JSON.stringify({ 'notes.review': false }));
  assert.equal((await config('notes.review')).value, true, 'a repository cannot undo it');
  assert.ok(existsSync(ada.machine.places.teamSettings));

  await server.settings({ 'share.neverKinds': null, 'share.delayMinutes': null });
  await ada.exchange();
  assert.equal((await server.entries()).length, 3, 'the team loosened it again');
  await ada.machine.cli(['logout']);
  assert.ok(!existsSync(ada.machine.places.teamSettings));
  assert.equal((await config('capture.ignore')).origin, 'default');
});

test('a team can take back that a folder is ignored, and changes arrive meanwhile', { skip }, async (t) => {
  const server = await RealTeam.open(t, postgres);
  const ada = await Member.open(t, server, await server.member('Ada'));
  const ben = await Member.open(t, server, await server.member('Ben'));
  await ada.share();
  await ben.share();
  await server.settings({ 'capture.ignore': [ada.machine.project] });
  await ada.remember('Pages are cached');
  await ada.exchange();
  const { id } = await ben.remember('Refresh tokens rotate');
  await ben.exchange();
  await ada.exchange();
  assert.equal((await server.entries()).length, 1, 'nothing is sent from the ignored folder');
  assert.equal((await ada.entry(id))?.author, 'Ben');

  await server.settings({ 'capture.ignore': null });
  await ada.exchange();
  assert.equal((await server.entries()).length, 2);
});

test('settings are checked, and only owners change them', { skip }, async (t) => {
  const server = await RealTeam.open(t, postgres);
  const { key } = await server.member('Ben');
  await assert.rejects(
    server.raw(key, 'PUT', '/v1/team/settings', { settings: { 'notes.review': true } }),
    /403/,
  );
  await assert.rejects(
    server.settings({ 'share.delayMinute': 3 }),
    /400.*Did you mean .*share\.delayMinutes/,
  );
  await assert.rejects(server.settings({ 'share.delayMinutes': -3 }), /400.*from 0 to 10080/);
  await server.settings({ 'share.delayMinutes': 60 });
  assert.deepEqual(await server.raw(key, 'GET', '/v1/team/settings'), {
    settings: { 'share.delayMinutes': 60 },
  });
});
