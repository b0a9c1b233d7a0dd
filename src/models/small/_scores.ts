/** Turns the outputs of the small model into scores. Pure. */
import { KEEP_KINDS, RELATIONS, type KeepScore, type RelateScore } from './model.ts';

/** One score for each sentence of a passage. */
export function keepScores(output: Float32Array): readonly KeepScore[] {
  const width = 1 + KEEP_KINDS.length;
  return Array.from({ length: output.length / width }, (_, i) =>
    keepScore([...output.subarray(i * width, (i + 1) * width)]),
  );
}

function keepScore([keep = 0, ...kinds]: Iterable<number> & readonly number[]): KeepScore {
  const shares = softmax(kinds);
  return {
    keep: 1 / (1 + Math.exp(-keep)),
    kinds: Object.fromEntries(KEEP_KINDS.map((kind, i) => [kind, shares[i] ?? 0])) as KeepScore['kinds'],
  };
}

export function relateScore(output: readonly number[]): RelateScore {
  const shares = softmax(output);
  return Object.fromEntries(RELATIONS.map((relation, i) => [relation, shares[i] ?? 0])) as RelateScore;
}

function softmax(logits: readonly number[]): readonly number[] {
  const most = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}
