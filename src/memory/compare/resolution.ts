/** Decides whether a later piece of work resolves an issue. Pure. */
import { WORK_KINDS } from '../../core/index.ts';
import { shared, type Statement } from './statement.ts';
import { areOfOtherScopes, numberedThings, numberOtherThings } from './subject.ts';
import { RESOLUTION } from './thresholds.ts';

export function resolves(work: Statement, issue: Statement): boolean {
  if (issue.memory.kind !== 'issue' || !WORK_KINDS.includes(work.memory.kind)) return false;
  if (work.memory.provenance.turn === issue.memory.provenance.turn) return false;
  const named = shared(issue.strong, work.text);
  if (named < RESOLUTION.words || shared(issue.words, work.words) === 0) return false;
  if (areOfOtherScopes(issue.subject, work.subject) || fixesOtherThing(work, issue)) return false;
  const share = named / issue.strong.size;
  return share >= (shared(issue.files, work.files) > 0 ? RESOLUTION.namedWithFile : RESOLUTION.named);
}

/** "Fixed the corruption in cache-18" does not resolve the issue of `cache-3`; a fix that names neither leaves it open. */
function fixesOtherThing({ memory }: Statement, issue: Statement): boolean {
  const mine = issue.subject.numbered;
  if (mine.size === 0) return false;
  const theirs = numberedThings([memory.title, memory.body, ...memory.facts].join('\n'));
  return numberOtherThings(mine, theirs) || ![...mine.keys()].some((family) => theirs.has(family));
}
