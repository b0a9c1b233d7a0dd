import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Staff } from './worker-pool.ts';

/** Has done what is noted only when it is told to go on. */
const WORKER = `
const { parentPort } = require('node:worker_threads');
const held = [];
parentPort.on('message', ({ call, method }) => {
  if (method === 'injected') return void held.push(call);
  if (method === 'go on') for (const one of held.splice(0)) parentPort.postMessage({ call: one, value: null });
  parentPort.postMessage({ call, value: null });
});
`;

test('who waits for all that was noted waits until it stands', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-staff-'));
  t.after(() => rmSync(home, { recursive: true }));
  const file = join(home, 'worker.cjs');
  writeFileSync(file, WORKER);
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const staff = new Staff({ file, home, log: silent, onNotice: () => {} });
  t.after(() => staff.dismiss());
  await staff.noted();
  const order: string[] = [];
  staff.note('injected', {});
  const noted = staff.noted().then(() => order.push('noted'));
  await staff.write('other', {});
  order.push('other');
  await staff.write('go on', {});
  await noted;
  assert.deepEqual(order, ['other', 'noted']);
});
