/** The search page with files that agents load themselves, and a memory that is moved to every project. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Memory } from '../../src/core/index.ts';
import { openBrowser, settled, skip, wrongLooks, type Visit } from '../support/browser.ts';
import { Machine } from '../support/machine.ts';
import { visit } from './_browser.ts';

describe('the page beside the memory of agents', { skip }, () => {
  const machine = new Machine();
  let browser: Browser;
  let hub: Visit;
  let page: Page;
  let memory: Memory;
  const at = (path: string) => page.goto(hub.origin + path).then(() => settled(page));

  before(async () => {
    writeFileSync(
      join(machine.project, 'CLAUDE.md'),
      '## Releases\nThe wombatine script ships a release. Run it from the root, after the tests passed.\n',
    );
    writeFileSync(join(machine.config, 'CLAUDE.md'), '# Answers\nShort, with the release first.\n');
    const made = await machine.cli(['remember', 'Releases are on Mondays', '--kind', 'preference', '--json']);
    memory = JSON.parse(made.stdout) as Memory;
    browser = await openBrowser();
    hub = await visit(browser, machine);
    page = hub.page;
  });
  after(async () => {
    await browser?.close();
    await machine.close();
  });

  test('search lists sections of these files below memories, with their label and file', async () => {
    await at('/search?q=release');
    await page.getByRole('heading', { name: 'Files that your agents load themselves' }).waitFor();
    const sections = await page.getByTestId('section-hit').allInnerTexts();
    assert.equal(sections.length, 2);
    assert.ok(sections.some((text) => text.includes("Releases · from the project's CLAUDE.md, quoted")));
    assert.ok(sections.some((text) => text.includes('from your CLAUDE.md')));
    assert.ok(sections.some((text) => text.includes(join(machine.project, 'CLAUDE.md'))));
    assert.deepEqual(await wrongLooks(page, { search: '/search?q=release' }, at), []);
  });

  test('a memory can be moved to every project', async () => {
    await at(`/memories/${memory.id}`);
    await page.getByRole('button', { name: 'Move' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Project').selectOption({ label: 'Every project and every agent' });
    await dialog.getByRole('button', { name: 'Move' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const [shown] = await machine.call('read.show', { ids: [memory.id] });
    assert.equal(shown?.memory.project, 'personal');
  });
});
