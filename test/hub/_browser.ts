/** A browser that opens the hub of a real daemon. */
import type { Browser } from 'playwright-core';
import { follow, type Visit } from '../support/browser.ts';
import type { Machine } from '../support/machine.ts';

/** Opens a new link, as `tidemark hub` prints it. */
export async function visit(browser: Browser, machine: Machine, options: object = {}): Promise<Visit> {
  const { url } = await machine.call('hub.link', {});
  return follow(browser, url, options);
}
