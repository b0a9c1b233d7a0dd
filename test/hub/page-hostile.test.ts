/** The page before a store full of hostile text: no view shows a control, bidi or invisible character. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, settled, skip, type Visit } from '../support/browser.ts';
import { openHostileStore, type HostileStore } from '../support/hostile-store.ts';
import { forbiddenIn } from '../support/hostile-text.ts';
import { visit } from './_browser.ts';

/** Everything a user can see or hear: text, described attributes, typed fields, the tab. Lines end at newlines. */
const SHOWN = `(() => {
  const found = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!['SCRIPT', 'STYLE'].includes(node.parentNode.nodeName)) found.push(node.data);
      continue;
    }
    for (const name of ['title', 'alt', 'placeholder', 'aria-label', 'aria-description', 'aria-valuetext'])
      if (node.hasAttribute(name)) found.push(node.getAttribute(name));
    if (node instanceof HTMLTextAreaElement || (node instanceof HTMLInputElement && ['text', 'search'].includes(node.type)))
      found.push(node.value);
  }
  return found;
})()`;

describe('the page and hostile text', { skip }, () => {
  let store: HostileStore;
  let browser: Browser;
  let hub: Visit;
  let page: Page;

  const shown = async (): Promise<readonly string[]> => (await page.evaluate(SHOWN)) as string[];
  const assertClean = async (where: string): Promise<string> => {
    const texts = await shown();
    for (const text of texts) assert.deepEqual(forbiddenIn(text), [], `${where}: ${JSON.stringify(text)}`);
    return texts.join('\n');
  };

  before(async () => {
    store = await openHostileStore();
    browser = await openBrowser();
    hub = await visit(browser, store.machine);
    page = hub.page;
  });
  after(async () => {
    await browser?.close();
    await store?.machine.close();
  });

  for (const [view, path, names] of [
    ['overview', () => '/', /project/],
    ['search', () => '/search?q=hostile', /Hostile\s+title/],
    [
      'search for hostile words',
      () => `/search?q=${encodeURIComponent('\u202ehostile\u200b \u2066x')}`,
      /hostile/,
    ],
    ['memory', () => `/memories/${store.first}`, /Hostile title[^]*Body/],
    ['projects', () => '/projects', /project/],
    ['project', () => `/projects/${encodeURIComponent(store.project)}`, /Hostile title/],
    ['sessions', () => '/sessions', /Redis/],
    ['session', () => `/sessions/${store.session}`, /Redis/],
    ['live', () => '/live', /Live/],
    ['review', () => '/review', /Review/],
    ['settings', () => '/settings', /Settings/],
    ['import', () => '/import', /Import/],
    ['team', () => '/team', /Team/],
  ] as const)
    test(`${view}: nothing forbidden`, async () => {
      await page.goto(hub.origin + path());
      await settled(page);
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      await settled(page);
      assert.match(await assertClean(view), names);
    });

  test('a conversation: nothing forbidden', async () => {
    await page.goto(`${hub.origin}/sessions/${store.session}`);
    await settled(page);
    await page.getByText('Show the conversation').first().click();
    await page.getByText('printf').first().waitFor();
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
    assert.match(await assertClean('conversation'), /Done, /);
  });

  test('the edit form shows clean text, and keeps the fields that are not changed', async () => {
    await page.goto(`${hub.origin}/memories/${store.second}`);
    await settled(page);
    const { machine, second } = store;
    const stored = async () => (await machine.call('read.show', { ids: [second] }))[0]?.memory;
    const earlier = await stored();
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await page.getByLabel('Title').fill('A clean title');
    assert.match(await assertClean('edit form'), /Body/);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'A clean title' }).waitFor();
    const later = await stored();
    assert.equal(later?.title, 'A clean title');
    assert.match(later?.body ?? '', /\u202e/);
    assert.equal(later?.body, earlier?.body);
  });

  test('the page complained of nothing', () => assert.deepEqual(hub.wrong, []));
});
