import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEEP_KINDS, type KeepScore, type Passage, type SmallModel } from '../../models/index.ts';
import { keepScores } from './keep-scores.ts';
import { unitsOf } from './units.ts';

/** Answers with what `keep` returns for the number of sentences in a passage and the sentence itself. */
function modelWith(keep: (together: number, sentence: string) => number): {
  readonly model: SmallModel;
  readonly asked: Passage[];
} {
  const asked: Passage[] = [];
  const kinds = Object.fromEntries(KEEP_KINDS.map((kind) => [kind, 0])) as KeepScore['kinds'];
  const none = (): never => assert.fail('not asked here');
  const model: SmallModel = {
    version: 'test',
    keep: (passages) => {
      asked.push(...passages);
      return Promise.resolve(
        passages.map(({ sentences }) =>
          sentences.map((sentence) => ({ keep: keep(sentences.length, sentence), kinds })),
        ),
      );
    },
    relate: none,
    read: none,
  };
  return { model, asked };
}

const sentence = (name: string): string =>
  `The ${name} is read once a day by the importer, ${'and '.repeat(20)}so on.`;
const turn = {
  prompt: '',
  answer: ['first', 'second', 'third', 'fourth'].map(sentence).join('\n\n'),
  tools: [],
};
const units = unitsOf(turn);
const { signal } = new AbortController();

test('a sentence that the first look leaves open is read again with its neighbours only', async () => {
  const { model, asked } = modelWith((together) => (together === units.length ? 0.4 : 0.8));
  const scores = await keepScores(model, { units, turn }, units, signal);
  assert.ok(asked.length > 1 && asked.slice(1).every(({ sentences }) => sentences.length < units.length));
  for (const unit of units) assert.equal(scores.get(unit)?.keep.toFixed(2), '0.60');
});

test('sentences that the first look is sure of are read once', async () => {
  const { model, asked } = modelWith((_, text) => (text.includes('second') ? 0.99 : 0.01));
  const scores = await keepScores(model, { units, turn }, units, signal);
  assert.equal(asked.length, 1);
  assert.deepEqual(
    units.map((unit) => scores.get(unit)?.keep),
    [0.01, 0.99, 0.01, 0.01],
  );
});

test('only the sentences that are asked about get a score', async () => {
  const { model } = modelWith(() => 0.5);
  const scores = await keepScores(model, { units, turn }, units.slice(1, 2), signal);
  assert.deepEqual([...scores.keys()], units.slice(1, 2));
});
