import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { InjectionNote } from '../../capture/index.ts';
import { type SpooledEvent, TidemarkError } from '../../core/index.ts';
import type { KeepScore } from '../../models/index.ts';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

/** Answers `injected` calls only after a `embed.counts` call. */
const WORKER = `
const { parentPort } = require('node:worker_threads');
const waiting = [];
parentPort.on('message', ({ call, name, args }) => {
  if (name === 'process') {
    parentPort.postMessage({ notice: 'begun', facts: { id: args.event.id } });
    if (args.event.id === 'endless') for (;;);
    if (args.event.id.startsWith('/')) require('node:fs').readFileSync(args.event.id);
  }
  if (name === 'injected') return void waiting.push(call);
  if (name === 'embed.counts') for (const one of waiting.splice(0)) parentPort.postMessage({ call: one, value: null });
  parentPort.postMessage({ call, value: null });
});
`;

const INJECTED: InjectionNote = {
  output: '',
  where: 'prompt',
  project: 'p',
  memories: [],
  considered: 0,
  captured: true,
  session: 's',
  event: 'e',
  at: '2026-11-15T10:00:00.000Z',
};

test('settled waits for every change that no one waits for', async (t) => {
  const workers = open(t);
  await workers.settled();
  const order: string[] = [];
  workers.writeLater('injected', INJECTED);
  const settled = workers.settled().then(() => order.push('settled'));
  await workers.write('ready', {});
  order.push('ready');
  await workers.write('embed.counts', {});
  await settled;
  assert.deepEqual(order, ['ready', 'settled']);
});

test('an event that hangs is given up, and another writer continues', async (t) => {
  const workers = open(t);
  await workers.process(event('short'), false, 60_000);
  await assert.rejects(workers.process(event('endless'), false, 1), { code: 'event-hung' });
  assert.equal(await workers.replaceWriter(), true);
  await workers.process(event('short'), false, 60_000);
});

test(
  'closing does not wait for a thread that waits for the system',
  { skip: process.platform === 'win32' },
  async (t) => {
    const workers = open(t);
    const fifo = join(mkdtempSync(join(tmpdir(), 'fifo-')), 'fifo');
    t.after(() => rmSync(dirname(fifo), { recursive: true }));
    execFileSync('mkfifo', [fifo]);
    await assert.rejects(workers.process(event(fifo), false, 1), { code: 'event-hung' });
    assert.equal(await workers.close(10), false, 'the daemon ends itself by a signal');
    // The thread ends once something is written.
    writeFileSync(fifo, '');
  },
);

test('a call whose arguments cannot be cloned fails at once and leaves nothing behind', async (t) => {
  const workers = open(t);
  const args = { limit: () => {} } as unknown as { readonly limit: number };
  const limit = { timeoutMs: 1 };
  await assert.rejects(workers.write('embed.wanted', args, limit), { name: 'DataCloneError' });
  await workers.replaceWriter();
  await workers.write('ready', {});
});

/** The reader finds an index of another version until the writer has answered `ready`. */
const REBUILDS = `
const { parentPort, workerData } = require('node:worker_threads');
const { existsSync, writeFileSync } = require('node:fs');
const built = workerData.home + '/built';
parentPort.on('message', ({ call, name }) => {
  if (name === 'ready') writeFileSync(built, '');
  if (workerData.role === 'reader' && !existsSync(built))
    return parentPort.postMessage({ call, error: { code: 'index-version', message: 'schema 13' } });
  parentPort.postMessage({ call, value: workerData.role });
});
`;

test('a reader that finds an index of another version waits for the rebuild and asks again', async (t) => {
  const workers = open(t, REBUILDS);
  assert.equal(await workers.read('read.stats', {}), 'reader');
});

/** Counts the threads of each role; `rest` is refused while the file `busy` exists. */
const RESTS = `
const { parentPort, workerData } = require('node:worker_threads');
const { appendFileSync, existsSync } = require('node:fs');
appendFileSync(workerData.home + '/started', workerData.role + '\\n');
parentPort.on('message', ({ call, name }) =>
  parentPort.postMessage({ call, value: name === 'rest' ? !existsSync(workerData.home + '/busy') : null }));
`;

test('rest ends the writer, which the next change starts again, and leaves a new reader that is ready', async (t) => {
  const home = homeOf(t);
  const workers = open(t, RESTS, home);
  await workers.write('ready', {});
  await workers.read('read.stats', {});
  assert.equal(await workers.rest(), true);
  assert.equal(await workers.rest(), true, 'a reader that was not asked since is not replaced');
  assert.deepEqual(started(home), ['reader', 'reader', 'writer']);
  await Promise.all([workers.write('ready', {}), workers.read('read.stats', {})]);
  assert.deepEqual(started(home), ['reader', 'reader', 'writer', 'writer']);
});

test('rest leaves a writer that is at work, and a reader that is ready', async (t) => {
  const home = homeOf(t);
  const workers = open(t, RESTS, home);
  await workers.write('ready', {});
  await workers.read('read.stats', {});
  writeFileSync(join(home, 'busy'), '');
  assert.equal(await workers.rest(), false);
  await workers.write('ready', {});
  assert.deepEqual(started(home), ['reader', 'reader', 'writer']);
});

test('rest does not end threads that have not answered yet', async (t) => {
  const workers = open(t);
  workers.writeLater('injected', INJECTED);
  assert.equal(await workers.rest(), false);
  await workers.write('embed.counts', {});
  await workers.settled();
});

test('a change that arrives while the threads end is made by the next writer', async (t) => {
  const workers = open(t, RESTS);
  await workers.write('ready', {});
  const resting = workers.rest();
  await workers.write('ready', {});
  assert.equal(await resting, true);
});

/** Asks the main thread for two sentences on `ready`, and for an endless one on `embed.counts`; `rest` stops that one. */
const ASKS = `
const { parentPort } = require('node:worker_threads');
const asked = new Map();
let next = 1;
const ask = (of, inputs) => {
  asked.set(next, of);
  parentPort.postMessage({ call: next++, name: 'small.keep', args: { inputs } });
};
parentPort.on('message', ({ call, name, value, error }) => {
  if (name === 'ready') return ask(call, [{ about: 'one', sentences: [] }]);
  if (name === 'embed.counts') return ask(call, [{ about: 'endless', sentences: [] }]);
  if (name === 'rest') parentPort.postMessage({ cancel: next - 1 });
  if (name === 'close') process.exit(3);
  if (name) return parentPort.postMessage({ call, value: true });
  parentPort.postMessage({ call: asked.get(call), value: error ? error.code : value });
});
`;

test('a thread calls the main thread, gets its answer, and can stop the call', async (t) => {
  const workers = open(t, ASKS);
  assert.deepEqual(await workers.write('ready', {}), [[{ keep: 1, kinds: {} }]]);
  const endless = workers.write('embed.counts', {});
  await begun.promise;
  await workers.write('injected', INJECTED);
  const stopped = workers.write('rest', {});
  assert.equal(await endless, 'stopped');
  await stopped;
});

test('the main thread stops the call of a thread that died, and the next thread gets no late answer', async (t) => {
  const workers = open(t, ASKS);
  begun = Promise.withResolvers();
  const endless = workers.write('embed.counts', {});
  const { signal } = await begun.promise;
  await assert.rejects(Promise.all([endless, workers.write('close', {})]), { code: 'worker-died' });
  assert.ok(signal.aborted);
  assert.deepEqual(await workers.write('ready', {}), [[{ keep: 1, kinds: {} }]]);
});

let begun = Promise.withResolvers<{ readonly signal: AbortSignal }>();
const answers: WorkerPoolOptions['answers'] = {
  'small.model': () => ({ kind: 'model', version: 'small-0' }),
  'small.relate': () => [],
  'small.keep': async ({ inputs }, { signal }) => {
    if (inputs[0]?.about !== 'endless') return [[{ keep: 1, kinds: {} as KeepScore['kinds'] }]];
    begun.resolve({ signal });
    await once(signal, 'abort');
    throw new TidemarkError('stopped', 'stopped');
  },
};

/** Begins to read a turn on `ready`, and never ends. */
const STUCK = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ call }) => {
  parentPort.postMessage({ notice: 'reading', facts: { path: 'turn 1' } });
  parentPort.postMessage({ call, value: null });
  for (;;);
});
`;

test('a writer that hangs while it reads a turn is reported', async (t) => {
  const stuck = Promise.withResolvers<void>();
  const workers = open(t, STUCK, homeOf(t), { readLimitMs: 1, onStuck: stuck.resolve });
  await workers.write('ready', {});
  await stuck.promise;
  assert.equal(await workers.replaceWriter(), true);
});

function started(home: string): readonly string[] {
  return readFileSync(join(home, 'started'), 'utf8').trim().split('\n').toSorted();
}

function event(id: string): SpooledEvent {
  const input = { session_id: 's', hook_event_name: 'Stop' } as const;
  return { id, at: '2026-11-15T10:00:00.000Z', agent: 'claude-code', input };
}

function homeOf(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-pool-'));
  t.after(() => rmSync(home, { recursive: true }));
  return home;
}

function open(
  t: TestContext,
  program = WORKER,
  home = homeOf(t),
  limits: Pick<WorkerPoolOptions, 'readLimitMs' | 'onStuck'> = {},
): WorkerPool {
  const file = join(home, 'worker.cjs');
  writeFileSync(file, program);
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const options = { file: () => file, home, log: silent, answers, onNotice: () => {} };
  const workers = new WorkerPool({ ...options, ...limits });
  t.after(() => workers.close());
  return workers;
}
