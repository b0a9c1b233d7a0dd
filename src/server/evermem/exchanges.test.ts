import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchangesOf, LONE_MS, PAIRED_MS, type ReceivedMessage } from './exchanges.ts';
import { messageOf } from './message.ts';

const START = Date.parse('2026-03-01T10:00:00Z');

test('the halves of an exchange are paired in any order of arrival', () => {
  const [asked, answered] = [said('user', 'u_1', 0, 40), said('assistant', 'a_1', 0, 0)];
  const { ready } = exchangesOf([answered, asked], later(PAIRED_MS + 40));
  assert.deepEqual(ready, [{ asked: [asked], answered: [answered] }]);
});

test('several exchanges are separated by their times', () => {
  const messages = [
    said('assistant', 'a_2', 11),
    said('user', 'u_1', 0),
    said('assistant', 'a_1', 1),
    said('user', 'u_2', 10),
  ];
  const { ready } = exchangesOf(messages, later(PAIRED_MS));
  assert.deepEqual(
    ready.map(({ asked, answered }) => [...asked, ...answered].map(({ id }) => id)),
    [
      ['u_1', 'a_1'],
      ['u_2', 'a_2'],
    ],
  );
});

test('a question waits for its answer, and is ready without one after a time', () => {
  const lone = said('user', 'u_1', 0);
  const { ready, nextAt } = exchangesOf([lone], later(PAIRED_MS + 1));
  assert.deepEqual(ready, []);
  assert.equal(nextAt?.getTime(), START + LONE_MS);
  assert.deepEqual(exchangesOf([lone], later(LONE_MS)).ready, [{ asked: [lone], answered: [] }]);
});

test('parts of one answer stay together', () => {
  const messages = [said('user', 'u_1', 0), said('assistant', 'a_1', 1), said('assistant', 'a_2', 2)];
  const { ready } = exchangesOf(messages, later(PAIRED_MS));
  assert.equal(ready.length, 1);
  assert.equal(ready[0]?.answered.length, 2);
});

function said(role: string, id: string, atMs: number, receivedMs = 0): ReceivedMessage {
  const at = new Date(START + atMs);
  return {
    ...messageOf({ id, at, role, sender: role, content: 'something' }, later(LONE_MS)),
    receivedAt: later(receivedMs),
  };
}

function later(ms: number): Date {
  return new Date(START + ms);
}
