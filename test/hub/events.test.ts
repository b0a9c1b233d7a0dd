/** Live events: they reach open pages, survive a lost connection, and many listeners do no harm. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import { waitFor } from '../support/wait-for.ts';
import { Listening } from './_listening.ts';
import { RealHub } from './_real-hub.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample');
const MOST_LISTENERS = 64;
const CROWD = 1000;

let hub: RealHub;

before(async () => {
  hub = await RealHub.start();
});
after(() => hub.close());

async function listening(t: TestContext, more: Readonly<Record<string, string>> = {}): Promise<Listening> {
  const listener = await Listening.open(hub.port, { ...hub.visitor.headers, ...more });
  t.after(() => listener.close());
  return listener;
}

const remember = (title: string): Promise<Memory> =>
  hub.machine.call('remember', {
    dir: hub.machine.project,
    draft: { kind: 'decision', title, body: '', facts: [], concepts: [], files: [] },
  });

describe('a page that listens', () => {
  test('gets hello, then new memories, changes, forgetting and settings', async (t) => {
    const page = await listening(t);
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/event-stream/);
    await page.until('the greeting', ({ kind }) => kind === 'hello');
    const { id } = await remember('The tide gauge drifts by two centimetres a year');
    const about =
      (what: string) =>
      (event: { kind: string; what?: string; ids?: readonly string[] }): boolean =>
        event.kind === 'memories' && event.what === what && (event.ids ?? []).includes(id);
    await page.until('the memory', about('remembered'));
    await hub.send(`/memories/${id}/edit`, { patch: { title: 'The tide gauge drifts' } });
    await page.until('the edit', about('changed'));
    await hub.send(`/memories/${id}/forget`);
    await page.until('forgetting', about('forgotten'));
    await hub.send(`/memories/${id}/undo-forget`);
    await page.until('its return', about('restored'));
    await hub.tell('/settings/recall.promptLimit', { value: 2 }, 'PUT');
    await page.until(
      'the setting',
      (event) => event.kind === 'settings' && event.key === 'recall.promptLimit',
    );
  });

  test('gets injected memories', async (t) => {
    const page = await listening(t);
    await remember('Containers are weighed twice');
    const { status } = await hub.machine.deliver('SessionStart', { session_id: 'told', source: 'startup' });
    assert.equal(status, 200);
    const { event } = await page.until('the recall', ({ kind }) => kind === 'recall');
    assert.ok(event.kind === 'recall' && event.session === 'told' && event.memories.length > 0);
  });

  test('gets the progress of an import', async (t) => {
    const page = await listening(t);
    cpSync(join(SAMPLE, 'projects'), join(hub.machine.config, 'projects'), { recursive: true });
    await hub.send('/import/history');
    await page.until('the end', (event) => event.kind === 'import' && event.state.state === 'done');
    const states = page.heard.flatMap(({ event }) => (event.kind === 'import' ? [event.state.state] : []));
    assert.equal(states[0], 'running');
  });

  test('gets exactly the missed events after reconnecting', async (t) => {
    const before = await listening(t);
    const { id } = await remember('First of three');
    // Events of the previous import may still arrive.
    await before.until('the first', (event) => event.kind === 'memories' && event.ids.includes(id));
    before.close();
    const missed = [await remember('Second of three'), await remember('Third of three')];
    const again = await listening(t, { 'last-event-id': before.lastId });
    await again.until(
      'the last',
      (event) => event.kind === 'memories' && event.ids.includes(missed[1]?.id ?? ''),
    );
    const ids = again.heard.flatMap(({ event }) => (event.kind === 'memories' ? event.ids : []));
    assert.deepEqual(
      ids,
      missed.map(({ id }) => id),
    );
    assert.deepEqual([...new Set(again.kinds())], ['hello', 'memories']);
  });

  test('gets a reset where the missed events are not known', async (t) => {
    for (const id of ['another-life-1', '0', '-', `${(await listening(t)).lastId}9999`]) {
      const page = await listening(t, { 'last-event-id': id });
      await page.until('the reset', ({ kind }) => kind === 'reset');
    }
  });
});

describe('many listeners', () => {
  test(`${CROWD} do no harm: some listen, the others get Retry-After, hooks are answered`, async (t) => {
    const crowd = await Promise.all(
      Array.from({ length: CROWD }, () =>
        Listening.open(hub.port, hub.visitor.headers).catch(() => undefined),
      ),
    );
    t.after(() => crowd.forEach((one) => one?.close()));
    const statuses = crowd.map((one) => one?.status ?? 0);
    const inside = statuses.filter((status) => status === 200).length;
    assert.ok(inside > 0 && inside <= MOST_LISTENERS, `${inside} listen`);
    assert.equal(statuses.filter((status) => status === 503).length, CROWD - inside);
    const refused = crowd.find((one) => one?.status === 503);
    assert.match(String(refused?.headers['retry-after']), /^\d+$/);

    const { status } = await hub.machine.deliver('UserPromptSubmit', {
      session_id: 'crowd',
      prompt: 'hello',
    });
    assert.equal(status, 200);
    assert.equal((await hub.get<'GET /overview'>('/overview')).health?.state, 'capturing');
    await remember('Seen by the whole crowd');
    for (const one of crowd.filter((other) => other?.status === 200))
      await one?.until('the memory', ({ kind }) => kind === 'memories');
  });

  test('leave nothing behind when they disconnect', async (t) => {
    const full = await waitFor('room for all again', async () => {
      const all = await Promise.all(
        Array.from({ length: MOST_LISTENERS }, () => Listening.open(hub.port, hub.visitor.headers)),
      );
      if (all.every(({ status }) => status === 200)) return all;
      for (const one of all) one.close();
      return undefined;
    });
    t.after(() => full.forEach((one) => one.close()));
    assert.equal((await listening(t)).status, 503);
  });
});

describe('leaving', () => {
  test('ends the streams of that visit at once, and no others', async (t) => {
    await waitFor('room', async () => {
      const probe = await listening(t);
      probe.close();
      return probe.status === 200;
    });
    const guest = await hub.enter();
    const [theirs, ours] = [await Listening.open(hub.port, guest.headers), await listening(t)];
    assert.deepEqual([theirs.status, ours.status], [200, 200]);
    const headers = { ...guest.headers, 'content-type': 'application/json' };
    assert.equal((await hub.ask('/api/logout', { method: 'POST', headers, body: '{}' })).status, 200);
    await waitFor('the stream to end', () => theirs.isOver);
    assert.equal(ours.isOver, false);
    const stolen = await hub.ask('/api/overview', { headers: guest.headers });
    assert.equal(stolen.status, 401);
    assert.equal((await Listening.open(hub.port, guest.headers)).status, 401);
  });

  test('the daemon does not exit for idleness while pages are open, and exits after them', async (t) => {
    // Longer than a busy machine takes between two calls: the daemon must not exit before the page is open.
    const idleMs = 2500;
    const own = await RealHub.open(t, { TIDEMARK_IDLE_MS: String(idleMs) });
    const page = await Listening.open(own.port, own.visitor.headers);
    assert.equal(page.status, 200);
    const listensSince = Date.now();
    await waitFor('several idle spans to pass', () => Date.now() - listensSince > 2 * idleMs);
    assert.equal(page.isOver, false);
    page.close();
    await waitFor('the daemon to leave', async () => own.machine.daemons().length === 0);
  });
});
