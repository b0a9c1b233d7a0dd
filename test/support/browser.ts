/** A real browser before a hub. Whatever a page complains of or fetches elsewhere is kept. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { part } from './parts.ts';

export const { path: executablePath, skip } = part('chromium');

/** Far beyond what anything here takes. */
const WAIT_MS = 45_000;

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly origin: string;
  /** Complaints, and addresses outside of the hub. */
  readonly wrong: string[];
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
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
}

/** Goes to an address: a link that lets in, or a page for those outside. */
export async function follow(browser: Browser, link: string, options: object = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const { host, origin } = new URL(link);
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.host !== host) wrong.push(request.url());
  });
  await page.goto(link);
  await page.locator('h1').first().waitFor();
  return { context, page, origin, wrong };
}

/** Resolves when everything the view asked for is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
}

/** Resolves when the charts of the overview are there: they are drawn a moment after their frame. */
export async function drawn(page: Page): Promise<void> {
  const charts = page.locator('.chart');
  await charts.nth(1).locator('canvas').waitFor();
  assert.deepEqual([await charts.count(), await page.locator('.chart canvas').count()], [2, 2]);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The folder for screenshots of every view, width and light; none are taken without it. */
const PICTURES = process.env['HUB_PICTURES'];
const WIDTHS = [1280, 768, 360];
/** The rules that axe checks in each case. Only contrast depends on the light, and all rules everywhere take minutes. */
const CONTRAST = 'color-contrast';
const LOOKED_AT: Readonly<Record<string, object>> = {
  '1280 light': {},
  '1280 dark': { runOnly: { type: 'rule', values: [CONTRAST] } },
};

/** Returns overflows and axe's findings over all views, widths and lights. `at` opens a view. */
export async function wrongLooks(
  page: Page,
  views: Readonly<Record<string, string>>,
  at: (path: string) => Promise<void>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [view, path] of Object.entries(views)) {
    await at(path);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        if (overflow > 0) found.push(`${view} is ${overflow} px too wide at ${width}`);
        if (PICTURES) await picture(page, PICTURES, `${view}-${width}-${colorScheme}`);
        const looks = LOOKED_AT[`${width} ${colorScheme}`];
        if (looks)
          found.push(...(await axe(page, looks)).map((what) => `${view} ${width} ${colorScheme}: ${what}`));
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

async function picture(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Returns the problems that axe finds in the current page, by rule and place. */
async function axe(page: Page, options: object): Promise<readonly string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE);
  return page.evaluate(async (wanted) => {
    const { axe: engine } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> };
    };
    const { violations } = await engine.run({ resultTypes: ['violations'], ...wanted });
    return violations.map(({ id, nodes }) => {
      const places = nodes.slice(0, 3).map(({ target }) => target.join(' '));
      return `${id} at ${places.join(', ')}`;
    });
  }, options);
}
