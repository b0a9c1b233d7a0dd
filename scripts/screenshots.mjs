/**
 * `node scripts/screenshots.mjs [name …]`: makes the pictures of the hub in docs (`docs/hub-*.png`) with a real daemon, a
 * real browser and invented memories in a temporary data folder. `team` needs PostgreSQL.
 * `node scripts/screenshots.mjs --all FOLDER [name …]`: takes every view in light, dark and phone width into a folder,
 * with dialogs, a new install and the locked page. Says which are wider than the window.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isMain, root, runQuietly } from './_setup.mjs';
import { EMPTY_VIEWS, VIEWS } from './_hub-views.mjs';
import { prepareParts } from './_parts.mjs';
import { INVENTED_PROJECTS, inventedMemories } from './_invented-work.mjs';

// The browser is one of the parts that tests need; they are read when these modules load.
await prepareParts(['hub'], console.error);
const { follow, openBrowser, settled } = await import('../test/support/browser.ts');
const { Machine } = await import('../test/support/machine.ts');
const { seed } = await import('../test/support/seeded-home.ts');

const DESK = { width: 1280, height: 960 };
const PHONE = { width: 390, height: 844 };
const FORMS = {
  light: { size: DESK, theme: 'light' },
  dark: { size: DESK, theme: 'dark' },
  phone: { size: PHONE, theme: 'light' },
};

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
    await invent(machine);
    for (const name of names) await view(browser, machine, PICTURES[name], pathOf(name));
  } finally {
    await machine.close();
  }
}

/** Every view of a hub with memories, then of a new install. Without names, all. */
async function everyView(browser, folder, names) {
  mkdirSync(folder, { recursive: true });
  const isWanted = ([name]) => names.length === 0 || names.includes(name);
  const hubs = [
    { views: Object.entries(VIEWS).filter(isWanted), prepare: invent },
    { views: Object.entries(EMPTY_VIEWS).filter(isWanted), prepare: (machine) => machine.up() },
  ];
  for (const { views, prepare } of hubs.filter((hub) => hub.views.length > 0)) {
    const machine = new Machine();
    try {
      await prepare(machine);
      for (const [name, { path, before }] of views)
        for (const [form, look] of Object.entries(FORMS))
          await view(browser, machine, { ...look, path, before }, join(folder, `${name}-${form}.png`), true);
    } finally {
      await machine.close();
    }
  }
}

async function invent(machine) {
  const now = new Date();
  const invented = { projects: INVENTED_PROJECTS, memories: inventedMemories(now) };
  const { memories } = await seed(machine, now, invented);
  await machine.call('forget', { ids: memories.slice(30, 34).map(({ id }) => id) });
}

/** Opens a view in a new visit and takes its picture. */
async function view(browser, machine, { size, theme = 'light', path, before }, file, fullPage = false) {
  const { url } = await machine.call('hub.link', {});
  const { page, origin, context } = await follow(browser, url, { viewport: size, colorScheme: theme });
  await page.goto(origin + path);
  await settled(page);
  await before?.(page);
  await settled(page);
  if (fullPage) await unroll(page, size);
  await page.screenshot({ path: file, fullPage });
  const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  console.log(overflow > 0 ? `${file}: ${overflow} px too wide` : file);
  await context.close();
}

/** Makes the window as high as the page, because long lists draw only visible rows. A dialog fits the window. */
async function unroll(page, { width }) {
  if ((await page.locator('dialog[open], .toast').count()) > 0) return;
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewportSize({ width, height });
  await settled(page);
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

function pathOf(name) {
  return join(root, 'docs', `hub-${name}.png`);
}

if (isMain(import.meta.url)) {
  const { values, positionals: wanted } = parseArgs({
    options: { all: { type: 'string' } },
    allowPositionals: true,
  });
  const names = [...Object.keys(PICTURES), 'team'].filter(
    (name) => wanted.length === 0 || wanted.includes(name),
  );
  const browser = await openBrowser();
  try {
    if (values.all !== undefined) {
      await everyView(browser, resolve(values.all), wanted);
    } else {
      const ofMachine = names.filter((name) => name !== 'team');
      if (ofMachine.length > 0) await machinePictures(browser, ofMachine);
      if (names.includes('team')) await teamPicture();
    }
  } finally {
    await browser.close();
  }
}
