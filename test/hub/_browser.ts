/** A browser before the hub of a real daemon. */
import type { Browser } from 'playwright-core';
import { follow, type Visit } from '../support/browser.ts';
import type { Machine } from '../support/machine.ts';

/** Follows a fresh link, as `tidemark hub` gives it. */
export async function visit(browser: Browser, machine: Machine, options: object = {}): Promise<Visit> {
  const { url } = await machine.call<{ url: string }>('hub.link');
  return follow(browser, url, options);
}
