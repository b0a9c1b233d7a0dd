/** Measures the hub's page in a real browser: opening it, searching while typing, scrolling a long list. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium, type Page } from 'playwright-core';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';

export interface PageFigures {
  readonly bundle: { readonly files: number; readonly gzipped: number };
  readonly paint: {
    readonly firstContentful: number;
    readonly domReady: number;
    readonly memories: number;
    readonly shown: number;
  };
  readonly search: { readonly p50: number; readonly p95: number };
  readonly scroll: {
    readonly rows: number;
    readonly frames: number;
    readonly p50: number;
    readonly p95: number;
    readonly longest: number;
    readonly inDocument: number;
    readonly heapMb: number;
  };
}

const SEED = 20_261_115;
const OPENED = 5;
const WORDS = 8;
const SCROLL_FRAMES = 600;
const WAIT_MS = 60_000;
const NO_HITS_MS = 5000;
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--enable-precise-memory-info',
];

export async function pageFigures(link: () => Promise<string>): Promise<PageFigures> {
  const executablePath = browserOnPath();
  if (executablePath === undefined)
    throw new Error('Chromium was not found. Install chromium, or pass --no-page.');
  const browser = await chromium.launch({ executablePath, args: ARGS });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(WAIT_MS);
    const bundle = await opened(page, await link());
    const paints = [];
    for (let i = 0; i < OPENED; i++) paints.push(await painted(page));
    return { bundle, paint: medianOf(paints), search: await searched(page), scroll: await scrolled(page) };
  } finally {
    await browser.close();
  }
}

/** Returns the gzipped size of every file that the first view loads, without data. */
async function opened(page: Page, link: string): Promise<PageFigures['bundle']> {
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    const isPart = response.status() === 200 && !pathname.startsWith('/api/') && pathname !== '/enter';
    if (isPart) bodies.push(response.body());
  });
  await page.goto(link);
  await page.getByTestId('overview-card').first().waitFor();
  page.removeAllListeners('response');
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
  return { files: sizes.length, gzipped: sizes.reduce((sum, size) => sum + size, 0) };
}

async function painted(page: Page): Promise<PageFigures['paint']> {
  const began = Date.now();
  await page.goto(new URL('/', page.url()).href, { waitUntil: 'commit' });
  await page.getByTestId('home-memory').first().waitFor();
  const memories = Date.now() - began;
  await page.getByTestId('overview-card').first().waitFor();
  const shown = Date.now() - began;
  const paints = await page.evaluate<Pick<PageFigures['paint'], 'firstContentful' | 'domReady'>>(PAINTS);
  return { ...paints, memories, shown };
}

function medianOf(paints: readonly PageFigures['paint'][]): PageFigures['paint'] {
  const median = (key: keyof PageFigures['paint']): number =>
    percentile(
      paints.map((paint) => paint[key]).toSorted((a, b) => a - b),
      0.5,
    );
  return {
    firstContentful: median('firstContentful'),
    domReady: median('domReady'),
    memories: median('memories'),
    shown: median('shown'),
  };
}

/** Measures the time from the last key of a word to new hits. */
async function searched(page: Page): Promise<PageFigures['search']> {
  const synthetic = new Synthetic(SEED);
  const times: number[] = [];
  await page.goto(new URL('/search', page.url()).href);
  const input = page.getByTestId('search-input').first();
  await input.waitFor();
  for (const text of Array.from({ length: WORDS }, () => synthetic.memory(0).memory.title)) {
    const word = text.split(' ').toSorted((a, b) => b.length - a.length)[0] ?? '';
    await input.fill('');
    await input.pressSequentially(word.slice(0, -1));
    const change = page.evaluate<number>(KEY_TO_HITS);
    await input.press(word.at(-1) ?? 'e');
    const ms = await change;
    if (ms >= 0) times.push(ms);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
}

/** Scrolls the timeline of a project while further pages load. */
async function scrolled(page: Page): Promise<PageFigures['scroll']> {
  await page.goto(new URL('/projects', page.url()).href);
  await page.locator('a[href^="/projects/bench-0"]').first().click();
  await page.getByTestId('memory-row').first().waitFor();
  const { times, rows, inDocument, heapMb } = await page.evaluate<Scrolled>(SCROLLING);
  const sorted = times.toSorted((a, b) => a - b);
  const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
  return { rows, frames: times.length, p50, p95, longest: sorted.at(-1) ?? 0, inDocument, heapMb };
}

interface Scrolled {
  readonly times: readonly number[];
  readonly rows: number;
  readonly inDocument: number;
  readonly heapMb: number;
}

function browserOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

// Code that runs in the page is a string, because its globals are the browser's.

const PAINTS = `({
  firstContentful: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  domReady: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd,
})`;

/** Time from the next key to a painted change of the list of hits; -1 if nothing changes. */
const KEY_TO_HITS = `new Promise((resolve) => {
  let pressed = 0;
  addEventListener('keydown', () => (pressed = performance.now()), { once: true, capture: true });
  const seen = new MutationObserver((changes) => {
    const isHit = ({ target }) =>
      target.parentElement?.closest('[data-testid="search-hit"]') || target.querySelector?.('[data-testid="search-hit"]');
    if (pressed === 0 || !changes.some(isHit)) return;
    seen.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - pressed));
  });
  seen.observe(document.body, { subtree: true, childList: true, characterData: true });
  setTimeout(() => resolve(-1), ${NO_HITS_MS});
})`;

/** Scrolls half a screen per frame; further pages load meanwhile. */
const SCROLLING = `new Promise((resolve) => {
  const rows = new Set();
  const times = [];
  let last = performance.now();
  const step = () => {
    const now = performance.now();
    times.push(now - last);
    last = now;
    for (const row of document.querySelectorAll('[data-testid="memory-row"] a[href]')) rows.add(row.getAttribute('href'));
    const more = document.querySelector('[data-testid="load-more"]');
    if (more && more.getBoundingClientRect().top < innerHeight * 2) more.click();
    scrollBy(0, innerHeight / 2);
    if (times.length < ${SCROLL_FRAMES}) return requestAnimationFrame(step);
    resolve({
      times: times.slice(1),
      rows: rows.size,
      inDocument: document.querySelectorAll('[data-testid="memory-row"]').length,
      heapMb: (performance.memory?.usedJSHeapSize ?? 0) / 1024 / 1024,
    });
  };
  requestAnimationFrame(step);
})`;
