import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { WorkerPool } from './worker-pool.ts';

/** Has done what is noted only when it is told to go on. */
const WORKER = `
const { parentPort } = require('node:worker_threads');
const writerStore = [];
parentPort.on('message', ({ call, method }) => {
  if (method === 'injected') return void writerStore.push(call);
  if (method === 'go on') for (const one of writerStore.splice(0)) parentPort.postMessage({ call: one, value: null });
  parentPort.postMessage({ call, value: null });
});
`;

test('who waits for all that was noted waits until it stands', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-staff-'));
  t.after(() => rmSync(home, { recursive: true }));
  const file = join(home, 'worker.cjs');
  writeFileSync(file, WORKER);
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const workers = new WorkerPool({ file, home, log: silent, onNotice: () => {} });
  t.after(() => workers.dismiss());
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
