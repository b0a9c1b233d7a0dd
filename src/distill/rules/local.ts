/**
 * The distiller without a model: reads a turn for what was decided, done, found, rejected, wished and left open.
 * Deterministic: no clock, no I/O, no memory of other turns.
 */
import { RULES_MAKER } from '../../core/index.ts';
import type { Distiller } from '../distiller.ts';
import { summarizeTurns } from '../summary.ts';
import { draftsOf } from './drafts.ts';

export const localDistiller: Distiller = {
  name: RULES_MAKER,
  distill: ({ turn, root, lowValueTools }) =>
    Promise.resolve({ memories: draftsOf(turn, { root, lowValueTools }) }),
  summarize: (turns) => Promise.resolve(summarizeTurns(turns)),
};
