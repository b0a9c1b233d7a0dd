/** Turns that did not end: what the user said in them counts when it is said, the agent's unfinished text does not. Pure. */
import type { StoredTurn } from '../core/index.ts';

/** The mark of a turn that was distilled before it ended: it is distilled again afterwards. */
export const UNFINISHED = 'unfinished';

export function isUnfinished({ outcome }: Pick<StoredTurn, 'outcome'>): boolean {
  return outcome === 'open' || outcome === 'interrupted' || outcome === 'failed';
}

/** Returns the part of a turn that may be distilled: all of it, or the user's words if it did not end. */
export function distillable(turn: StoredTurn): StoredTurn {
  return isUnfinished(turn) ? { ...turn, answer: '', tools: [] } : turn;
}
