/**
 * The distiller without a model: reads a turn for what was decided, done, found, rejected, wished and left open.
 * Deterministic: no clock, no I/O, no memory of other turns.
 */
import { RULES_MAKER } from '../model/index.ts';
import type { Distiller } from './distiller.ts';
import { draftsOf } from './_drafts.ts';
import { summarizeTurns } from './summary.ts';

export const localDistiller: Distiller = {
  name: RULES_MAKER,
  distill: ({ turn, root, lowValueTools }) =>
    Promise.resolve({ memories: draftsOf(turn, { root, lowValueTools }) }),
  summarize: (turns) => Promise.resolve(summarizeTurns(turns)),
};
