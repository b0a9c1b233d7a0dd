/** Changes of the team reach a machine that waits for them, and the wait ends with the daemon's work. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { Member } from './_member.ts';
import { RealTeam } from './_real-team.ts';

const { skip } = postgresql;
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});
after(async () => {
  await postgres?.remove();
});

test(
  'a machine that waits gets the entry of another member, and a logout ends the wait',
  { skip },
  async (t) => {
    const team = await RealTeam.open(t, postgres);
    const ada = await Member.open(t, team, await team.member('Ada'));
    const ben = await Member.open(t, team, await team.member('Ben'));
    await ada.share();
    await ben.share();
    await waitFor('both machines to wait', () => team.waits === 2);
    const { id } = await ada.remember('The gangway opens at six');
    await waitFor('the entry', async () => (await ben.entry(id)) !== undefined);
    assert.equal((await ben.entry(id))?.author, 'Ada');
    await waitFor('both machines to wait again', () => team.waits === 2);
    await ada.machine.cli(['logout']);
    await waitFor('the end of one wait', () => team.waits === 1);
    const answered = team.waitsAnswered;
    const loggedOut = new Promise((resolve) => {
      team.onPull = () => {
        resolve(ben.machine.call('team.logout', {}));
        // Answered after the daemon got the logout, which has to wait for the round.
        return ben.team();
      };
    });
    await ben.exchange();
    await loggedOut;
    await waitFor('the end of the other', () => team.waits === 0);
    assert.equal(team.waitsAnswered, answered, 'the machine ended it');
  },
);

test('a machine at rest does not wait', { skip }, async (t) => {
  const team = await RealTeam.open(t, postgres);
  const ada = await Member.open(t, team, await team.member('Ada'), { TIDEMARK_REST_MS: '1500' });
  await ada.share();
  await waitFor('the wait', () => team.waitsSoFar > 0);
  await waitFor('the rest', () => team.waits === 0);
});
