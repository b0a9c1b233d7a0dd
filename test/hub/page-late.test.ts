/** Late answers: they do not overwrite what was typed or loaded since, and old results are marked as old. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import type { MemoryList } from '../../src/http/index.ts';
import { openBrowser, settled, skip, type Visit } from '../support/browser.ts';
import { Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';
import { visit } from './_browser.ts';
import { seed } from '../support/seeded-home.ts';

const PROJECT = 'tide-tables-3fk9x';
const TYPES_ON = `{
  const input = document.getElementById('setting-recall.briefTokens');
  const setting = input.closest('.setting');
  const answered = new MutationObserver(() => {
    if (!setting.textContent.includes('Set by you')) return;
    answered.disconnect();
    input.value = '901';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  answered.observe(setting, { subtree: true, childList: true, characterData: true });
}`;

describe('a late answer', { skip }, () => {
  const machine = new Machine();
  let browser: Browser;
  let hub: Visit;
  let page: Page;
  const at = (path: string) => page.goto(hub.origin + path).then(() => settled(page));
  /** Holds the next request of this kind until it is released. */
  const held = (path: RegExp): Promise<Route> =>
    new Promise((resolve, reject) => {
      page.route((url) => path.test(url.pathname + url.search), resolve, { times: 1 }).catch(reject);
    });

  before(async () => {
    await seed(machine, new Date());
    browser = await openBrowser();
    hub = await visit(browser, machine);
    page = hub.page;
  });
  after(async () => {
    await browser?.close();
    await machine.close();
  });

  test('leaves the previous results visible, marked as old', async () => {
    await at('/search?q=kind:issue');
    const answer = held(/api\/search\?q=kind%3Adecision/);
    await page.getByLabel('Kind').selectOption('decision');
    const late = await answer;
    const results = page.locator('[aria-busy=true] .results');
    await results.locator('.kind-issue').first().waitFor();
    await late.continue();
    await settled(page);
    await page.locator('.results .kind-decision').first().waitFor();
    assert.equal(await page.locator('.results .kind-issue').count(), 0);
  });

  test('does not remove rows that were loaded since the request', async () => {
    await at(`/projects/${PROJECT}`);
    const answer = held(/api\/memories\?.*limit=50/);
    const draft = {
      kind: 'decision' as const,
      title: 'Neaps are marked',
      body: '',
      facts: [],
      concepts: [],
      files: [],
    };
    await machine.call('remember', { draft });
    const late = await answer;
    const more = page.getByTestId('load-more');
    await more.click();
    await more.waitFor({ state: 'detached' });
    await page.evaluate('scrollTo(0, 0)');
    const response = await late.fetch();
    const list = (await response.json()) as MemoryList;
    const [first, ...others] = list.memories;
    assert.ok(first);
    const memories = [{ ...first, title: 'It came late' }, ...others];
    await late.fulfill({ response, json: { ...list, memories } });
    await page.getByText('It came late').waitFor();
    assert.equal(await more.count(), 0);
  });

  test('does not replace text typed at the moment it arrives', async () => {
    await at('/settings');
    const field = page.getByLabel('Length of the brief');
    await field.fill('900');
    // As soon as the answer is shown, the user types on.
    await page.evaluate(TYPES_ON);
    await field.press('Enter');
    await waitFor('the typing', async () => (await field.inputValue()) === '901');
    await page.getByLabel('Tell me what was remembered').click();
    await page
      .locator('.setting', { has: page.getByLabel('Tell me what was remembered') })
      .getByText('Set by you')
      .waitFor();
    assert.equal(await field.inputValue(), '901');
    assert.deepEqual(hub.wrong, []);
  });
});
