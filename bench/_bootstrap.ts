/** How much a mean may differ by chance: resamples groups, and the values inside each. Deterministic and pure. */
import { randomFrom } from '../test/support/random.ts';

export interface Grouped {
  readonly group: string;
  readonly value: number;
}

/** The middle 95 percent of the means of resamples, and of the differences between two of them. */
export interface Spread {
  readonly mean: readonly [number, number];
  /** Half the width: a difference between two such samples up to this is no sign of anything. */
  readonly difference: number;
}

const RESAMPLES = 2000;
const SEED = 7;

/** With one group, its values are resampled; with several, first the groups, because values of one are alike. */
export function spreadOf(values: readonly Grouped[]): Spread {
  const groups = [...Map.groupBy(values, ({ group }) => group).values()];
  const random = randomFrom(SEED);
  const resampled = (): number => {
    const chosen = groups.length > 1 ? groups.map(() => groups[random.below(groups.length)] ?? []) : groups;
    const drawn = chosen.flatMap((group) => group.map(() => group[random.below(group.length)]?.value ?? 0));
    return drawn.reduce((sum, value) => sum + value, 0) / Math.max(1, drawn.length);
  };
  const means = Array.from({ length: RESAMPLES }, resampled);
  const differences = Array.from({ length: RESAMPLES }, () => Math.abs(resampled() - resampled()));
  return { mean: [at(means, 0.025), at(means, 0.975)], difference: at(differences, 0.95) };
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
