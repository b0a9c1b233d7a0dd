/** The page of a new install, from the first visit to the first import. Then the page with hostile memories. */
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { memoryId, type Memory } from '../../src/core/index.ts';
import { openBrowser, settled, skip, type Visit } from '../support/browser.ts';
import { Machine } from '../support/machine.ts';
import { visit } from './_browser.ts';
import { NASTY } from './_played-hub.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample', 'projects');
/** A browser would take minutes to lay it all out. */
const HUGE = 'high water '.repeat(100_000);

describe('the page of a new install', { skip }, () => {
  const machine = new Machine();
  let browser: Browser;
  let hub: Visit;
  let page: Page;

  before(async () => {
    await machine.up();
    browser = await openBrowser();
    hub = await visit(browser, machine);
    page = hub.page;
  });
  after(async () => {
    await browser?.close();
    await machine.close();
  });

  test('every view says what to do', async () => {
    await page.getByRole('heading', { name: 'No memories yet' }).waitFor();
    await page.getByRole('button', { name: 'Copy tidemark install' }).waitFor();
    await page.getByRole('heading', { name: 'Capture' }).waitFor();
    await page.getByText('All memories stay on this machine.').waitFor();
    const told = {
      '/projects': 'No memories yet',
      '/sessions': 'No memories yet',
      '/search': 'Search your memories',
      '/review': 'Nothing to review',
      '/import': 'No past sessions found',
      '/team': 'Nothing is shared',
      '/trash': 'The trash is empty',
    };
    for (const [path, text] of Object.entries(told)) {
      await page.goto(hub.origin + path);
      await settled(page);
      await page.getByRole('heading', { name: text }).waitFor();
    }
    await page.goto(`${hub.origin}/live`);
    await page.getByText('Nothing yet. Memories appear here while you work with your agent.').waitFor();
  });

  test('the import shows its progress and its result', async () => {
    cpSync(SAMPLE, join(machine.config, 'projects'), { recursive: true });
    await page.goto(`${hub.origin}/import`);
    await page.getByText('3 sessions').waitFor();
    await page.getByRole('button', { name: 'Import past sessions' }).click();
    await page.getByText(/^Done\. \d+ memories from \d+ turns in 3 sessions of 1 project/).waitFor();
    await page.getByRole('link', { name: 'Show projects' }).click();
    await page.getByRole('link', { name: 'harbor-api' }).waitFor();
    assert.deepEqual(hub.wrong, []);
  });

  test('signing out ends the visit and shows how to return', async () => {
    const own = await visit(browser, machine);
    await own.page.getByRole('button', { name: 'Sign out' }).click();
    await own.page.getByRole('heading', { name: 'This hub is locked' }).waitFor();
    await own.page.goto(`${own.origin}/projects`);
    await own.page.getByRole('heading', { name: 'This hub is locked' }).waitFor();
    await own.context.close();
  });
});

describe('a memory full of script', { skip }, () => {
  const machine = new Machine();
  const project = 'hostile-1abcd';
  const memory: Memory = {
    id: memoryId('2026-11-15T08:40:12.000Z', 'nasty', 'decision', 0),
    kind: 'decision',
    title: NASTY,
    body: `${NASTY} <script>document.title="owned"</script> [a](javascript:alert(1)) [b](https://example.org/) ![c](http://example.org/c.png) <iframe src="http://example.org"></iframe>`,
    reason: NASTY,
    facts: [NASTY],
    concepts: [NASTY],
    files: [NASTY],
    branch: NASTY,
    project,
    at: '2026-11-15T08:40:12.000Z',
    state: 'current',
    provenance: { agent: 'claude-code', session: 'hostile', turn: 'nasty', messages: [], by: 'local' },
  };
  let browser: Browser;
  let hub: Visit;

  before(async () => {
    const huge = {
      ...memory,
      id: memoryId(memory.at, 'huge', 'feature', 0),
      kind: 'feature',
      body: HUGE,
    } as const;
    const records = [
      { record: 'tidemark-export', format: 1 },
      { record: 'project', id: project, name: 'hostile', keys: ['path:/hostile'] },
      { record: 'memory', memory },
      { record: 'memory', memory: { ...huge, title: 'A huge one' } },
    ];
    const file = join(machine.root, 'hostile.jsonl');
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const imported = await machine.cli(['import', 'file', file]);
    assert.equal(imported.code, 0, imported.stdout + imported.stderr);
    await machine.drained();
    browser = await openBrowser();
    hub = await visit(browser, machine);
  });
  after(async () => {
    await browser?.close();
    await machine.close();
  });

  test('is shown as text, and nothing of it runs or is fetched', async () => {
    const { page, origin, wrong } = hub;
    for (const path of [
      '/',
      '/search?q=kind:decision',
      `/memories/${memory.id}`,
      `/search?q=${encodeURIComponent(NASTY)}`,
      `/projects/${project}`,
      `/projects/${project}?show=page`,
    ]) {
      await page.goto(origin + path);
      await settled(page);
      await page.getByText('onerror=').first().waitFor();
      const ran = '#app :is(script, iframe, img:not([src="/tidemark.svg"]), a[href^="javascript:"])';
      assert.equal(await page.locator(ran).count(), 0, path);
      assert.doesNotMatch(await page.title(), /^owned/);
    }
    const link = page.locator('.markdown a');
    assert.equal(await link.count(), 1);
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
    assert.deepEqual(wrong, []);
  });

  test('the page stays usable with a memory of a megabyte', async () => {
    const { page, origin } = hub;
    await page.goto(`${origin}/projects/${project}`);
    await page.getByRole('link', { name: 'A huge one' }).click();
    await page.getByRole('heading', { name: 'A huge one', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').waitFor(); // a key pressed before it is open closes nothing
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
