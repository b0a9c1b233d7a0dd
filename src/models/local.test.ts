import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import type { Embedder } from './embedder.ts';
import { localEmbedder, localSmallModel } from './local.ts';

let embedder: Embedder;
afterEach(() => embedder.close());

const OPTIONS = {
  home: '/nowhere',
  program: join('src', 'models', '_fake-program.mjs'),
  runtime: '/nowhere',
};
const open = (idleMs?: number): Embedder =>
  (embedder = localEmbedder({ ...OPTIONS, ...(idleMs === undefined ? {} : { idleMs }) }));
const embed = async (text: string, signal = AbortSignal.timeout(10_000)): Promise<Float32Array> => {
  const [vector] = await embedder.embed([text], signal);
  assert.ok(vector);
  return vector;
};
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('one process returns the vectors in the order of the texts', async () => {
  open();
  const [a, b] = await Promise.all([embedder.embed(['x', 'yy'], AbortSignal.timeout(10_000)), embed('zzz')]);
  assert.deepEqual([a[0]?.[0], a[1]?.[0], b[0]], [1, 2, 3]);
  assert.equal(a[0]?.[1], b[1]);
  assert.equal(embedder.name, 'local:small');
});

test('the process exits when idle and starts again with the next call', async () => {
  open(1);
  const pid = (await embed('one'))[1] ?? 0;
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
  assert.notEqual((await embed('two'))[1], pid);
});

test('a crash fails the pending calls and not the next one', async () => {
  open();
  const waiting = embed('hang');
  await assert.rejects(embed('die'), { code: 'embedder-died' });
  await assert.rejects(waiting, { code: 'embedder-died' });
  assert.equal((await embed('again'))[0], 5);
});

test('an error fails only its own call, and an aborted call is rejected', async () => {
  open();
  await assert.rejects(embed('fail'), { code: 'embedder-failed' });
  const stop = new AbortController();
  const waiting = embed('hang', stop.signal);
  stop.abort();
  await assert.rejects(waiting);
  assert.equal((await embed('on'))[0], 2);
});

test('the small model and its embedder share one process, which ends with the last of them', async () => {
  open();
  const small = localSmallModel(OPTIONS);
  const signal = AbortSignal.timeout(10_000);
  const pid = (await embed('one'))[1] ?? 0;
  assert.deepEqual(await small.read([{ a: 'ab', b: 'c' }], signal), [3]);
  const waiting = embed('hang');
  await Promise.all([assert.rejects(waiting, { code: 'embedder-died' }), embedder.close()]);
  assert.deepEqual(await small.read([{ a: '', b: 'd' }], signal), [1]);
  assert.ok(isAlive(pid));
  await small.close();
  assert.ok(!isAlive(pid));
});

test('warm starts the process before the first call', async () => {
  open();
  embedder.warm();
  embedder.warm();
  const pid = (await embed('one'))[1] ?? 0;
  assert.ok(isAlive(pid));
});

test('a process that cannot be started fails the question and not the preparation', async () => {
  embedder = localEmbedder({ ...OPTIONS, runtime: 'no\0path' }); // refused by spawn at once
  embedder.warm();
  await assert.rejects(embed('one'), { code: 'ERR_INVALID_ARG_VALUE' });
});

test('close ends the process', async () => {
  open();
  const pid = (await embed('one'))[1] ?? 0;
  await embedder.close();
  assert.ok(!isAlive(pid));
});
