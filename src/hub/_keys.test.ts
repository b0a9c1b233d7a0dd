import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keys } from './_keys.ts';

const MINUTE = 60_000;

function keysAt(start = 0): { keys: Keys; clock: { now: number } } {
  const clock = { now: start };
  return { keys: new Keys(() => clock.now), clock };
}

test('a link becomes one cookie, and both are 256 bits that never repeat', () => {
  const { keys } = keysAt();
  const link = keys.newLink();
  const cookie = keys.enter(link);
  assert.match(link, /^[\w-]{43}$/);
  assert.match(cookie ?? '', /^[\w-]{43}$/);
  assert.notEqual(cookie, link);
  assert.equal(keys.enter(link), undefined);
  assert.notEqual(keys.newLink(), link);
});

test('a link lasts just under five minutes', () => {
  const { keys, clock } = keysAt();
  const [early, late] = [keys.newLink(), keys.newLink()];
  clock.now = 5 * MINUTE - 1;
  assert.ok(keys.enter(early));
  clock.now = 5 * MINUTE;
  assert.equal(keys.enter(late), undefined);
});

test('a cookie lasts a day after its last use', () => {
  const { keys, clock } = keysAt();
  const cookie = keys.enter(keys.newLink()) ?? '';
  clock.now += 23 * 60 * MINUTE;
  assert.ok(keys.isVisitor(cookie));
  clock.now += 23 * 60 * MINUTE;
  assert.ok(keys.isVisitor(cookie));
  clock.now += 24 * 60 * MINUTE;
  assert.ok(!keys.isVisitor(cookie));
});

test('the key of a page is not valid with another cookie', () => {
  const { keys } = keysAt();
  const [mine, other] = [keys.enter(keys.newLink()) ?? '', keys.enter(keys.newLink()) ?? ''];
  const key = keys.claimPage(mine) ?? '';
  assert.ok(keys.isPage(mine, key));
  assert.ok(!keys.isPage(other, key));
  assert.ok(!keys.isPage('', key));
});

test('unused links do not pile up', () => {
  const { keys } = keysAt();
  const first = keys.newLink();
  for (let i = 0; i < 20; i++) keys.newLink();
  assert.equal(keys.enter(first), undefined);
});

test('leaving ends only that visit', () => {
  const { keys } = keysAt();
  const [mine, other] = [keys.enter(keys.newLink()) ?? '', keys.enter(keys.newLink()) ?? ''];
  keys.leave(mine);
  keys.leave('unknown');
  assert.ok(!keys.isVisitor(mine));
  assert.ok(keys.isVisitor(other));
});
