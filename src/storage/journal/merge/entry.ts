/**
 * Merges two versions of one entry, with their common version if known. The user's text wins over generated text, a
 * note of the agent over the small model's, and that over the rules'; of two texts of the same rank both stay. Pure.
 */
import { RULES_MAKER, SMALL_MAKER, type Memory, type MemoryState } from '../../../core/index.ts';
import {
  humanLines,
  readEntry,
  restate,
  sameText,
  type EntryContext,
  type ReadEntry,
} from '../format/entry.ts';
import { filled } from '../format/normalise.ts';
import type { Part } from '../format/scan.ts';

export interface MergedEntry {
  readonly text: string;
  /** The other text of the same rank: it becomes an entry of its own. */
  readonly other?: string;
}

/** When both sides changed the state and the user did not, the later in this list wins. */
const STATES: readonly MemoryState[] = ['current', 'open', 'resolved', 'superseded'];

export function mergeEntry(
  base: Part | undefined,
  ours: Part,
  theirs: Part,
  context: EntryContext,
): MergedEntry {
  if (isSamePart(ours, theirs) || isSamePart(base, theirs)) return { text: ours.text };
  if (isSamePart(base, ours)) return { text: theirs.text };
  const [a, b] = [readEntry(ours, context), readEntry(theirs, context)];
  const [first, second] = choose(base, { part: ours, entry: a }, { part: theirs, entry: b });
  const other = second && !sameText(first.part, second.part) ? { other: second.part.text } : {};
  // An entry without a comment has nothing but its text to merge.
  if (!ours.comment || !theirs.comment)
    return { text: (ours.comment ? ours : theirs.comment ? theirs : first.part).text, ...other };
  const state = chooseState(base && readEntry(base, context), a, b);
  const { memory } = first.entry;
  const { supersededBy: _, resolvedBy: __, supersedes: ___, seen: ____, ended: _____, ...bare } = memory;
  const merged: Memory = {
    ...bare,
    state: state.memory.state,
    ...filled({
      supersededBy: state.memory.supersededBy,
      resolvedBy: state.memory.resolvedBy,
      ended: state.memory.ended,
      supersedes: union(a.memory.supersedes, b.memory.supersedes),
      seen: Math.max(a.memory.seen ?? 0, b.memory.seen ?? 0),
    }),
    provenance: {
      ...memory.provenance,
      ...filled({ also: union(a.memory.provenance.also, b.memory.provenance.also) }),
    },
  };
  return { text: restate(first.part, first.entry, merged, state.held), ...other };
}

/** Compares without line ends and without white space at the end. */
export function isSamePart(a: Part | undefined, b: Part | undefined): boolean {
  return a !== undefined && b !== undefined && plain(a) === plain(b);
}

function plain({ text }: Part): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}

interface Version {
  readonly part: Part;
  readonly entry: ReadEntry;
}

/** Returns the winning version, and the other one if it has to stay too. The result is the same on both machines. */
function choose(
  base: Part | undefined,
  ours: Version,
  theirs: Version,
): readonly [Version] | readonly [Version, Version] {
  if (sameText(ours.part, theirs.part)) return [ours];
  if (base && sameText(base, ours.part)) return [theirs];
  if (base && sameText(base, theirs.part)) return [ours];
  const [mine, other] = [rank(ours.entry), rank(theirs.entry)];
  if (mine !== other) return mine > other ? [ours] : [theirs];
  return words(ours.part) < words(theirs.part) ? [ours, theirs] : [theirs, ours];
}

function rank({ edited, memory }: ReadEntry): number {
  if (edited()) return 3;
  const { by } = memory.provenance;
  return by === RULES_MAKER ? 0 : by === SMALL_MAKER ? 1 : 2;
}

function chooseState(base: ReadEntry | undefined, a: ReadEntry, b: ReadEntry): ReadEntry {
  const isNews = (entry: ReadEntry): boolean =>
    base === undefined || entry.memory.state !== base.memory.state || entry.held !== base.held;
  if (isNews(a) !== isNews(b)) return isNews(a) ? a : b;
  if (a.held !== b.held) return a.held ? a : b;
  return STATES.indexOf(b.memory.state) > STATES.indexOf(a.memory.state) ? b : a;
}

function words(part: Part): string {
  return humanLines(part).join('\n');
}

function union(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  return [...new Set([...a, ...b])].toSorted();
}
