/** Distils a turn with the small model: one memory for each sentence worth keeping. */
import { SMALL_MAKER, type MemoryKind } from '../../core/index.ts';
import type { SmallModel } from '../../models/index.ts';
import type { Distiller } from '../distiller.ts';
import { unitsOf } from './units.ts';

export function smallDistiller(model: SmallModel): Distiller {
  return {
    name: SMALL_MAKER,
    async distill({ turn, previous }, signal) {
      const units = unitsOf(turn, previous);
      const scores = await model.keep(
        units.map(({ input }) => input),
        signal,
      );
      const operations = units.flatMap((unit, i) => {
        const score = scores[i];
        if (!score || score.keep < 0.5) return [];
        const [kind = 'discovery'] = Object.entries(score.kinds)
          .toSorted(([, a], [, b]) => b - a)
          .map(([name]) => name as MemoryKind); // keys of the record
        const draft = { kind, title: unit.text, body: unit.text, facts: [], concepts: [], files: [] };
        return [{ op: 'add' as const, draft: { ...draft, quote: unit.text }, ends: [] }];
      });
      return { operations };
    },
  };
}
