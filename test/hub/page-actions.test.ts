/** Actions on the page with a real daemon: they are stored, and changes made elsewhere appear on the page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Memory } from '../../src/core/index.ts';
import { openBrowser, settled, skip, type Visit } from '../support/browser.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';
import { waitFor } from '../support/wait-for.ts';
import { visit } from './_browser.ts';
import { seed, type Seeded } from '../support/seeded-home.ts';

describe('actions on the page', { skip }, () => {
  const machine = new Machine();
  let browser: Browser;
  let seeded: Seeded;
  let hub: Visit;
  let page: Page;
  const at = (path: string) => page.goto(hub.origin + path).then(() => settled(page));
  const said = (text: string | RegExp) => page.locator('.toast').getByText(text).waitFor();
  const storedAs = async (id: string) => (await memoriesOf(machine)).find((memory) => memory.id === id);
  const one = (is: (memory: Memory) => boolean): Memory => {
    const found = seeded.memories.findLast(is);
    assert.ok(found);
    return found;
  };

  before(async () => {
    seeded = await seed(machine, new Date());
    browser = await openBrowser();
    hub = await visit(browser, machine);
    page = hub.page;
  });
  after(async () => {
    await browser?.close();
    await machine.close();
  });

  test('an edit is stored, also when it starts with the key e', async () => {
    const { id } = one(({ kind }) => kind === 'decision');
    await at(`/memories/${id}`);
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog', { name: 'Edit memory' });
    await dialog.getByLabel('Title').fill('Partitions by month, dropped whole');
    await dialog
      .getByLabel('Facts, one per line')
      .fill('a month is dropped in 4 ms\nqueries span two at most');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await said('Saved in the journal.');
    await page.getByRole('heading', { name: 'Partitions by month, dropped whole', level: 1 }).waitFor();
    assert.deepEqual((await storedAs(id))?.facts, ['a month is dropped in 4 ms', 'queries span two at most']);
    assert.equal((await storedAs(id))?.title, 'Partitions by month, dropped whole');
  });

  test('a change made in the meantime is not overwritten without asking', async () => {
    const { id } = one(({ kind }) => kind === 'feature');
    await at(`/memories/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await machine.call('edit', { id, patch: { body: 'Changed by another program.' } });
    await page.getByLabel('Title').fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This memory was changed in the meantime').waitFor();
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await said('Saved in the journal.');
    assert.equal((await storedAs(id))?.title, 'Mine');
    assert.equal((await storedAs(id))?.body, 'Changed by another program.');
    // The browser logs the answer with the conflict.
    assert.deepEqual(
      hub.wrong.splice(0).filter((text) => !text.includes('409 (Conflict)')),
      [],
    );
  });

  test('an issue is resolved and reopened', async () => {
    const { id } = one(({ kind, state }) => kind === 'issue' && state === 'open');
    await at(`/memories/${id}`);
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.locator('.badge.state-resolved').first().waitFor();
    assert.equal((await storedAs(id))?.state, 'resolved');
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.locator('.badge.state-open').first().waitFor();
    assert.equal((await storedAs(id))?.state, 'open');
  });

  test('a memory is replaced by another, and both show the chain', async () => {
    const { id, title } = one(({ kind }) => kind === 'bugfix');
    await at(`/memories/${id}`);
    await page.getByRole('button', { name: 'Replace' }).click();
    const dialog = page.getByRole('dialog', { name: 'Which memory replaces this one?' });
    await dialog.getByLabel('Search').fill('station list');
    await settled(page);
    await dialog.getByRole('radio').first().check();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await said(/^Replaced/);
    await page.getByRole('heading', { name: 'Replacements' }).waitFor();
    assert.equal((await storedAs(id))?.state, 'superseded');
    await page.locator('.chain a').first().click();
    await page.locator('.chain a').getByText(title).waitFor();
  });

  test('a memory is moved to another project', async () => {
    const { id } = one(({ project, kind }) => project === 'tide-tables-3fk9x' && kind === 'refactor');
    await at(`/memories/${id}`);
    await page.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('dialog').getByLabel('Project').selectOption({ label: 'lighthouse-ui' });
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await said('Moved.');
    await page.locator('.crumbs').getByText('lighthouse-ui').waitFor();
    const moved = (await memoriesOf(machine)).filter(({ title }) => title === one((m) => m.id === id).title);
    assert.ok(moved.some(({ project }) => project === 'lighthouse-ui-8mw2c'));
  });

  test('x forgets the focused row, and undo restores it', async () => {
    await at('/search?q=kind:dead_end');
    await page.keyboard.press('j');
    const id = String(await page.evaluate('document.activeElement.dataset.memory'));
    await page.keyboard.press('x');
    await said(/^Forgotten/);
    await page.locator(`[data-memory="${id}"]`).waitFor({ state: 'detached' });
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await said('Restored.');
    await page.locator(`[data-memory="${id}"]`).waitFor();
    assert.ok(await storedAs(id));
  });

  test('x works in every list of memories, and u restores the memory', async () => {
    const { project, provenance, files } = one(({ kind }) => kind === 'discovery');
    const lists = [
      `/projects/${project}`,
      `/sessions/${provenance.session}`,
      `/search?q=file:${files[0]}`,
      '/live',
    ];
    for (const path of lists) {
      await at(path);
      const row = page.locator('[data-row][data-memory]').first();
      const id = (await row.getAttribute('data-memory')) ?? '';
      await row.focus();
      await page.keyboard.press('x');
      await said(/^Forgotten/);
      await waitFor(`${path}: the memory is gone`, async () => (await storedAs(id)) === undefined);
      await page.keyboard.press('u');
      await said('Restored.');
      assert.ok(await storedAs(id), path);
    }
  });

  test('the trash lists forgotten memories with the time left, and restores them', async () => {
    const { id, title } = one(({ kind }) => kind === 'dead_end');
    await at(`/memories/${id}`);
    await page.getByRole('button', { name: 'Forget' }).click();
    await said(/^Forgotten/);
    await page.waitForURL(`${hub.origin}/`);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor();
    const row = page.getByTestId('trash').locator('.row', { hasText: title });
    await row.getByText('erased in 24 h').waitFor();
    await row.getByText('Dead end').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await said('Restored.');
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    assert.ok(await storedAs(id));
  });

  test('memories in review are kept, edited or dropped', async () => {
    await at('/review');
    const cards = page.locator('.review');
    assert.equal(await cards.count(), 3);
    await cards.first().getByRole('button', { name: /^Keep/ }).click();
    await waitFor('one less', async () => (await cards.count()) === 2);
    await cards.first().getByRole('button', { name: /^Edit/ }).click();
    await page.getByLabel('Title').fill('Kept in other words');
    await page.getByRole('button', { name: 'Save' }).click();
    await waitFor('two less', async () => (await cards.count()) === 1);
    await cards.first().getByRole('button', { name: /^Drop/ }).click();
    await page.getByText('Nothing to review').waitFor();
    assert.ok((await memoriesOf(machine)).some(({ title }) => title === 'Kept in other words'));
  });

  test('a setting is saved, rejected next to its field, and reset', async () => {
    await at('/settings');
    for (const area of await page.getByRole('heading', { level: 2 }).allTextContents())
      assert.match(area, /^\p{Lu}/u, 'every area has a readable name');
    const notes = page.locator('.setting', { hasText: 'Notes of the agent' });
    await notes.getByText('capture.agentNotes').waitFor();
    await notes.getByRole('combobox').selectOption({ label: 'With a tool call' });
    await notes.getByText('Set by you').waitFor();
    assert.match(readFileSync(machine.places.config, 'utf8'), /"capture.agentNotes": "tool"/);
    const field = page.getByLabel('Length of the brief');
    await field.fill('900');
    await field.press('Enter');
    const setting = page.locator('.setting', { has: field });
    await setting.getByText('Set by you').waitFor();
    assert.match(readFileSync(machine.places.config, 'utf8'), /900/);
    await field.fill('999999');
    await field.press('Enter');
    await setting.getByRole('alert').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.match(readFileSync(machine.places.config, 'utf8'), /900/);
    await setting.getByRole('button', { name: /^Reset to/ }).click();
    await setting.getByText('Default').waitFor();
    await page.getByLabel('Tell me what was remembered').click();
    await page
      .locator('.setting', { has: page.getByLabel('Tell me what was remembered') })
      .getByText('Set by you')
      .waitFor();
    assert.deepEqual(
      hub.wrong.splice(0).filter((text) => !text.includes('400 (Bad Request)')),
      [],
    );
  });

  test('new memories appear automatically, also after the connection was lost', async () => {
    await at('/live');
    await page.getByText('New, changed and injected memories appear here').waitFor();
    const remember = (title: string) =>
      machine.call('remember', {
        draft: { kind: 'decision', title, body: title, facts: [], concepts: [], files: [] },
      });
    await remember('Charts are drawn on a canvas');
    await page.locator('.feed .fresh').getByText('Charts are drawn on a canvas').waitFor();
    const look = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await look(true);
    await page.route('**/api/events', (route) => route.abort());
    await look(false);
    await page.getByText('Connection lost').waitFor();
    await remember('Tides are shown in local time');
    await page.unroute('**/api/events');
    await page.getByText('New, changed and injected memories appear here').waitFor();
    await page.locator('.feed .fresh').getByText('Tides are shown in local time').waitFor();
    assert.deepEqual(
      hub.wrong.splice(0).filter((text) => !text.includes('ERR_FAILED')),
      [],
    );
  });

  test('there are no other errors and no requests to other servers', () => assert.deepEqual(hub.wrong, []));
});
