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

test('a page that reconnects in time gets the missed events, in order and once', async () => {
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

test('a page that is cut off right after hello still gets the missed events', async () => {
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

test('a page that missed more than is stored gets only a reset', async () => {
  const feed = new Feed();
  const first = feed.open(undefined, always);
  assert.ok(first);
  const id = lastIdIn(await textOf(first, 1));
  for (let i = 0; i < 600; i++) feed.publish({ kind: 'settings', key: `k${i}` });
  const again = feed.open(id, always);
  assert.ok(again);
  assert.match(await textOf(again, 2), /event: reset/);
});

test('a page that does not read is disconnected, and the others continue', async () => {
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

test('the number of listeners is limited, and a place becomes free again', async () => {
  const feed = new Feed();
  const all = Array.from({ length: 64 }, () => feed.open(undefined, always));
  assert.ok(all.every((stream) => stream !== undefined));
  assert.equal(feed.open(undefined, always), undefined);
  await all[0]?.cancel();
  assert.ok(feed.open(undefined, always));
  feed.close();
  assert.equal(feed.listeners, 0);
});

test('a listener whose visit is over is disconnected', () => {
  const feed = new Feed();
  let allowed = true;
  feed.open(undefined, () => allowed);
  feed.open(undefined, always);
  allowed = false;
  feed.dismiss();
  assert.equal(feed.listeners, 1);
  feed.close();
});
