/** The real models in their process from the build give the cosines their authors publish. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalogued, localEmbedder } from '../../src/models/index.ts';
import { part } from '../support/parts.ts';

const TEXTS = ['The cat sits on the mat', 'A feline rests on a rug', 'PostgreSQL index tuning'];

/** Cosines of the first text with the other two; they differ a little between runtimes. */
const MODELS = [
  { id: 'small', from: undefined, like: 0.56, unlike: 0.03 },
  { id: 'all-minilm-l6-v2', from: 'embedding-model', like: 0.56, unlike: 0.03 },
  { id: 'gte-small', from: 'better-embedding-model', like: 0.888, unlike: 0.678 },
] as const;

for (const { id, from, like, unlike } of MODELS) {
  const { path, skip } = from ? part(from) : { path: '/nowhere', skip: false };
  test(`${id}: texts of similar meaning are near, others are not`, { skip }, async (t) => {
    const model = catalogued(id);
    assert.ok(model);
    const embedder = localEmbedder({
      model,
      models: path,
      program: join('plugin', 'dist', 'embedder.cjs'),
      runtime: join(process.cwd(), 'plugin', 'dist', 'embed'),
    });
    t.after(() => embedder.close());
    const [cat, feline, index] = await embedder.embed(TEXTS, AbortSignal.timeout(120_000));
    assert.ok(cat && feline && index);
    assert.equal(cat.length, model.dimensions);
    assert.ok(Math.abs(dot(cat, cat) - 1) < 1e-5);
    assert.ok(Math.abs(dot(cat, feline) - like) < 0.05, `${dot(cat, feline)}`);
    assert.ok(Math.abs(dot(cat, index) - unlike) < 0.1, `${dot(cat, index)}`);
  });
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
