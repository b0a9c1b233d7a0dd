/** The real model in its real process, from the build: what it says is what the model's makers say. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalogued, DEFAULT_MODEL, localEmbedder } from '../../src/embed/index.ts';
import { part } from '../support/parts.ts';

const { path, skip } = part('embedding-model');

test('texts of like meaning are near, others are not', { skip }, async (t) => {
  const model = catalogued(DEFAULT_MODEL);
  assert.ok(model);
  const embedder = localEmbedder({
    model,
    models: path,
    program: join('plugin', 'dist', 'embedder.cjs'),
    runtime: join(process.cwd(), 'plugin', 'dist', 'embed'),
  });
  t.after(() => embedder.close());
  const texts = ['The cat sits on the mat', 'A feline rests on a rug', 'PostgreSQL index tuning'];
  const [cat, feline, index] = await embedder.embed(texts, AbortSignal.timeout(120_000));
  assert.ok(cat && feline && index);
  assert.equal(cat.length, model.dimensions);
  assert.ok(Math.abs(dot(cat, cat) - 1) < 1e-5);
  // 0.56 and 0.03, a little apart on another runtime
  assert.ok(Math.abs(dot(cat, feline) - 0.56) < 0.05);
  assert.ok(dot(cat, index) < 0.15);
});

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
