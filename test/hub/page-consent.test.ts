/** The question for consent on the page: the words of install, no answer preselected, asked on the overview once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, settled, skip, type Visit } from '../support/browser.ts';
import { Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';
import { visit } from './_browser.ts';
import { seed } from '../support/seeded-home.ts';

describe('the question for consent on the page', { skip }, () => {
  const machine = new Machine();
  let browser: Browser;
  let hub: Visit;
  let page: Page;
  const at = (path: string) => page.goto(hub.origin + path).then(() => settled(page));
  const question = () => page.getByRole('region', { name: 'May a language model write your memories?' });
  const stored = (): unknown =>
    (JSON.parse(readFileSync(machine.places.config, 'utf8')) as Record<string, unknown>)['distill.consent'];

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

  test('the overview asks with the words of the daemon, and no answer is preselected', async () => {
    await at('/');
    await question().waitFor();
    const offer = await machine.call('distill.offer', { sources: machine.sources });
    const text = (await question().textContent()) ?? '';
    for (const words of [offer.question, offer.without, offer.sent, offer.cost])
      assert.ok(text.includes(words));
    const buttons = question().getByRole('button');
    assert.deepEqual(await buttons.allTextContents(), [offer.yes, offer.no]);
    const looks = await buttons.evaluateAll((all) =>
      all.map((one) => [one.className, one.matches(':focus')]),
    );
    assert.deepEqual(looks, [
      ['button', false],
      ['button', false],
    ]);
  });

  test('no is stored, the overview does not ask again, and the settings still offer it', async () => {
    await question().getByRole('button', { name: 'No, without a language model' }).click();
    await question().getByRole('status').getByText('Saved. No language model is used.').waitFor();
    assert.equal(stored(), false);
    await at('/');
    assert.equal(await question().count(), 0);
    await at('/settings');
    await question().waitFor();
  });

  test('yes in the settings is stored, and the question goes away', async () => {
    await question().getByRole('button', { name: 'Yes, use a language model' }).click();
    await waitFor('the setting', () => stored() === true);
    await question().waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'Allow a language model', checked: true }).waitFor();
    assert.deepEqual(hub.wrong, []);
  });
});
