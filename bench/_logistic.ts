/** Logistic regression with an L2 penalty on scaled columns, by Newton's method. Deterministic and pure. */

export interface Sample {
  readonly values: readonly number[];
  readonly holds: boolean;
  readonly weight: number;
}

export interface Fit {
  readonly bias: number;
  readonly weights: readonly number[];
}

/** More steps than a fit of a few columns needs to converge. */
const STEPS = 30;

export function fitLogistic(samples: readonly Sample[], penalty: number): Fit {
  const columns = samples[0]?.values.length ?? 0;
  const scales = Array.from({ length: columns }, (_, column) => scaleOf(samples, column));
  const rows = samples.map(({ values }) => [
    1,
    ...values.map((value, i) => (value - (scales[i]?.mean ?? 0)) / (scales[i]?.deviation ?? 1)),
  ]);
  let found = Array.from({ length: columns + 1 }, () => 0);
  for (let step = 0; step < STEPS; step += 1) {
    const slope = found.map((value, i) => (i === 0 ? 0 : penalty * value));
    const curve = found.map((_, i) => found.map((_, j) => (i === j && i > 0 ? penalty : 0)));
    rows.forEach((row, at) => {
      const { holds = false, weight = 0 } = samples[at] ?? {};
      const chance = 1 / (1 + Math.exp(-dot(row, found)));
      for (let i = 0; i <= columns; i += 1) {
        slope[i] = (slope[i] ?? 0) + weight * (chance - (holds ? 1 : 0)) * (row[i] ?? 0);
        const line = curve[i] ?? [];
        for (let j = 0; j <= columns; j += 1)
          line[j] = (line[j] ?? 0) + weight * chance * (1 - chance) * (row[i] ?? 0) * (row[j] ?? 0);
      }
    });
    const change = solved(curve, slope);
    found = found.map((value, i) => value - (change[i] ?? 0));
  }
  const weights = scales.map(({ deviation }, i) => (found[i + 1] ?? 0) / deviation);
  const means = scales.map(({ mean }) => mean);
  return { bias: (found[0] ?? 0) - dot(weights, means), weights };
}

/** Returns the logarithm of the odds. */
export function oddsOf({ bias, weights }: Fit, values: readonly number[]): number {
  return bias + dot(weights, values);
}

function scaleOf(samples: readonly Sample[], column: number): { mean: number; deviation: number } {
  const values = samples.map((sample) => sample.values[column] ?? 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) || 1 };
}

/** Gaussian elimination. The matrix of a penalised fit is never singular. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const lines = matrix.map((line, i) => [...line, right[i] ?? 0]);
  lines.forEach((pivot, i) => {
    const head = pivot[i] ?? 1;
    pivot.forEach((value, j) => (pivot[j] = value / head));
    for (const [k, line] of lines.entries()) {
      if (k === i) continue;
      const times = line[i] ?? 0;
      line.forEach((value, j) => (line[j] = value - times * (pivot[j] ?? 0)));
    }
  });
  return lines.map((line) => line.at(-1) ?? 0);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
