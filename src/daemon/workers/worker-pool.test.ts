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

/** The reader finds an index of another version until the writer has answered `ready`. */
const REBUILDS = `
const { parentPort, workerData } = require('node:worker_threads');
const { existsSync, writeFileSync } = require('node:fs');
const built = workerData.home + '/built';
parentPort.on('message', ({ call, method }) => {
  if (method === 'ready') writeFileSync(built, '');
  if (workerData.role === 'reader' && !existsSync(built))
    return parentPort.postMessage({ call, error: { code: 'index-version', message: 'schema 13' } });
  parentPort.postMessage({ call, value: workerData.role });
});
`;

test('a reader that finds an index of another version waits for the rebuild and asks again', async (t) => {
  const workers = open(t, REBUILDS);
  assert.equal(await workers.read('search', {}), 'reader');
});

function open(t: TestContext, program = WORKER): WorkerPool {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-workers-'));
  t.after(() => rmSync(home, { recursive: true }));
  const file = join(home, 'worker.cjs');
  writeFileSync(file, program);
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const workers = new WorkerPool({ file, home, log: silent, onNotice: () => {} });
  t.after(() => workers.dismiss());
  return workers;
}
