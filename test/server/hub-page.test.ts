/** The hub of a team in a real browser: login, every view per role, layout, hostile texts, logout. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  drawn,
  follow,
  openBrowser,
  settled,
  skip as noBrowser,
  wrongLooks,
  type Visit,
} from '../support/browser.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf } from '../support/team.ts';
import type { Person } from './_api.ts';
import { openTeamHub, push, type TeamHub } from './_team-hub.ts';

const skip = postgresql.skip ?? noBrowser;
const SCRIPT = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>[x](javascript:window.pwned=1)`;

describe('the page of a team', { skip }, () => {
  let postgres: Postgres;
  let hub: TeamHub;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  const base = () => `http://127.0.0.1:${hub.api.port}/hub`;
  const at = async (path: string): Promise<void> => {
    await page.goto(base() + path);
    await settled(page);
  };
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const enter = async (person: Person): Promise<Visit> => {
    const { body } = await hub.api.ask<{ key: string }>(person.key, 'POST', '/v1/hub/links');
    return follow(browser, `${base()}/enter?key=${body.key}`);
  };

  before(async () => {
    postgres = await startPostgres();
    hub = await openTeamHub(await postgres.newOwnedDatabase());
    browser = await openBrowser();
    visit = await follow(browser, `${base()}/`);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await hub?.api.close();
    await postgres?.remove();
  });

  test('a wrong key shows an error, a right key logs in', async () => {
    await heading('Your team’s memory');
    assert.deepEqual(await wrongLooks(page, { login: '/' }, async () => {}), []);
    await page.getByLabel('Key').fill(`tmk_abcdefghijkl_${'x'.repeat(43)}`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('This key is not valid').waitFor();
    await page.getByLabel('Key').fill(hub.ada.key);
    await page.keyboard.press('Enter');
    await heading('Overview');
    assert.equal(page.url(), `${base()}/`);
    const kept = String(await page.evaluate('JSON.stringify({ ...localStorage, cookie: document.cookie })'));
    assert.doesNotMatch(kept, /tmk_|tidemark-team/);
    // The browser logs failed requests; there must be no other messages.
    assert.deepEqual(
      visit.wrong.splice(0).filter((text) => !text.includes('401 (Unauthorized)')),
      [],
    );
  });

  test('the overview counts and charts the shared memories, without views of a machine', async () => {
    await page.getByText('Memories that Harbour shares with you, from 2 people.').waitFor();
    await settled(page);
    const cards = (await page.getByTestId('overview-card').allInnerTexts()).join(' ');
    assert.match(cards, /Memories\s+101.*Projects\s+2/s);
    await drawn(page);
    await page.getByTestId('home-memory').first().waitFor();
    for (const name of ['Changed', 'Used today'])
      assert.equal(await page.getByRole('heading', { name }).count(), 0);
    const views = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allInnerTexts();
    assert.deepEqual(views, ['Overview', 'Memories', 'Search', 'Projects', 'Live', 'Team']);
    assert.equal(await page.getByRole('heading', { name: 'Capture' }).count(), 0);
    await page.getByText('Ada, owner of Harbour').waitFor();
  });

  test('a project shows its timeline by day with authors, and loads more', async () => {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Projects' }).click();
    await page.getByText('Ada and Ben').first().waitFor();
    await page.getByRole('link', { name: 'harbour-api' }).click();
    await heading('harbour-api');
    await page.locator('.day-title').first().waitFor();
    await page.getByText('(by Ada)').first().waitFor();
    assert.match(await page.getByTestId('load-more').innerText(), /^Load more \(50 remaining\)$/);
    assert.equal(await page.getByRole('link', { name: 'Page', exact: true }).count(), 0);
    await page.getByRole('link', { name: /^Open issues/ }).click();
    await page.locator('.badge.state-open').first().waitFor();
    await page.getByRole('link', { name: /^In force/ }).click();
    await page.getByText('Why:').first().waitFor();
  });

  test('/ searches while typing, marks the words and explains the score', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('ferry cancelled twice');
    await page.waitForURL(/\/hub\/search\?q=ferry%20cancelled%20twice$/);
    await settled(page);
    await page.locator('.results mark').first().waitFor();
    await page.locator('.score summary').first().click();
    await page
      .getByText(/^Shares the words? .*ferry/)
      .first()
      .waitFor();
  });

  test('a memory shows its author and machine, and an edit keeps the earlier text', async () => {
    await page.locator('.results [data-row]').first().click();
    await page.waitForURL(/\/hub\/memories\//);
    await page.getByText(/It is on (Ada|Ben)’s machine/).waitFor();
    const before = await page.getByRole('heading', { level: 1 }).innerText();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('A ferry may be cancelled twice');
    await page.getByRole('button', { name: 'Save' }).click();
    await heading('A ferry may be cancelled twice');
    await page.getByRole('heading', { name: 'Replaced texts' }).waitFor();
    await page.locator('.gave-way').getByText(before, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('The issue is resolved.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Move' }).count(), 0);
  });

  test('a memory replaces another, and the chain links both', async () => {
    await at('/search?q=calendar%20kind:feature');
    await page.locator('.results [data-row]').first().click();
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.locator('.choice').nth(1).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page.getByText('Replaced. The old memory stays, marked as superseded.').waitFor();
    await page.getByRole('heading', { name: 'Replacements' }).waitFor();
  });

  test('forgetting asks for confirmation, because it affects everyone', async () => {
    await at('/search?q=fuel%20dock%20cache');
    await page.locator('.results [data-row]').first().click();
    const title = await page.getByRole('heading', { level: 1 }).innerText();
    const address = page.url();
    await page.getByRole('button', { name: 'Forget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Forget this memory for the whole team?' });
    await dialog.getByText(title).waitFor();
    await dialog.getByRole('button', { name: 'Forget' }).click();
    await page.getByText('Forgotten on every machine of the team.').waitFor();
    await heading('harbour-api');
    await page.goto(address);
    await page.getByRole('alert').waitFor();
    await at('/');
    // The browser logs only the request for the missing memory.
    assert.deepEqual(
      visit.wrong.splice(0).filter((text) => !text.includes('404 (Not Found)')),
      [],
    );
  });

  test('a pushed memory appears without a reload', async () => {
    await at('/live');
    await page.getByText('Connected. New memories of the team appear here as they happen.').waitFor();
    await push(hub.api, hub.ben, hub.open, [entryOf('The lighthouse keeper wants push alerts')]);
    await page.getByTestId('live').getByText('The lighthouse keeper wants push alerts').waitFor();
  });

  test('the team page shows members, shares, keys and, to owners, the audit log', async () => {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Team' }).click();
    await heading('Harbour');
    for (const name of ['Members', 'Shared projects', 'Keys', 'Audit log'])
      await page.getByRole('heading', { name, level: 2 }).waitFor();
    await page
      .getByRole('row', { name: /quay-notes Ada/ })
      .getByText('Ben')
      .waitFor();
    await page.locator('.audit').getByText('forgot 1 memory of harbour-api').waitFor();
    await page.locator('.audit').getByText('logged in to the hub').first().waitFor();
  });

  test('there are no views of a machine', async () => {
    for (const path of ['/sessions', '/sessions/x', '/settings', '/import', '/review']) {
      await at(path);
      await heading('Page not found');
    }
    assert.deepEqual(visit.wrong, []);
  });

  test('every view fits every width in both themes, and axe finds no problem', async () => {
    const first = async (path: string, link: string) => {
      await at(path);
      const href = await page.locator(link).first().getAttribute('href');
      return (href ?? '').replace('/hub', '');
    };
    const views = {
      'team-overview': '/',
      'team-memories': '/memories',
      'team-search': '/search?q=ferry%20cancelled',
      'team-projects': '/projects',
      'team-project': await first('/projects', 'a:text-is("harbour-api")'),
      'team-memory': await first('/search?q=A%20ferry%20may%20be%20cancelled', '.results [data-row]'),
      'team-live': '/live',
      'team-team': '/team',
    };
    assert.deepEqual(await wrongLooks(page, views, at), []);
    assert.deepEqual(visit.wrong, []);
  });

  test('a reader sees shared memories without buttons, and nothing else', async () => {
    const rea = await enter(hub.rea);
    await settled(rea.page);
    assert.match((await rea.page.getByTestId('overview-card').allInnerTexts()).join(' '), /Projects\s+1/);
    await rea.page.goto(`${base()}/search?q=cobaltblue`);
    await settled(rea.page);
    assert.equal(await rea.page.getByText('painted').count(), 0);
    await rea.page.goto(`${base()}/search?q=customs%20form`);
    await rea.page.locator('.results [data-row]').first().click();
    await rea.page.getByText(/It is on (Ada|Ben)’s machine/).waitFor();
    for (const name of ['Edit', 'Replace', 'Forget', 'Resolve'])
      assert.equal(await rea.page.getByRole('button', { name }).count(), 0, name);
    await rea.page.keyboard.press('e');
    await rea.page.getByText('You can read this memory but not change it.').waitFor();
    await rea.page.goto(`${base()}/team`);
    await settled(rea.page);
    await rea.page.getByRole('heading', { name: 'Your keys' }).waitFor();
    assert.equal(await rea.page.getByRole('heading', { name: 'Audit log' }).count(), 0);
    assert.equal(await rea.page.getByText('quay-notes').count(), 0);
    assert.deepEqual(rea.wrong, []);
    await rea.context.close();
  });

  test('every view tells a member that nothing is shared with them', async () => {
    const other = await hub.api.team('Quay', 'Cid');
    const cid = await enter(other);
    await cid.page.getByRole('heading', { name: 'Nothing is shared with you yet' }).waitFor();
    await cid.page.getByText('Memories of Quay.').waitFor();
    await cid.page.goto(`${base()}/projects`);
    await cid.page.getByRole('heading', { name: 'Nothing is shared with you yet' }).waitFor();
    await cid.page.goto(`${base()}/team`);
    await cid.page.getByText('None yet.').waitFor();
    assert.deepEqual(cid.wrong, []);
    await cid.context.close();
  });

  test('script in any field is shown as text', async () => {
    const { api, ada, open } = hub;
    const { id: mallory } = await api.member(ada.team, SCRIPT, 'member');
    const key = await api.key(ada.team, mallory, ['read', 'write']);
    const hostile = entryOf(SCRIPT, {
      body: SCRIPT,
      reason: SCRIPT,
      facts: [SCRIPT],
      concepts: [SCRIPT],
      files: [SCRIPT.replaceAll('/', '')],
      branch: SCRIPT,
    });
    const person = { id: mallory, team: ada.team, name: SCRIPT, key };
    await push(api, person, open, [{ ...hostile, version: { clock: 1, machine: SCRIPT.slice(0, 40) } }]);
    await push(api, person, open, [{ ...hostile, version: { clock: 2, machine: SCRIPT.slice(0, 40) } }]);
    await api.ask(key, 'POST', '/v1/projects', { name: SCRIPT, keys: ['git:x'], with: 'everyone' });
    for (const path of [
      '/',
      '/projects',
      '/live',
      '/team',
      `/memories/${hostile.id}`,
      `/projects/${open.id}`,
    ]) {
      await at(path);
      assert.equal(await page.evaluate('window.pwned'), undefined, path);
      assert.equal(await page.locator('main img[src="x"], main script').count(), 0, path);
    }
    await at('/search?q=onerror');
    assert.equal(await page.evaluate('window.pwned'), undefined);
    assert.deepEqual(visit.wrong, []);
  });

  test('logging out ends the visit and shows the login page', async () => {
    await at('/projects');
    await page.getByRole('button', { name: 'Log out' }).click();
    await heading('Your team’s memory');
    await page.goto(`${base()}/projects`);
    await heading('Your team’s memory');
  });

  test('a revoked key locks an open page, which explains how to log in again', async () => {
    const { api, ada, ben } = hub;
    const his = await enter(ben);
    await api.operator.revokeKey({ team: ada.team, id: ben.key.split('_')[1] ?? '' });
    await his.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Projects' }).click();
    await his.page.getByText('This browser is not signed in.').waitFor();
    await his.page.getByRole('link', { name: 'Log in' }).click();
    await his.page.getByLabel('Key').waitFor();
    await his.context.close();
  });
});
