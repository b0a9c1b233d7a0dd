import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fixtureIndex, NOW } from '../../test/support/recall-fixture.ts';
import { correctionNote, spelled } from './spelling.ts';

const index = fixtureIndex();
after(() => index.close());

const spell = (text: string) => spelled(index, text, NOW, () => 0);

test('words that no entry contains are replaced by the nearest word of the index', () => {
  for (const [typed, used] of [
    ['refesh tokne', 'refresh token'],
    ['Refersh tokens', 'refresh tokens'],
    ['webhok signture', 'webhook signature'],
    ['erfresh', 'refresh'],
    ['kind:decision postgrsql since:2026-11-01', 'kind:decision postgresql since:2026-11-01'],
  ] as const)
    assert.equal(spell(typed).text, used);
  assert.deepEqual(spell('refesh rate').corrections, [{ typed: 'refesh', used: 'refresh' }]);
});

test('the written form of a word is used, not its stem', () => {
  assert.deepEqual(spell('stagng').corrections, [{ typed: 'stagng', used: 'staging' }]);
});

test('known words, short words, names and filters stay', () => {
  for (const text of [
    'refresh token',
    'tkn',
    'refeshToken',
    'src/refesh.ts',
    'file:refesh.ts',
    'zzzzzzzz',
    '',
    '- ***',
  ])
    assert.deepEqual(spell(text), { text, corrections: [] }, text);
});

test('correcting stops when its time is over', () => {
  let time = 0;
  const found = spelled(index, 'refesh tokne', NOW, () => (time += 300));
  assert.deepEqual(found, { text: 'refesh tokne', corrections: [] });
});

test('a note says what was searched instead', () => {
  assert.equal(
    correctionNote({ typed: 'refesh', used: 'refresh' }),
    'No entry contains refesh; searched for refresh.',
  );
});
