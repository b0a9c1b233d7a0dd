/** The team view names each new entry that waits to be shared, and each that stays on this machine with the reason. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortId, type Memory } from '../../src/core/index.ts';
import { openBrowser, settled, skip } from '../support/browser.ts';
import { Machine } from '../support/machine.ts';
import { TeamServerStandIn } from '../support/team-stand-in.ts';
import { visit } from './_browser.ts';

test('the team view lists entries that wait and entries that stay', { skip }, async (t) => {
  const server = await TeamServerStandIn.open(t);
  const machine = Machine.open(t);
  await machine.up();
  await machine.call('team.login', { server: server.url, key: server.member('Ada').key });
  await remember(machine, 'Pages are cached');
  await machine.call('team.share', { dir: machine.project });
  const waits = await remember(machine, 'Refresh tokens rotate on every use');
  const stays = await remember(machine, 'The queue stays in PostgreSQL');
  await machine.call('team.decide', { ids: [stays.id], state: 'held' });
  await machine.call('team.now', {});
  const browser = await openBrowser();
  t.after(() => browser.close());
  const { page, origin, wrong } = await visit(browser, machine);
  await page.goto(`${origin}/team`).then(() => settled(page));
  await page.getByRole('heading', { name: 'Waiting to be shared' }).waitFor();
  const text = await page.locator('main').innerText();
  assert.match(text, /Refresh tokens rotate on every use will be shared on \d+ \w+ \d+, \d\d:\d\d/);
  assert.match(text, /The queue stays in PostgreSQL held back by you/);
  assert.ok(text.includes(`tidemark share --hold ${shortId(waits.id)}`), text);
  assert.ok(text.includes(`tidemark share ${shortId(stays.id)}`), text);
  assert.deepEqual(wrong, []);
});

function remember(machine: Machine, title: string): Promise<Memory> {
  const kind = 'decision';
  return machine.call('remember', {
    draft: { kind, title, body: '', facts: [], concepts: [], files: [] },
    dir: machine.project,
  });
}
