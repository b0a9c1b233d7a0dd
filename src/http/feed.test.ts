import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Feed } from './feed.ts';

const always = (): boolean => true;

async function textOf(stream: ReadableStream<Uint8Array>, events: number): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let i = 0; i < events; i++) text += decoder.decode((await reader.read()).value, { stream: true });
  await reader.cancel();
  return text;
}

const lastIdIn = (text: string): string => /id: (\S+)(?!.*id: )/s.exec(text)?.[1] ?? '';

test('who comes back in time hears what was missed, in order and once', async () => {
  const feed = new Feed();
  const first = feed.open(undefined, always);
  assert.ok(first);
  const id = lastIdIn(await textOf(first, 1));
  for (const key of ['a', 'b', 'c']) feed.publish({ kind: 'settings', key });
  const again = feed.open(id, always);
  assert.ok(again);
  const text = await textOf(again, 4);
  assert.deepEqual(
    [...text.matchAll(/"key":"(\w)"/g)].map(([, key]) => key),
    ['a', 'b', 'c'],
  );
});

test('who is cut off right after the greeting has not yet heard what was missed', async () => {
  const feed = new Feed();
  const first = feed.open(undefined, always);
  assert.ok(first);
  const id = lastIdIn(await textOf(first, 1));
  feed.publish({ kind: 'settings', key: 'a' });
  for (const told of [id, 'another-life-1']) {
    const again = feed.open(told, always);
    assert.ok(again);
    assert.doesNotMatch(await textOf(again, 1), /^id: /m);
  }
  const upToDate = feed.open(id.replace(/\d+$/, '1'), always);
  assert.ok(upToDate);
  assert.match(await textOf(upToDate, 1), /^id: \w+-1$/m);
});

test('after more than is kept there is only a reset', async () => {
  const feed = new Feed();
  const first = feed.open(undefined, always);
  assert.ok(first);
  const id = lastIdIn(await textOf(first, 1));
  for (let i = 0; i < 600; i++) feed.publish({ kind: 'settings', key: `k${i}` });
  const again = feed.open(id, always);
  assert.ok(again);
  assert.match(await textOf(again, 2), /event: reset/);
});

test('who does not read is let go, and the others hear on', async () => {
  const feed = new Feed();
  const stuck = feed.open(undefined, always);
  const reading = feed.open(undefined, always);
  assert.ok(stuck && reading);
  const reader = reading.getReader();
  await reader.read();
  const key = 'x'.repeat(16 * 1024);
  for (let i = 0; i < 40; i++) {
    feed.publish({ kind: 'settings', key });
    await reader.read();
  }
  assert.equal(feed.listeners, 1);
  await assert.rejects(stuck.getReader().closed);
  await reader.cancel();
  assert.equal(feed.listeners, 0);
});

test('there is room for so many and no more, and a place left is free again', async () => {
  const feed = new Feed();
  const all = Array.from({ length: 64 }, () => feed.open(undefined, always));
  assert.ok(all.every((stream) => stream !== undefined));
  assert.equal(feed.open(undefined, always), undefined);
  await all[0]?.cancel();
  assert.ok(feed.open(undefined, always));
  feed.close();
  assert.equal(feed.listeners, 0);
});

test('who may no longer listen is dismissed', () => {
  const feed = new Feed();
  let allowed = true;
  feed.open(undefined, () => allowed);
  feed.open(undefined, always);
  allowed = false;
  feed.dismiss();
  assert.equal(feed.listeners, 1);
  feed.close();
});
