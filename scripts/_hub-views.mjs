/**
 * Every view of a machine's hub for `scripts/screenshots.mjs --all`: its path, and what to do before the picture is
 * taken.
 */

const FOUND = '/search?q=exclusion%20constraint';

/** Views of a hub with memories. */
export const VIEWS = {
  overview: { path: '/' },
  memories: { path: '/memories' },
  'memories-open': { path: '/memories?show=open' },
  'memories-changed': { path: '/memories?show=changed' },
  'memories-used': { path: '/memories?show=used' },
  search: { path: FOUND, before: (page) => page.locator('.score summary').first().click() },
  'search-none': { path: '/search?q=zeppelinic' },
  'search-wrong': { path: '/search?q=kind:wish' },
  memory: { path: FOUND, before: (page) => page.locator('.results [data-row]').first().click() },
  edit: { path: FOUND, before: (page) => dialog(page, 'Edit') },
  replace: { path: FOUND, before: (page) => dialog(page, 'Replace') },
  move: { path: FOUND, before: (page) => dialog(page, 'Move') },
  projects: { path: '/projects' },
  project: { path: '/projects', before: openProject },
  'project-open': { path: '/projects', before: (page) => openProject(page, /^Open issues/) },
  'project-in-force': { path: '/projects', before: (page) => openProject(page, /^In force/) },
  'project-page': { path: '/projects', before: (page) => openProject(page, 'Page') },
  sessions: { path: '/sessions' },
  session: { path: FOUND, before: openSession },
  live: { path: '/live' },
  review: { path: '/review' },
  import: { path: '/import' },
  team: { path: '/team' },
  trash: { path: '/trash' },
  settings: { path: '/settings' },
  keys: { path: '/projects', before: (page) => page.keyboard.press('?') },
  'not-found': { path: '/nowhere' },
  locked: { path: '/', before: signOut },
  // Last, because it changes the memories.
  forgotten: { path: '/memories?show=open', before: forget },
};

/** Views of a new install. */
export const EMPTY_VIEWS = Object.fromEntries(
  ['overview', 'memories', 'search', 'projects', 'sessions', 'live', 'review', 'import', 'team', 'trash'].map(
    (name) => [`empty-${name}`, { path: name === 'overview' ? '/' : `/${name}` }],
  ),
);

async function openMemory(page) {
  await page.locator('.results [data-row]').first().click();
  await page.locator('.said.person').waitFor();
}

async function dialog(page, name) {
  await openMemory(page);
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').waitFor();
}

async function openProject(page, list) {
  await page.getByRole('link', { name: 'harbor-api' }).first().click();
  await page.locator('.timeline').waitFor();
  if (list) await page.getByRole('link', { name: list }).click();
}

async function openSession(page) {
  await openMemory(page);
  await page.locator('.about a[href^="/sessions/"]').first().click();
  await page.getByRole('heading', { name: 'Prompts' }).waitFor();
}

async function signOut(page) {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'This hub is locked' }).waitFor();
}

async function forget(page) {
  await page.locator('[data-row]').nth(2).focus();
  await page.keyboard.press('x');
  await page.getByText('Forgotten.').waitFor();
}
