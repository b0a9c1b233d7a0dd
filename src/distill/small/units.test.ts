import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleTurn } from '../../../test/support/sample-turn.ts';
import { passagesOf, asRead, unitsOf } from './units.ts';

const SENTENCES = Array.from(
  { length: 40 },
  (_, i) => `The service number ${i} now retries its requests three times before it gives up.`,
);

describe('the passages of a turn', () => {
  it('are one if it is short, with the work and the answer before it', () => {
    const turn = sampleTurn({
      prompt: 'Yes, use pg-boss.',
      answer: 'The queue runs on pg-boss now.',
      tools: [],
    });
    const units = unitsOf(turn);
    const [passage, ...others] = passagesOf(units, turn, { answer: 'Redis or pg-boss for the queue?' });
    assert.equal(others.length, 0);
    assert.deepEqual(passage?.sentences, [
      'user: Yes, use pg-boss.',
      'assistant: The queue runs on pg-boss now.',
    ]);
    assert.deepEqual(passage.units, units);
    assert.equal(passage.about, 'no tools | answered: Redis or pg-boss for the queue?');
  });

  it('contain each sentence of a long turn once, and their neighbours for context', () => {
    const turn = sampleTurn({ prompt: 'Make them robust.', answer: SENTENCES.join('\n\n'), tools: [] });
    const units = unitsOf(turn);
    const passages = passagesOf(units, turn);
    assert.ok(passages.length > 1);
    assert.deepEqual(
      passages.flatMap((one) => one.units.filter((unit) => unit !== undefined)),
      units,
    );
    const lengths = passages.map(({ sentences }) => sentences.join('').length);
    assert.ok(Math.max(...lengths) < 2 * Math.min(...lengths), `${lengths}`);
    const [first, second] = passages;
    assert.equal(first?.units.at(-1), undefined, 'the sentence after it is context');
    assert.equal(second?.units[0], undefined, 'and so is the one before it');
    assert.match(second?.about ?? '', /asked: Make them robust/);
  });

  it('keep the beginning and the end of a long sentence', () => {
    const text = `Never deploy ${'the search and '.repeat(32)}the mail on Fridays`;
    const turn = sampleTurn({ prompt: text, answer: '', tools: [] });
    const [passage] = passagesOf(unitsOf(turn), turn);
    assert.ok((passage?.sentences[0]?.length ?? 0) < 420);
    assert.match(passage?.sentences[0] ?? '', /^user: Never deploy the search .* … .* the mail on Fridays$/);
  });

  it('have few enough sentences for the model, however short they are', () => {
    const prompt = Array.from({ length: 200 }, (_, i) => `- ${String.fromCharCode(97 + (i % 26))}${i}`).join(
      '\n',
    );
    const turn = sampleTurn({ prompt, answer: '', tools: [] });
    const counts = passagesOf(unitsOf(turn), turn).map(({ sentences }) => sentences.length);
    assert.ok(Math.max(...counts) <= 62, `${counts}`);
    assert.ok(counts.length >= 4, `${counts}`);
  });

  it('are none for a turn without sentences', () => {
    const turn = sampleTurn({ prompt: '', answer: '', tools: [] });
    assert.deepEqual(passagesOf(unitsOf(turn), turn), []);
  });
});

it('a sentence is read with the heading above it', () => {
  const answer = '## Open points\n\n- The backfill of the old orders has not run.';
  const [unit] = unitsOf(sampleTurn({ prompt: '', answer, tools: [] }));
  assert.ok(unit);
  assert.equal(asRead(unit), 'assistant: open points: The backfill of the old orders has not run.');
});
