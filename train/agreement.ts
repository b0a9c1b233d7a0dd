/**
 * Compares the model that ships, as the product runs it, with what the original gave for the same texts, and writes the
 * result into its `model.json`. Fails if they differ too much.
 *
 *   node train/agreement.ts --check check.json.gz --model plugin/model
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { KEEP_KINDS, openSmallModel, RELATIONS, type Pair, type Passage } from '../src/models/index.ts';

/** A text or several, with the original's output: train.py writes them. */
type Checked = { readonly out: readonly number[] } & (
  | ({ readonly task: 'keep' } & Passage)
  | ({ readonly task: 'relate' | 'read' | 'vector' } & Pair)
);

const { values: options } = parseArgs({
  options: { check: { type: 'string', default: '' }, model: { type: 'string', default: 'plugin/model' } },
});
const LEAST = { vector: 0.985, keep: 0.95, read: 0.97 };
const RUNTIME = join(import.meta.dirname, '..', 'node_modules', 'onnxruntime-web', 'dist');
const { signal } = new AbortController();

const checked = JSON.parse(gunzipSync(readFileSync(options.check)).toString('utf8')) as readonly Checked[];
const model = await openSmallModel(options.model, RUNTIME);
const cosines: number[] = [];
const sure: [number, number][] = [];
const kinds: boolean[] = [];
const relations: boolean[] = [];
const odds: [number, number][] = [];
for (const one of checked)
  if (one.task === 'keep') {
    const [scores = []] = await model.keep([one], signal);
    for (const [i, { keep, kinds: shares }] of scores.entries()) {
      const [logit = 0, ...others] = one.out.slice(
        i * (1 + KEEP_KINDS.length),
        (i + 1) * (1 + KEEP_KINDS.length),
      );
      sure.push([keep, 1 / (1 + Math.exp(-logit))]);
      kinds.push(highest(KEEP_KINDS.map((kind) => shares[kind])) === highest(others));
    }
  } else if (one.task === 'relate') {
    const [score] = await model.relate([one], signal);
    relations.push(highest(RELATIONS.map((relation) => score?.[relation] ?? 0)) === highest(one.out));
  } else if (one.task === 'read') {
    const [logit = 0] = await model.read([one], signal);
    odds.push([logit, one.out[0] ?? 0]);
  } else {
    const [vector = []] = await model.vectors([one.a], signal);
    cosines.push([...vector].reduce((sum, value, i) => sum + value * (one.out[i] ?? 0), 0));
  }

const agreement = {
  inputs: checked.length,
  'vector: cosine, mean': rounded(mean(cosines)),
  'vector: cosine, lowest': rounded(Math.min(...cosines)),
  'keep: same side of 0.5': rounded(mean(sure.map(([a, b]) => Number(a > 0.5 === b > 0.5)))),
  'keep: mean difference': rounded(mean(sure.map(([a, b]) => Math.abs(a - b)))),
  'kind: same': rounded(mean(kinds.map(Number))),
  'relate: same': rounded(mean(relations.map(Number))),
  'read: correlation': rounded(correlation(odds)),
};
console.log(agreement);
if (
  agreement['vector: cosine, mean'] < LEAST.vector ||
  agreement['keep: same side of 0.5'] < LEAST.keep ||
  agreement['read: correlation'] < LEAST.read
)
  throw new Error('The quantised model does not agree with the original.');
const file = join(options.model, 'model.json');
const { version, files } = JSON.parse(readFileSync(file, 'utf8')) as { version: string; files: object };
writeFileSync(file, `${JSON.stringify({ version, agreement, files }, undefined, 2)}\n`);

function highest(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const [x, y] = [mean(pairs.map(([a]) => a)), mean(pairs.map(([, b]) => b))];
  const product = (f: (a: number, b: number) => number): number =>
    mean(pairs.map(([a, b]) => f(a - x, b - y)));
  return product((a, b) => a * b) / Math.sqrt(product((a) => a * a) * product((_, b) => b * b));
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
