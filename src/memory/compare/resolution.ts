/** Decides whether a later piece of work resolves an issue. Pure. */
import type { MemoryKind } from '../../core/index.ts';
import { shared, type Statement } from './statement.ts';
import { RESOLUTION } from './thresholds.ts';

const WORK: readonly MemoryKind[] = ['bugfix', 'feature', 'refactor'];

export function resolves(work: Statement, issue: Statement): boolean {
  if (issue.memory.kind !== 'issue' || !WORK.includes(work.memory.kind)) return false;
  if (work.memory.provenance.turn === issue.memory.provenance.turn) return false;
  const named = shared(issue.strong, work.text);
  if (named < RESOLUTION.words || shared(issue.words, work.words) === 0) return false;
  const share = named / issue.strong.size;
  return share >= (shared(issue.files, work.files) > 0 ? RESOLUTION.namedWithFile : RESOLUTION.named);
}
