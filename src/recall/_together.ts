/** Words that stand beside each other: what two texts share of them is hardly ever chance. Pure. */
import { tellingWords } from '../index/index.ts';
import { COVERAGE, GATE } from './weights.ts';

interface Unit {
  readonly token: string;
  readonly weak: boolean;
}

/** Two tokens a text says beside each other, whichever comes first. */
export interface Pair {
  readonly key: string;
  readonly units: readonly [Unit, Unit];
}

/** `set the feature flag` → feature + flag, set + feature, set + flag */
export function pairsOf(text: string): ReadonlyMap<string, Pair> {
  const units = tellingWords(text.slice(0, GATE.together.chars)).flatMap(unitsOf);
  const pairs = new Map<string, Pair>();
  units.forEach((unit, at) => {
    for (const other of units.slice(at + 1, at + 1 + GATE.together.apart)) {
      if (unit.token === other.token || overlap(unit.token, other.token)) continue;
      const key = [unit.token, other.token].toSorted().join(' ');
      if (!pairs.has(key)) pairs.set(key, { key, units: [unit, other] });
    }
  });
  return pairs;
}

/** How much two texts say together, between 0 and 1. */
export function together(
  some: ReadonlyMap<string, Pair>,
  others: ReadonlyMap<string, Pair>,
  rarity: (token: string) => number,
): number {
  const worth = ({ token, weak }: Unit): number => rarity(token) * (weak ? COVERAGE.weakWord : 1);
  const shared = [...some.values()]
    .filter(({ key }) => others.has(key))
    .map(({ units: [one, other] }) => worth(one) * worth(other))
    .toSorted((a, b) => b - a);
  const sum = shared.slice(0, GATE.together.best).reduce((total, weight) => total + weight, 0);
  return Math.min(1, sum / GATE.together.full);
}

/** A path counts by its file name, an identifier by its parts. */
function unitsOf({ whole, parts, kind, weak }: ReturnType<typeof tellingWords>[number]): readonly Unit[] {
  const tokens = kind === 'path' ? whole.slice(-1) : parts.length > 0 ? parts : whole.slice(0, 1);
  return tokens.map((token) => ({ token, weak }));
}

/** Bigrams of one CJK run that share a character stand beside each other always. */
function overlap(one: string, other: string): boolean {
  return [...one].length === 2 && /[^\0-\x7f]/.test(one) && [...one].at(-1) === [...other][0];
}
