/** The page in a real browser with a real daemon and half a year of memories: every view, keys, layout, axe. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { drawn, openBrowser, settled, skip, wrongLooks, type Visit } from '../support/browser.ts';
import { Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';
import { visit } from './_browser.ts';
import { seed, type Seeded } from '../support/seeded-home.ts';

describe('the page', { skip }, () => {
  const machine = new Machine();
  let browser: Browser;
  let seeded: Seeded;
  let hub: Visit;
  let page: Page;
  const at = (path: string) => page.goto(hub.origin + path).then(() => settled(page));
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor();

  const titled = (title: string) =>
    waitFor(`the title “${title}”`, async () => (await page.title()) === title);

  before(async () => {
    seeded = await seed(machine, new Date());
    browser = await openBrowser();
    hub = await visit(browser, machine);
    page = hub.page;
  });
  after(async () => {
    await browser?.close();
    await machine.close();
  });

  test('the link signs in and leaves no key in the address', async () => {
    assert.equal(page.url(), `${hub.origin}/`);
    await heading('Overview');
  });

  test('the first screen shows memories: learned lately, still open, changed, used today', async () => {
    const list = (name: string) => page.getByRole('region', { name });
    const newest = seeded.memories.at(-1)?.title ?? '';
    await list('Learned lately').getByRole('link', { name: newest }).waitFor();
    await list('Still open').getByText('Issue').first().waitFor();
    const changed = list('Changed').getByTestId('change');
    await changed.getByText('Edited · ').waitFor();
    const edited = changed.filter({ hasText: 'Edited' });
    assert.match(
      await edited.innerText(),
      /Every change to .* goes through its queue[^]*→[^]*queue\.push\(\)/,
    );
    assert.equal(await edited.locator('code').innerText(), 'queue.push()');
    assert.match(await changed.filter({ hasText: 'Replaced' }).innerText(), /^Decision\n.* → /);
    await changed.filter({ hasText: 'Resolved' }).waitFor();
    const used = list('Used today').getByTestId('use').first();
    assert.match(await used.innerText(), /Injected (?:at the start of a session|with a prompt): /);
    const figures = await page.getByTestId('overview-card').first().boundingBox();
    const lists = await page.getByTestId('home').boundingBox();
    assert.ok((figures?.y ?? 0) > (lists?.y ?? 0) + (lists?.height ?? 0) - 1, 'figures are below the lists');
  });

  test('each list of the first screen leads to the whole list', async () => {
    const whole = {
      'All memories': ['/memories', '.timeline [data-testid="memory-row"]'],
      'open issues': ['/memories?show=open', '.timeline .badge.state-open'],
      'All changes': ['/memories?show=changed', '[data-testid="change"]'],
      'used today': ['/memories?show=used', '[data-testid="use"]'],
    } as const;
    for (const [name, [path, row]] of Object.entries(whole)) {
      await at('/');
      await page.getByTestId('home').getByRole('link', { name }).click();
      await page.waitForURL(hub.origin + path);
      await page.locator(row).first().waitFor();
    }
    await at('/');
  });

  test('the overview shows counts, half a year, the last week and the state of capture', async () => {
    const cards = await page.getByTestId('overview-card').allInnerTexts();
    assert.match(cards.join(' '), /Memories.*Projects.*Active days.*Per active day.*Per project/s);
    assert.ok(Number(/[\d,]+/.exec(cards[0] ?? '')?.[0].replace(',', '')) > seeded.memories.length);
    await drawn(page);
    for (const name of ['Activity', 'Last seven days', 'Kinds over time', 'Capture'])
      await page.getByRole('heading', { name, level: 2 }).waitFor();
    await page.getByText('Capture is on').waitFor();
    await page.getByText('Rules write your memories').waitFor(); // tests of models switch one on
    await page.getByText('As a table').first().click();
    assert.equal(await page.locator('.chart details[open] tbody tr').count(), 7);
  });

  test('the heatmap is a table for arrow keys, and a day opens its memories', async () => {
    const today = page.getByRole('grid').locator('[tabindex="0"]');
    await today.focus();
    const label = await today.getAttribute('aria-label');
    assert.match(label ?? '', /\d{4}: \d+ memor(?:y|ies)$/);
    await page.getByTestId('heatmap').locator('.tip').waitFor();
    await page.keyboard.press('ArrowLeft');
    const week = await page.evaluate(`document.activeElement.getAttribute('aria-label')`);
    assert.notEqual(week, label);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=since%3A[\d-]+%20until%3A[\d-]+$/);
    await page.getByTestId('search-hit').first().waitFor();
  });

  test('a project shows a timeline by day, open issues, memories in force and a page', async () => {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('link', { name: 'tide-tables' }).click();
    await heading('tide-tables');
    const days = page.locator('.day-title');
    await days.first().waitFor();
    assert.match(await days.first().innerText(), /\d+ memor(?:y|ies)/);
    const more = page.getByTestId('load-more');
    assert.match(await more.innerText(), /^Load more \([\d,]+ remaining\)$/);
    // With the mouse, right after a jump to the end: rows that are measured late must not move the button.
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await more.click();
    await more.waitFor({ state: 'detached' });
    await page
      .getByRole('group', { name: 'Filter by kind' })
      .getByRole('button', { name: 'Decisions' })
      .click();
    await page.locator('.timeline .kind-decision').first().waitFor();
    await page.locator('.timeline .kind-feature').first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Open issues/ }).click();
    await page.locator('.badge.state-open').first().waitFor();
    await page.getByRole('link', { name: /^In force/ }).click();
    await page.getByText('Why:').first().waitFor();
    await at('/projects');
    await page.getByRole('link', { name: 'harbor-api' }).click();
    await page.getByRole('link', { name: 'Page', exact: true }).click();
    await page.getByRole('heading', { name: 'harbor-api: what to know now' }).waitFor();
    await page.locator('.markdown li').first().waitFor();
  });

  test('only visible rows are in the document, however far the user scrolls', async () => {
    await at('/projects/tide-tables-3fk9x');
    await page.getByTestId('load-more').click();
    await page.getByTestId('load-more').waitFor({ state: 'detached' });
    assert.ok((await page.getByTestId('memory-row').count()) < 60);
    const first = await page.getByTestId('memory-row').first().innerText();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await waitFor('other rows', async () => {
      const [now] = await page.getByTestId('memory-row').allInnerTexts();
      return now !== undefined && now !== first;
    });
    assert.ok((await page.getByTestId('memory-row').count()) < 60);
  });

  test('a memory shows its reason, its files and the original conversation', async () => {
    await at('/search?q=Kysely');
    await page.getByRole('link', { name: 'Use Kysely as the query layer' }).first().click();
    await heading('Use Kysely as the query layer');
    await page.getByText('we want to see the SQL that goes out', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'migrations/001_berths.sql' }).waitFor();
    await page.locator('.said.person').waitFor();
    await page.getByText('pnpm add kysely pg').first().waitFor();
    await page.getByRole('heading', { name: 'Used in sessions' }).waitFor();
    await titled('Use Kysely as the query layer · Tidemark');
  });

  test('an injected memory says where, and whether it was opened', async () => {
    const recalled = seeded.memories.toReversed().map(({ id }) => id);
    for (const id of recalled) {
      await at(`/memories/${id}`);
      if ((await page.getByText('opened by the agent').count()) > 0) return;
    }
    assert.fail('none of them was opened');
  });

  test('/ searches while the user types; j, k, Enter and ? work without a mouse', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('overlapping stays');
    await page.waitForURL(/\/search\?q=overlapping%20stays$/);
    await settled(page);
    await page
      .getByRole('status')
      .getByText(/memor(?:y|ies) for “overlapping stays”/)
      .waitFor();
    await page.locator('.results mark').first().waitFor();
    await page.locator('.score summary').first().click();
    await page
      .locator('.score')
      .first()
      .getByRole('listitem')
      .getByText(/^Shares the words? .*overlapping/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Search', level: 1 }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const row = await page.evaluate('document.activeElement.textContent');
    assert.equal(row, await page.locator('[data-row]').first().innerText());
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys and filters' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/memories\//);
    await page.goBack();
    await page.waitForURL(/\/search/);
  });

  test('filters can be typed or chosen', async () => {
    await at('/search?q=station');
    await page.getByLabel('Kind').selectOption('issue');
    await page.waitForURL(/q=kind%3Aissue%20station$/);
    await page.locator('.results .kind-decision').first().waitFor({ state: 'detached' });
    await page.getByLabel('Project').selectOption('tide-tables');
    await page.waitForURL(/q=project%3Atide-tables%20kind%3Aissue%20station$/);
    const words = () => page.getByTestId('search-input').inputValue();
    await waitFor(
      'the words to follow the controls',
      async () => (await words()) === 'project:tide-tables kind:issue station',
    );
    await at('/search?q=zeppelinic%20quixotry');
    await page.getByText('No memories found').waitFor();
    await at('/search?q=kind:wish');
    await page.getByText('a kind is one of').waitFor();
  });

  test('a session shows prompts, summary, files, memories, cost and injected memories', async () => {
    await at('/sessions');
    await page.getByTestId('search-input').waitFor();
    await page.getByRole('button', { name: /^Load more/ }).click();
    await page.getByRole('link', { name: /^Moved everything about stays/ }).click();
    await heading(/^Moved everything about stays/);
    for (const name of [
      'Summary',
      'Memories from this session',
      'Prompts',
      'Files',
      'Memories injected, and why',
    ])
      await page.getByRole('heading', { name, level: 2 }).waitFor();
    // The prompts and the list of files say it already.
    for (const repeated of ['Request', 'Files edited'])
      assert.equal(await page.getByText(repeated, { exact: true }).count(), 0, repeated);
    await page.getByRole('button', { name: 'Show the conversation' }).first().click();
    await page.locator('.conversation .said.agent').first().waitFor();
    await at('/sessions');
    // The title of the newest depends on the day: memories are invented around today.
    const newest = seeded.memories.at(-1)?.provenance.session;
    const title = seeded.memories.find(({ provenance }) => provenance.session === newest)?.title ?? '';
    await page.getByRole('link', { name: title, exact: true }).click();
    await page
      .getByText(/^(?:At the start of a session \d+ memor(?:y|ies)|With a prompt \d+ of 40 considered)$/)
      .waitFor();
  });

  test('a new view sets the title and moves the focus to its beginning', async () => {
    await at('/');
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Team' }).click();
    await page.getByRole('heading', { name: 'Nothing is shared' }).waitFor();
    await titled('Team · Tidemark');
    const focused = () => page.evaluate('document.activeElement.id');
    await waitFor('the focus to be moved', async () => (await focused()) === 'main');
  });

  test('the theme follows the system or the user’s choice, from the first paint on', async () => {
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.getByRole('button', { name: 'Theme: Same as system' }).click();
    assert.equal(await ground(), light);
    await page.reload();
    await settled(page);
    assert.equal(await ground(), light);
    await page.getByRole('button', { name: 'Theme: Light' }).click();
    await page.getByRole('button', { name: 'Theme: Dark' }).click();
    assert.equal(await ground(), dark);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('there are no errors and no requests to other servers', () => assert.deepEqual(hub.wrong, []));

  test('an unknown address shows that the page was not found', async () => {
    await at('/memories/none-such-id');
    await page.getByText('none-such-id').first().waitFor();
    await at('/nowhere');
    await heading('Page not found');
    // The browser logs the failed request, and nothing else.
    assert.deepEqual(
      hub.wrong.splice(0).filter((text) => !text.includes('404 (Not Found)')),
      [],
    );
  });

  test('on a phone, the time and the project of a session do not overlap', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await at('/sessions');
    const row = page.locator('.row.session').first();
    const project = await row.locator('.row-project').boundingBox();
    const time = Number(
      await page.evaluate(`(() => {
        const text = document.createRange();
        text.selectNodeContents(document.querySelector('.row.session > time'));
        return text.getBoundingClientRect().right;
      })()`),
    );
    assert.ok(project && time < project.x, `${time} is left of ${project?.x}`);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('every view fits every width in both themes, without findings of axe', async () => {
    await machine.call('forget', { ids: seeded.memories.slice(40, 44).map(({ id }) => id) });
    const views = await viewsOf(page, hub.origin);
    assert.deepEqual(await wrongLooks(page, views, at), []);
    assert.deepEqual(hub.wrong, []);
  });
});

async function viewsOf(page: Page, origin: string): Promise<Readonly<Record<string, string>>> {
  const first = async (path: string, link: string) => {
    await page.goto(origin + path);
    return (await page.locator(link).first().getAttribute('href')) ?? '';
  };
  return {
    overview: '/',
    memories: '/memories',
    'memories-changed': '/memories?show=changed',
    'memories-used': '/memories?show=used',
    search: '/search?q=exclusion%20constraint',
    'search-none': '/search?q=zeppelinic',
    projects: '/projects',
    project: '/projects/tide-tables-3fk9x',
    'project-page': `${await first('/projects', 'a:text-is("harbor-api")')}?show=page`,
    memory: await first('/search?q=exclusion%20constraint', '.results [data-row]'),
    sessions: '/sessions',
    session: await first('/search?q=exclusion%20constraint', '.results [data-row]').then((memory) =>
      first(memory, '.about a[href^="/sessions/"]'),
    ),
    live: '/live',
    review: '/review',
    settings: '/settings',
    import: '/import',
    team: '/team',
    trash: '/trash',
  };
}
