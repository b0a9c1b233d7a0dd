/** Decides by their evidence which memories may be injected as rules. Pure. */
import { evidenceOf, RULE_KINDS, type Memory } from '../../core/index.ts';

/** Whether the user said it or a test, commit or output showed it. */
export function isConfirmed(memory: Memory): boolean {
  const evidence = evidenceOf(memory);
  return evidence === 'said' || evidence === 'shown';
}

/** Whether it would be advice from a README, a page or another person. It is searched, but never injected. */
export function isQuotedRule(memory: Memory): boolean {
  const isAdvice = RULE_KINDS.includes(memory.kind) || memory.kind === 'dead_end';
  return isAdvice && evidenceOf(memory) === 'quoted';
}
