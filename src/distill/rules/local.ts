/**
 * The distiller without a model: finds decisions, work, findings, rejections, preferences and open issues in a turn.
 * Deterministic: no clock, no I/O, no memory of other turns.
 */
import { RULES_MAKER } from '../../core/index.ts';
import type { Distiller } from '../distiller.ts';
import { draftsOf } from './drafts.ts';

export const localDistiller: Distiller = {
  name: RULES_MAKER,
  distill: ({ turn, root }) => Promise.resolve({ memories: draftsOf(turn, root) }),
};
