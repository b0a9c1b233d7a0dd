/** Do two memories say the same thing? Symmetric, and a function of the two alone. Pure. */
import type { MemoryKind } from '../../core/index.ts';
import { likeness, shared, type Statement } from './statement.ts';
import { CJK_FACTOR, SAME } from './thresholds.ts';

/** What one holds to be so, until it is taken back. A belief may be called by any of these. */
export const BELIEFS: readonly MemoryKind[] = ['decision', 'preference', 'pattern'];

export function isSame(a: Statement, b: Statement): boolean {
  const belief = BELIEFS.includes(a.memory.kind) && BELIEFS.includes(b.memory.kind);
  if (a.memory.kind !== b.memory.kind && !belief) return false;
  if (a.hash === b.hash) return true;
  if (a.numbers !== b.numbers || a.stance.negative !== b.stance.negative) return false;
  if (a.words.size < SAME.words || b.words.size < SAME.words) return false;
  const factor = a.isCjk && b.isCjk ? CJK_FACTOR : 1;
  const title = likeness(a.words, b.words);
  if (title < SAME.titleAtLeast * factor || areElsewhere(a, b)) return false;
  if (belief && title >= SAME.title * factor) return true;
  return likeness(a.text, b.text) >= (belief ? SAME.text : SAME.workText) * factor;
}

/** Two tools on one exchange: it is known what they speak of, so half the title's words are enough. */
export function isSameOfTurn(a: Statement, b: Statement): boolean {
  const belief = BELIEFS.includes(a.memory.kind) && BELIEFS.includes(b.memory.kind);
  if (a.memory.kind !== b.memory.kind && !belief) return false;
  if (a.hash === b.hash) return true;
  if (a.numbers !== b.numbers || a.stance.negative !== b.stance.negative) return false;
  return likeness(a.words, b.words) >= SAME.titleAtLeast;
}

/** Both name files, and none in common. */
function areElsewhere(a: Statement, b: Statement): boolean {
  return a.files.size > 0 && b.files.size > 0 && shared(a.files, b.files) === 0;
}
