import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitLogistic, oddsOf } from './_logistic.ts';

test('a fit finds what decides and leaves the rest alone', () => {
  const samples = Array.from({ length: 200 }, (_, i) => ({
    values: [i / 200, (i * 7) % 5],
    holds: i % 10 === 0 ? i < 100 : i >= 100,
    weight: 1,
  }));
  const fit = fitLogistic(samples, 1);
  assert.ok((fit.weights[0] ?? 0) > 1);
  assert.ok(Math.abs(fit.weights[1] ?? 1) < 0.2);
  assert.ok(oddsOf(fit, [0.9, 2]) > 0 && oddsOf(fit, [0.1, 2]) < 0);
});

test('what weighs more decides where two disagree', () => {
  const of = (weight: number) =>
    fitLogistic(
      [
        { values: [1], holds: true, weight },
        { values: [1], holds: false, weight: 1 },
        { values: [0], holds: false, weight: 1 },
      ],
      0.1,
    );
  assert.ok(oddsOf(of(9), [1]) > 0 && oddsOf(of(0.1), [1]) < 0);
});
