/**
 * `node scripts/screenshots.mjs [name …]`: makes the pictures of the hub in docs (`docs/hub-*.png`) with a real daemon, a
 * real browser and invented memories in a temporary data folder. `team` needs PostgreSQL. Every view in every width and
 * theme: see docs/hub.md.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMain, root, runQuietly } from './_setup.mjs';
import { prepareParts } from './_parts.mjs';
import { INVENTED_PROJECTS, inventedMemories } from './_invented-work.mjs';

// The browser is one of the parts that tests need; they are read when these modules load.
await prepareParts(['hub'], console.error);
const { follow, openBrowser, settled } = await import('../test/support/browser.ts');
const { Machine } = await import('../test/support/machine.ts');
const { seed } = await import('../test/support/seeded-home.ts');

const DESK = { width: 1280, height: 960 };
const PHONE = { width: 390, height: 844 };

/** Each picture: size, theme, path, and what to do before it is taken. */
const PICTURES = {
  overview: { size: DESK, path: '/' },
  charts: { size: DESK, path: '/', before: (page) => page.getByTestId('heatmap').scrollIntoViewIfNeeded() },
  memory: { size: DESK, theme: 'dark', path: '/search?q=exclusion%20constraint', before: openFirst },
  search: { size: DESK, path: '/search?q=overlapping%20stays', before: explainFirst },
  phone: { size: PHONE, path: '/' },
  trash: { size: DESK, path: '/trash' },
  settings: { size: DESK, path: '/settings' },
  session: { size: DESK, theme: 'dark', path: '/search?q=exclusion%20constraint', before: openSession },
};

async function openFirst(page) {
  await page.locator('.results [data-row]').first().click();
  await page.locator('.said.person').waitFor();
}

async function openSession(page) {
  await openFirst(page);
  await page.locator('.about a[href^="/sessions/"]').first().click();
  await page.getByRole('heading', { name: 'Prompts' }).waitFor();
}

async function explainFirst(page) {
  await page.locator('.score summary').first().click();
}

async function machinePictures(browser, names) {
  const machine = new Machine();
  try {
    const now = new Date();
    const invented = { projects: INVENTED_PROJECTS, memories: inventedMemories(now) };
    const { memories } = await seed(machine, now, invented);
    await machine.call('settings.set', { key: 'distill.consent', value: false });
    await machine.call('forget', { ids: memories.slice(30, 34).map(({ id }) => id) });
    for (const name of names) {
      const { size, theme = 'light', path, before } = PICTURES[name];
      const { url } = await machine.call('hub.link', {});
      const look = { viewport: size, colorScheme: theme };
      const { page, origin, context } = await follow(browser, url, look);
      await page.goto(origin + path);
      await settled(page);
      await before?.(page);
      await settled(page);
      await take(page, name);
      await context.close();
    }
  } finally {
    await machine.close();
  }
}

/** The test of the team's hub takes pictures of its invented team. */
async function teamPicture() {
  const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
  try {
    const env = { ...process.env, HUB_PICTURES: folder };
    const args = ['scripts/test.mjs', 'test/server/hub-page.test.ts'];
    const { code, output } = await runQuietly(process.execPath, args, { cwd: root, env });
    if (code !== 0) throw new Error(output);
    copyFileSync(join(folder, 'team-memory-1280-light.png'), pathOf('team'));
    console.log(pathOf('team'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function take(page, name) {
  await page.screenshot({ path: pathOf(name) });
  console.log(pathOf(name));
}

function pathOf(name) {
  return join(root, 'docs', `hub-${name}.png`);
}

if (isMain(import.meta.url)) {
  const wanted = process.argv.slice(2);
  const names = [...Object.keys(PICTURES), 'team'].filter(
    (name) => wanted.length === 0 || wanted.includes(name),
  );
  const browser = await openBrowser();
  try {
    const ofMachine = names.filter((name) => name !== 'team');
    if (ofMachine.length > 0) await machinePictures(browser, ofMachine);
    if (names.includes('team')) await teamPicture();
  } finally {
    await browser.close();
  }
}
