/** The model that ships with Tidemark, in this process and in its own. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { localEmbedder, localSmallModel } from '../local.ts';
import { openSmallModel, type InProcessModel } from './open.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MODEL = join(ROOT, 'plugin', 'model');
const RUNTIME = join(ROOT, 'node_modules', 'onnxruntime-web', 'dist');
const PAIRS = [
  { a: 'which queue do we use?', b: 'decision: Use pg-boss for the job queue.' },
  { a: 'which queue do we use?', b: 'issue: The logo on the start page is blurry.' },
];
const PASSAGE = {
  about: 'edited',
  sentences: ['user: from now on never push to main', 'assistant: Understood.'],
};
const signal = AbortSignal.timeout(60_000);

let model: InProcessModel;
before(async () => {
  model = await openSmallModel(MODEL, RUNTIME);
});

test('vectors have length 1, and texts of similar meaning are near', async () => {
  const texts = ['The cat sits on the mat', 'A feline rests on a rug', 'PostgreSQL index tuning'];
  const [cat, feline, index] = await model.vectors(texts, signal);
  assert.ok(cat && feline && index);
  assert.equal(cat.length, 384);
  assert.ok(Math.abs(dot(cat, cat) - 1) < 1e-5);
  assert.ok(Math.abs(dot(cat, feline) - 0.56) < 0.05, `${dot(cat, feline)}`);
  assert.ok(Math.abs(dot(cat, index) - 0.03) < 0.1, `${dot(cat, index)}`);
});

test('the scores of a question are probabilities and do not depend on the other inputs', async () => {
  const [first] = await model.keep([PASSAGE], signal);
  const [, again] = await model.keep([{ about: '', sentences: ['user: ok'] }, PASSAGE], signal);
  assert.deepEqual(again, first);
  assert.equal(first?.length, 2);
  const [rule, reply] = first ?? [];
  assert.ok(rule && reply && rule.keep > reply.keep, `${rule?.keep} ${reply?.keep}`);
  assert.ok(Math.abs(sum(Object.values(rule.kinds)) - 1) < 1e-6);
  const [related] = await model.relate(PAIRS, signal);
  assert.ok(related && Math.abs(sum(Object.values(related)) - 1) < 1e-6);
});

test('a memory that answers the prompt is read before another', async () => {
  const [queue, logo] = await model.read(PAIRS, signal);
  assert.ok(queue !== undefined && logo !== undefined && queue > logo, `${queue} ${logo}`);
});

test('one process gives the same vectors and answers', async (t) => {
  const options = {
    home: '/nowhere',
    program: join(ROOT, 'src', 'models', 'main.ts'),
    runtime: RUNTIME,
  };
  const [embedder, small] = [localEmbedder(options), localSmallModel(options)];
  t.after(() => Promise.all([embedder.close(), small.close()]));
  assert.deepEqual(await small.read(PAIRS, signal), await model.read(PAIRS, signal));
  assert.deepEqual(await embedder.embed(['a', 'b'], signal), await model.vectors(['a', 'b'], signal));
});

test('an aborted question stops', async () => {
  await assert.rejects(model.keep([PASSAGE], AbortSignal.abort()), { name: 'AbortError' });
});

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((total, value, i) => total + value * (b[i] ?? 0), 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
