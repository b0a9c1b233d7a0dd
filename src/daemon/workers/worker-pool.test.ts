import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { WorkerPool } from './worker-pool.ts';

/** Has done what is noted only when it is told to go on. */
const WORKER = `
const { parentPort } = require('node:worker_threads');
const writerStore = [];
parentPort.on('message', ({ call, method, args }) => {
  if (method === 'process') {
    parentPort.postMessage({ notice: 'begun', facts: { id: args.event.id } });
    if (args.event.id === 'endless') for (;;);
  }
  if (method === 'injected') return void writerStore.push(call);
  if (method === 'go on') for (const one of writerStore.splice(0)) parentPort.postMessage({ call: one, value: null });
  parentPort.postMessage({ call, value: null });
});
`;

test('who waits for all that was noted waits until it stands', async (t) => {
  const workers = open(t);
  await workers.noted();
  const order: string[] = [];
  workers.note('injected', {});
  const noted = workers.noted().then(() => order.push('noted'));
  await workers.write('other', {});
  order.push('other');
  await workers.write('go on', {});
  await noted;
  assert.deepEqual(order, ['other', 'noted']);
});

test('an event that never ends is given up, and another writer goes on', async (t) => {
  const workers = open(t);
  await workers.process({ id: 'short' }, false, 60_000);
  await assert.rejects(workers.process({ id: 'endless' }, false, 1), { code: 'event-hung' });
  assert.equal(await workers.replaceWriter(), true);
  await workers.process({ id: 'short' }, false, 60_000);
});

function open(t: TestContext): WorkerPool {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-staff-'));
  t.after(() => rmSync(home, { recursive: true }));
  const file = join(home, 'worker.cjs');
  writeFileSync(file, WORKER);
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const workers = new WorkerPool({ file, home, log: silent, onNotice: () => {} });
  t.after(() => workers.dismiss());
  return workers;
}
