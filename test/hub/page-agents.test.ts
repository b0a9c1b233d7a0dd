/** The page with sessions of several agents: each is named, and lists are filtered by it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { sessionSources } from '../../src/agents/index.ts';
import { addClineSession, placeSessions } from '../support/agent-sessions.ts';
import { openBrowser, settled, skip, wrongLooks, type Visit } from '../support/browser.ts';
import { Machine } from '../support/machine.ts';
import { inventedDecision } from '../support/synthetic-transcript.ts';
import { visit } from './_browser.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample');

describe('the page with several agents', { skip }, () => {
  const machine = new Machine();
  let browser: Browser;
  let hub: Visit;
  let page: Page;
  const at = (path: string) => page.goto(hub.origin + path).then(() => settled(page));

  before(async () => {
    placeSessions(machine.home, machine.project);
    for (const name of ['one', 'two'])
      addClineSession(machine.home, machine.project, name, inventedDecision(name).text);
    await machine.up();
    const sources = sessionSources(machine.env, ['codex', 'cline']);
    const sample = { agent: 'claude-code' as const, folder: SAMPLE };
    await machine.call('import.history', { sources: [sample, ...sources], finished: true });
    browser = await openBrowser();
    hub = await visit(browser, machine);
    page = hub.page;
  });
  after(async () => {
    await browser?.close();
    await machine.close();
  });

  test('sessions name their agent and are filtered by it', async () => {
    await at('/sessions');
    const filter = page.getByRole('group', { name: 'Filter by agent' });
    await filter.waitFor();
    assert.deepEqual(await filter.getByRole('button').allInnerTexts(), ['Claude Code', 'Codex', 'Cline']);
    await filter.getByRole('button', { name: 'Cline' }).click();
    await page.getByText('6 sessions, most recent first.').waitFor();
    for (const text of await page.locator('.row.session').allInnerTexts()) assert.match(text, /Cline · \d/);
    await filter.getByRole('button', { name: 'Cline' }).click();
    await page.getByText('Codex · ').first().waitFor();
  });

  test('memories name their agent, and search and project are filtered by it', async () => {
    await at('/search?q=agent%3Acline');
    await page.getByText('· Cline').first().waitFor();
    const said = await page.locator('.said-by').allInnerTexts();
    assert.equal(said.length, 2);
    for (const text of said) assert.match(text, /· Cline$/);
    await page.getByLabel('Agent').selectOption('claude-code');
    await page.getByText('· Claude Code').first().waitFor();
    assert.match(page.url(), /agent%3Aclaude-code$/);

    const project = await projectOf(machine);
    await at(`/projects/${project}`);
    const filter = page.getByRole('group', { name: 'Filter by agent' });
    await filter.getByRole('button', { name: 'Codex' }).click();
    await page.getByText('No memories match the filter').waitFor();
    await filter.getByRole('button', { name: 'Cline' }).click();
    await page.getByText('· Cline').first().waitFor();
  });

  test('the page of a memory and of its session name the agent', async () => {
    await at('/search?q=agent%3Acline');
    await page.getByTestId('search-hit').first().getByRole('link').first().click();
    await page.getByRole('heading', { name: 'About this memory' }).waitFor();
    assert.equal(await page.locator('dt:text-is("Agent") + dd').innerText(), 'Cline');
    await page.locator('dt:text-is("Session") + dd').getByRole('link').click();
    await page.getByRole('heading', { name: 'About this session' }).waitFor();
    assert.equal(await page.locator('dt:text-is("Agent") + dd').innerText(), 'Cline');
  });

  test('the import lists a card per agent', async () => {
    await at('/import');
    for (const name of ['Codex', 'Cline']) await page.getByRole('heading', { name, level: 2 }).waitFor();
  });

  test('the filters look right in light and dark, wide and narrow', async () => {
    const views = {
      'agents-sessions': '/sessions',
      'agents-search': '/search?q=agent%3Acline',
      'agents-project': `/projects/${await projectOf(machine)}`,
      'agents-import': '/import',
    };
    assert.deepEqual(await wrongLooks(page, views, at), []);
  });
});

async function projectOf(machine: Machine): Promise<string> {
  const projects = await machine.call('read.projects', {});
  return projects.find(({ paths }) => paths.includes(machine.project))?.id ?? '';
}
