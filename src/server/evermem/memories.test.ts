import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { WireEntry } from '../../exchange/sync/index.ts';
import type { Exchange, ReceivedMessage } from './exchanges.ts';
import { messageOf } from './message.ts';
import { entriesOf } from './memories.ts';

const AT = new Date('2026-03-01T10:00:00Z');
const HERE = { project: 'shop', member: 'ada', session: '' };

test('a decision is stored with its reason and the answer of the agent', async () => {
  const [entry, ...others] = await entriesOf(
    exchange(
      'We decided to keep carts in PostgreSQL because a lost cart costs us an order.',
      'Done: `src/cart/store.ts` writes them with an upsert, and the nightly job removes old ones.',
    ),
    HERE,
  );
  assert.deepEqual(others, []);
  assert.equal(entry?.kind, 'decision');
  assert.match(entry.title, /carts in PostgreSQL/);
  assert.equal(entry.reason, 'a lost cart costs us an order');
  assert.match(entry.body, /upsert/);
  assert.deepEqual(entry.provenance.messages, ['u_1', 'a_1']);
  assert.equal(v.safeParse(WireEntry, entry).success, true);
});

test('an explanation without a decision is stored as question and answer', async () => {
  const answer =
    'The cache is an LRU with 500 entries. Keys are hashed by path and time, so an edited file misses.';
  const [entry] = await entriesOf(exchange('Explain how the cache works', answer), HERE);
  assert.deepEqual(
    [entry?.kind, entry?.title, entry?.body],
    ['discovery', 'Explain how the cache works', answer],
  );
});

test('a greeting is not stored', async () => {
  assert.deepEqual(await entriesOf(exchange('hello', 'Hi! How can I help?'), HERE), []);
});

test('a problem that was answered is not an open issue', async () => {
  const asked = exchange(
    'fix the failing test in parser',
    'I fixed it: the parser dropped the last line without a newline at its end.',
  );
  const entries = await entriesOf(asked, HERE);
  assert.deepEqual(
    entries.map(({ kind, state }) => [kind, state]),
    [['discovery', 'current']],
  );
});

test('the same exchange gives the same ids, and other ids for another member', async () => {
  const asked = exchange(
    'Explain how the cache works',
    'It is an LRU with 500 entries, hashed by path and by time of change.',
  );
  const ids = async (member: string) => (await entriesOf(asked, { ...HERE, member })).map(({ id }) => id);
  assert.deepEqual(await ids('ada'), await ids('ada'));
  assert.notDeepEqual(await ids('ada'), await ids('grace'));
});

test('a secret is removed before a message is processed', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const asked = exchange(
    `We decided to use the token ${secret} for CI because it works.`,
    `I put ${secret} into the settings of the repository, as you said.`,
  );
  const entries = await entriesOf(asked, HERE);
  assert.ok(entries.length > 0);
  assert.ok(!JSON.stringify([asked, entries]).includes(secret));
});

test('the truncation mark of the client is not part of the text', async () => {
  const answer =
    'The cache is an LRU with 500 entries, hashed by path and by time of change, in one process.';
  const [entry] = await entriesOf(
    exchange('Explain how the cache works', `${answer}\n\n[... truncated, original: 9000 chars]`),
    HERE,
  );
  assert.equal(entry?.body, answer);
});

function exchange(prompt: string, answer: string): Exchange {
  return { asked: [said('user', 'u_1', prompt)], answered: [said('assistant', 'a_1', answer)] };
}

function said(role: string, id: string, content: string): ReceivedMessage {
  return { ...messageOf({ id, at: AT, role, sender: role, content }, AT), receivedAt: AT };
}
