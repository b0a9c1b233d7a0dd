/** A real browser before the hub of a real daemon. Whatever a page complains of or fetches elsewhere is kept. */
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { Machine } from '../support/machine.ts';
import { part } from '../support/parts.ts';

export const { path: executablePath, skip } = part('chromium');

/** Far beyond what anything here takes. */
const WAIT_MS = 15_000;

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

/** Follows a fresh link, as `tidemark hub` gives it. */
export async function visit(browser: Browser, machine: Machine, options: object = {}): Promise<Visit> {
  const { url: link } = await machine.call<{ url: string }>('hub.link');
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
