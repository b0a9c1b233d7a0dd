/** The page in a real browser: every view, the keys, nothing from outside, nothing run that a memory holds. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { Memory } from '../../src/model/index.ts';
import { part } from '../support/parts.ts';
import { NASTY, PlayedHub } from './_played-hub.ts';
import { SAMPLE_PROJECT, playedDaemon, sampleTurns, type PlayedDaemon } from './_sample.ts';

const { path: executablePath, skip } = part('chromium');
const BUILT = join(import.meta.dirname, '..', '..', 'plugin', 'dist', 'hub');
const NOW = new Date('2026-11-15T12:00:00Z');
/** Kept after the run when a folder is named: to be looked at. */
const PICTURES = process.env['HUB_PICTURES'] ?? join(tmpdir(), 'hub-pictures');
const WIDTHS = { wide: 1280, phone: 390 };

const today: Memory = {
  id: '1jz0p3h7k2m9qx',
  kind: 'pattern',
  title: 'Handlers return plain objects, errors are thrown with a status',
  body: 'One hook turns them into answers, so no handler writes to the reply itself.',
  facts: [],
  concepts: ['handlers', 'errors'],
  files: ['src/server.ts'],
  project: SAMPLE_PROJECT,
  at: '2026-11-15T08:40:12.000Z',
  state: 'current',
  provenance: {
    agent: 'claude-code',
    session: 'a-session-of-today',
    turn: 'a-turn-of-today',
    messages: [],
    by: 'local',
  },
};

describe('the page', { skip }, () => {
  let browser: Browser;
  let daemon: PlayedDaemon;
  let hub: PlayedHub;
  let context: BrowserContext;
  let page: Page;
  const wrong: string[] = [];

  before(async () => {
    browser = await chromium.launch({
      executablePath,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    daemon = await playedDaemon([today], NOW);
    hub = await PlayedHub.open(daemon.calls, BUILT);
    context = await visit(browser, {});
    page = await opened(context, hub, wrong);
  });
  after(async () => {
    await browser?.close();
    await hub?.close();
    daemon?.close();
  });

  test('the link lets in and leaves no key in the address', async () => {
    assert.equal(page.url(), `http://${hub.host}/`);
    await page.getByRole('heading', { name: 'What is remembered' }).waitFor();
  });

  test('the overview counts, groups by day and says which day is today', async () => {
    const cards = await page.locator('.card').allInnerTexts();
    assert.equal(cards.length, 5);
    assert.match(cards.join(' '), /Memories.*Projects.*Active days.*Average a day.*Average a project/s);
    const days = page.locator('.day h3');
    assert.match(await days.first().innerText(), /Sunday,? 15 November\s*Today/);
    assert.equal(await days.count(), 4);
    await page.getByRole('complementary').getByText('Offers that run out').waitFor();
  });

  test('a memory shows its reason, its files and the conversation it came from', async () => {
    await page.getByRole('link', { name: 'Use Kysely as the query layer' }).click();
    await page.getByRole('heading', { name: 'Use Kysely as the query layer', level: 1 }).waitFor();
    await page.getByText('we want to see the SQL that goes out', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'migrations/001_berths.sql' }).waitFor();
    await page
      .getByText("Let's go with Kysely as the query layer, because", { exact: false })
      .nth(1)
      .waitFor();
    await page.getByText('pnpm add kysely pg').first().waitFor();
    assert.match(await page.title(), /^Use Kysely as the query layer · Tidemark$/);
    await page.goBack();
    await page.getByRole('heading', { name: 'What is remembered' }).waitFor();
  });

  test('what models cost stands on the first page', async () => {
    await page.getByRole('heading', { name: 'Spent on models' }).waitFor();
    await page.getByText('12 requests, 17,170 tokens in all').waitFor();
  });

  test('/ searches from anywhere as one types; j, k and Enter need no mouse', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('overlapping stays');
    await page.waitForURL(/\/search\?q=overlapping%20stays$/);
    await page
      .getByRole('status')
      .getByText(/memor(?:y|ies) for “overlapping stays”/)
      .waitFor();
    await page.locator('.results mark').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const row = await page.evaluate('document.activeElement.textContent');
    assert.equal(row, await page.locator('[data-row]').first().innerText());
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/memories\//);
    await page.goBack();
    await page.waitForURL(/\/search/);
  });

  test('a search that finds nothing, and a filter that is none, say what to do', async () => {
    await page.goto(`http://${hub.host}/search?q=zeppelin`);
    await page.getByText('Nothing like it is remembered').waitFor();
    await page.goto(`http://${hub.host}/search?q=kind:wish`);
    await page.getByText('a kind is one of').waitFor();
  });

  test('projects and sessions are listed, and lead on', async () => {
    await page.getByRole('link', { name: 'Projects' }).first().click();
    await page.getByRole('link', { name: 'harbor-api' }).click();
    await page.getByRole('heading', { name: 'harbor-api', level: 1 }).waitFor();
    await page.locator('.row').nth(10).waitFor();
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.getByText('Summary').first().click();
    await page.getByText('Asked for').first().waitFor();
  });

  test('an address that is none of ours says so', async () => {
    await page.goto(`http://${hub.host}/memories/none-such-id`);
    await page.getByText('nothing is known as none-such-id').waitFor();
    // The browser itself complains of an answer that is no success; of nothing else.
    assert.equal(wrong.splice(0).filter((text) => !text.includes('404 (Not Found)')).length, 0);
  });

  test('nothing went wrong and nothing was fetched from anywhere else', () => assert.deepEqual(wrong, []));

  test('every view fits its width, in both lights', async () => {
    const views = {
      overview: '/',
      search: '/search?q=berth',
      memory: `/memories/${(await idOf(page, hub, 'exclusion constraint')) ?? ''}`,
      projects: '/projects',
      sessions: '/sessions',
      nothing: '/search?q=zeppelin',
    };
    mkdirSync(PICTURES, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [name, width] of Object.entries(WIDTHS)) {
        const own = await visit(browser, { colorScheme, viewport: { width, height: 900 } });
        const one = await opened(own, hub, wrong);
        for (const [view, path] of Object.entries(views)) {
          await one.goto(`http://${hub.host}${path}`);
          await one.locator('h1').waitFor();
          await one.locator('[aria-busy]').first().waitFor({ state: 'detached' });
          if (view === 'sessions') await one.getByText('Summary').first().click();
          const overflow = await one.evaluate('document.documentElement.scrollWidth - innerWidth');
          assert.ok(Number(overflow) <= 0, `${view} is ${String(overflow)} px too wide at ${width}`);
          await one.screenshot({
            path: join(PICTURES, `${view}-${name}-${colorScheme}.png`),
            fullPage: true,
          });
        }
        await own.close();
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('who locks the browser out is out, and is told the way back', async () => {
    const own = await visit(browser, {});
    const one = await opened(own, hub, []);
    await one.getByRole('button', { name: 'Lock this browser out' }).click();
    await one.getByRole('heading', { name: 'This hub is locked' }).waitFor();
    await one.screenshot({ path: join(PICTURES, 'locked.png') });
    await own.close();
  });

  test('a memory full of script is shown as it is written, and nothing of it runs', async (t) => {
    const nasty: Memory = {
      ...today,
      title: NASTY,
      body: NASTY,
      reason: NASTY,
      kind: 'decision',
      facts: [NASTY],
      concepts: [NASTY],
      files: [NASTY],
      branch: NASTY,
      provenance: { ...today.provenance, by: NASTY, session: NASTY },
    };
    const other = await playedDaemon([nasty], NOW);
    const [first] = await sampleTurns();
    const turn = { ...first, prompt: NASTY, answer: NASTY };
    const attacked = await PlayedHub.open({ ...other.calls, 'read.transcript': () => ({ turn }) }, BUILT);
    t.after(async () => {
      await attacked.close();
      other.close();
    });
    const own = await visit(browser, {});
    const seen: string[] = [];
    const one = await opened(own, attacked, seen);
    for (const path of [
      '/',
      '/search?q=kind:decision',
      `/memories/${nasty.id}`,
      `/search?q=${encodeURIComponent(NASTY)}`,
    ]) {
      await one.goto(`http://${attacked.host}${path}`);
      await one.locator('[aria-busy]').first().waitFor({ state: 'detached' });
      await one.getByText('onerror=').first().waitFor();
      assert.equal(
        await one.locator('#app img:not([src="/tidemark.svg"]), #app script, a[href^="javascript:"]').count(),
        0,
      );
      assert.doesNotMatch(await one.title(), /^owned/);
    }
    assert.deepEqual(seen, []);
    await own.close();
  });
});

function visit(browser: Browser, options: object): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: 'Europe/Lisbon',
    ...options,
  });
}

/** Follows a fresh link; whatever the page complains of or fetches elsewhere is put on `wrong`. */
async function opened(context: BrowserContext, hub: PlayedHub, wrong: string[]): Promise<Page> {
  await context.clock.setFixedTime(NOW);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => {
    if (new URL(request.url()).host !== hub.host) wrong.push(request.url());
  });
  await page.goto(hub.hub.link());
  return page;
}

async function idOf(page: Page, hub: PlayedHub, words: string): Promise<string | undefined> {
  await page.goto(`http://${hub.host}/search?q=${encodeURIComponent(words)}`);
  const href = await page.locator('.results [data-row]').first().getAttribute('href');
  return href?.split('/').at(-1);
}
