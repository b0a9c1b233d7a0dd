/**
 * Asks the small model how much each sentence of a turn is worth keeping. A sentence is read with most of its turn and, if
 * that leaves it open, once more with its neighbours only: the mean of two different looks is better than either
 * (docs/research/small-model.md).
 */
import type { StoredTurn } from '../../core/index.ts';
import { KEEP_KINDS, type KeepScore, type SmallModel } from '../../models/index.ts';
import { PASSAGE, passagesOf, type Spoken, type Unit } from './units.ts';

/** Sentences between these probabilities are read twice. */
const UNSURE = { from: 0.05, to: 0.95 } as const;

export interface TurnUnits {
  readonly units: readonly Unit[];
  readonly turn: Spoken;
  readonly previous?: Pick<StoredTurn, 'answer'> | undefined;
}

/** Returns the scores of the units in `asked`; the others are only context. */
export async function keepScores(
  model: SmallModel,
  turnUnits: TurnUnits,
  asked: readonly Unit[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Unit, KeepScore>> {
  const first = await scoresIn(PASSAGE.long, model, turnUnits, asked, signal);
  const unsure = [...first]
    .filter(([, { keep }]) => keep >= UNSURE.from && keep <= UNSURE.to)
    .map(([unit]) => unit);
  const second = await scoresIn(PASSAGE.short, model, turnUnits, unsure, signal);
  return new Map([...first].map(([unit, score]) => [unit, meanOf(score, second.get(unit))]));
}

/** Leaves out the passages without a sentence that is asked about. */
async function scoresIn(
  chars: number,
  model: SmallModel,
  { units, turn, previous }: TurnUnits,
  asked: readonly Unit[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Unit, KeepScore>> {
  const known = new Set(asked);
  const isAsked = (unit: Unit | undefined): unit is Unit => unit !== undefined && known.has(unit);
  const passages = passagesOf(units, turn, previous, chars).filter((one) => one.units.some(isAsked));
  const scores = await model.keep(
    passages.map(({ about, sentences }) => ({ about, sentences })),
    signal,
  );
  return new Map(
    passages.flatMap((passage, i) =>
      passage.units.flatMap((unit, k) => {
        const score = scores[i]?.[k];
        return isAsked(unit) && score ? [[unit, score] as const] : [];
      }),
    ),
  );
}

function meanOf(one: KeepScore, other: KeepScore | undefined): KeepScore {
  if (!other) return one;
  const kinds = KEEP_KINDS.map((kind) => [kind, (one.kinds[kind] + other.kinds[kind]) / 2] as const);
  // One for each kind.
  return { keep: (one.keep + other.keep) / 2, kinds: Object.fromEntries(kinds) as KeepScore['kinds'] };
}
