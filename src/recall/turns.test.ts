import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  conversationIndex,
  NOW,
  PROJECT,
  REFUNDS,
  spokenTurn,
} from '../../test/support/past-conversations.ts';
import { MemoryIndex } from '../database/index.ts';
import { search } from './search.ts';
import { alsoSaid, searchTurns } from './turns.ts';

test('a turn without memories is found by its words', () => {
  const index = MemoryIndex.open(':memory:');
  const base = {
    session: 's',
    project: 'p',
    at: '2026-11-10T10:00:00.000Z',
    endedAt: '2026-11-10T10:01:00.000Z',
    hash: 'h',
    origin: 'person',
    outcome: 'answered',
    tools: 0,
  } as const;
  index.upsertTurns([
    { ...base, id: 't1', prompt: 'which port does the metrics endpoint use', answer: 'It listens on 9464.' },
    { ...base, id: 't2', prompt: 'rename the logo', answer: 'Done.' },
  ]);
  const found = searchTurns(index, 'metrics endpoint port', {
    now: new Date('2026-11-15T12:00:00Z'),
    project: 'p',
  });
  assert.deepEqual(
    found.map(({ turn }) => turn.id),
    ['t1'],
  );
  assert.ok((found[0]?.score ?? 0) > 0.9);
  index.close();
});

test('turns beside memories that were found are listed too, and a kind filter finds no turns', () => {
  const index = MemoryIndex.open(':memory:');
  const fields = {
    session: 's',
    project: 'p',
    endedAt: '2026-11-10T10:01:00.000Z',
    hash: 'h',
    origin: 'person',
    outcome: 'answered',
    tools: 0,
    answer: '',
    prompt: 'the metrics endpoint listens on port 9464',
  } as const;
  index.upsertTurns([
    { ...fields, id: 't1', at: '2026-11-10T10:00:00.000Z' },
    { ...fields, id: 't2', at: '2026-03-10T10:00:00.000Z' },
    { ...fields, id: 't3', at: '2026-11-11T10:00:00.000Z', project: 'other' },
  ]);
  const provenance = { agent: 'claude-code', session: 's', turn: 't1', messages: [], by: 'local' };
  const memory = {
    id: '1ja0p3h7k2m9qx',
    kind: 'decision',
    title: 'Metrics endpoint listens on port 9464',
    body: '',
    facts: [],
    concepts: [],
    files: [],
    project: 'p',
    at: '2026-11-10T10:00:00.000Z',
    state: 'current',
    provenance,
  } as const;
  index.upsertMemories([{ memory }]);
  const options = { now: new Date('2026-11-15T12:00:00Z'), project: 'p' };
  const said = (text: string): readonly string[] =>
    alsoSaid(index, text, search(index, text, options).hits, options).map(({ turn }) => turn.id);
  assert.deepEqual(said('metrics endpoint port'), ['t1', 't2']);
  assert.deepEqual(said('kind:bugfix metrics endpoint port'), []);
  assert.deepEqual(said('project:other metrics endpoint port'), ['t3']);
  assert.deepEqual(said('since:2026-11-01 metrics endpoint port'), ['t1']);
  index.close();
});

test('a turn beside others that match ranks above one that matches alone', () => {
  const asked = 'refund for the harbour';
  const alone = spokenTurn('alone', 0, '2026-08-01T09:00:00.000Z', 'refund of a voucher', 'Paid back.');
  const index = conversationIndex(alone);
  const found = searchTurns(index, asked, { now: NOW, project: PROJECT, limit: 10 });
  const places = found.map(({ turn }) => turn.id);
  // Shares one word with the question, as the other does.
  assert.ok(places.indexOf(`${REFUNDS}#1`) < places.indexOf(alone.id), places.join());
  index.close();
});

test('of two sessions that answer the same question the later one is listed first', () => {
  const later = 'later';
  const asked = 'Which harbour fee does a refund include?';
  const index = conversationIndex(
    spokenTurn('earlier', 0, '2026-10-29T09:00:00.000Z', asked, 'The refund includes the whole harbour fee.'),
    spokenTurn(later, 0, '2026-10-30T09:00:00.000Z', asked, 'The refund includes half of it.'),
  );
  const [first] = searchTurns(index, asked, { now: NOW, project: PROJECT });
  assert.equal(first?.turn.session, later);
  index.close();
});

test('the end of the session that clearly leads is listed among the first', () => {
  const at = '2026-10-30T09:00:00.000Z';
  const asked = 'Prepaid winch coupons: the tachograph invoice is doubled after the lighthouse surcharge.';
  const end = spokenTurn('long', 4, at, 'So count the surcharge once.', 'Settled.');
  const index = conversationIndex(
    spokenTurn('long', 0, at, 'Are prepaid winch coupons doubled?', 'On the tachograph invoice, yes.'),
    spokenTurn('long', 1, at, 'The tachograph invoice too?', 'By the lighthouse surcharge.'),
    spokenTurn('long', 2, at, 'Prepaid coupons only?', 'The winch coupons are doubled.'),
    spokenTurn('long', 3, at, 'By the lighthouse surcharge?', 'On every tachograph invoice.'),
    end,
  );
  const places = searchTurns(index, asked, { now: NOW, project: PROJECT }).map(({ turn }) => turn.id);
  assert.equal(places[1], end.id, places.join());
  index.close();
});
