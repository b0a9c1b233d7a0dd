/**
 * The team's hub together with machines: the built server, a machine whose daemon shares with it, the team view of its own
 * hub, a link of `tidemark hub --team`, and edits in the team's hub that reach the machine.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Memory } from '../../src/core/index.ts';
import { Operator } from '../../src/server/admin/index.ts';
import { TeamStore } from '../../src/server/store/index.ts';
import { follow, openBrowser, settled, skip as noBrowser } from '../support/browser.ts';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { startTeamServer, type TeamServer } from '../support/team-server.ts';

const skip = postgresql.skip ?? noBrowser;

describe('a machine, its hub and the hub of its team', { skip }, () => {
  const ada = new Machine();
  const ben = new Machine();
  let postgres: Postgres;
  let server: TeamServer;
  let browser: Browser;
  let memory: Memory;

  const remember = (machine: Machine, title: string) => {
    const draft = { kind: 'decision' as const, title, body: '', facts: [], concepts: [], files: [] };
    return machine.call('remember', { draft, dir: machine.project });
  };
  const linkOf = async (machine: Machine, args: readonly string[]): Promise<string> => {
    const ran = await machine.cli(['hub', ...args]);
    assert.equal(ran.code, 0, ran.stderr);
    return ran.stdout.trim();
  };
  before(async () => {
    postgres = await startPostgres();
    const database = await postgres.newOwnedDatabase();
    const store = await TeamStore.open({ database });
    const operator = new Operator(store);
    const { key } = await operator.createTeam({ team: 'Harbour', owner: 'Ada' });
    await operator.addMember({ name: 'Ben', role: 'member' });
    const { secret } = await operator.createKey({ who: 'Ben', name: 'laptop', scopes: ['read', 'write'] });
    await store.close();
    server = await startTeamServer(database);
    for (const [machine, word] of [
      [ada, key.secret],
      [ben, secret],
    ] as const) {
      GitRepo.init(machine.project, machine.home).git(
        'remote',
        'add',
        'origin',
        'https://git.example.org/a.git',
      );
      await machine.up();
      await machine.call('team.login', { server: server.url, key: word });
    }
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await Promise.all([ada.close(), ben.close()]);
    await server?.stop();
    await postgres?.remove();
  });

  test('the hub of the machine shows that nothing is shared, then the shares', async () => {
    memory = await remember(ada, 'The ferry schedule is kept in UTC');
    const { page, context, wrong, origin } = await follow(browser, await linkOf(ada, []));
    await page.goto(`${origin}/team`);
    await page.getByRole('heading', { name: 'Harbour', level: 2 }).waitFor();
    await page.getByText(`You are Ada on ${server.url}`).waitFor();
    await page.getByRole('heading', { name: 'Nothing is shared' }).waitFor();
    for (const machine of [ada, ben]) {
      if (machine === ben) await remember(ben, 'The crane queue is drained at night');
      const ran = await machine.cli(['share', '.', '--yes']);
      assert.equal(ran.code, 0, ran.stderr);
    }
    await ada.call('team.now', {});
    await page.reload();
    await page.getByText('1 entry shared by you; from others: 1 by Ben; nothing to send.').waitFor();
    await page.goto(`${origin}/search?q=crane%20queue`);
    await settled(page);
    await page.getByText('(by Ben)').waitFor();
    assert.deepEqual(wrong, []);
    await context.close();
  });

  test('a link of `tidemark hub --team` logs in once, and an edit there reaches the machine', async () => {
    const link = await linkOf(ada, ['--team']);
    assert.ok(link.startsWith(`${server.url}/hub/enter?key=`));
    const { page, context, wrong } = await follow(browser, link);
    assert.equal(page.url(), `${server.url}/hub/`);
    await page.getByText('Memories that Harbour shares with you, from 2 people.').waitFor();
    await page.goto(`${server.url}/hub/memories/${memory.id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('The ferry schedule is kept in local time');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'The ferry schedule is kept in local time', level: 1 }).waitFor();
    await ada.call('team.now', {});
    const ran = await ada.cli(['show', memory.id]);
    assert.match(ran.stdout, /kept in local time/);
    assert.deepEqual(wrong, []);
    await context.close();
    const again = await fetch(link, { redirect: 'manual' });
    assert.equal(again.status, 401);
  });

  test('a memory that is forgotten there disappears from other machines', async () => {
    const { page, context } = await follow(browser, await linkOf(ben, ['--team']));
    await page.goto(`${server.url}/hub/memories/${memory.id}`);
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await page.getByText('Forgotten on every machine of the team.').waitFor();
    for (const machine of [ada, ben]) {
      await machine.call('team.now', {});
      assert.notEqual((await machine.cli(['show', memory.id])).code, 0);
    }
    await context.close();
  });

  test('the log of the server contains no key and no link', () => {
    assert.doesNotMatch(JSON.stringify(server.log), /tmk_|enter\?key|ferry/);
  });

  test('a machine without login gets a hint how to log in', async () => {
    await ben.cli(['logout']);
    const ran = await ben.cli(['hub', '--team']);
    assert.notEqual(ran.code, 0);
    assert.match(ran.stderr, /tidemark login/);
  });
});
