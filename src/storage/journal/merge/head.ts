/**
 * Two versions of what stands over entries (a session's head, a section or the day's heading with a person's notes)
 * brought together: no line of a person is lost. Pure.
 */
import { humanLines } from '../format/entry.ts';
import type { Part } from '../format/scan.ts';
import { mergeHeads, readHead, renderHead, type ReadHead } from '../format/session.ts';
import { isSamePart } from './entry.ts';
import { mergeTexts } from './lines.ts';

export function mergeHead(base: Part | undefined, ours: Part, theirs: Part, date: string): string {
  if (isSamePart(ours, theirs) || isSamePart(base, theirs)) return ours.text;
  if (isSamePart(base, ours)) return theirs.text;
  if (ours.kind === 'session' && theirs.kind === 'session') return mergeSession(base, ours, theirs, date);
  const [heading, mine] = cut(ours.text);
  const other = cut(theirs.text)[1];
  const body = base ? mergeTexts(cut(base.text)[1], mine, other) : withMissing(mine, other);
  return heading + body;
}

/** Told by machines, the fuller one counts; changed by a person, that one does, and what only the other says stays as notes. */
function mergeSession(base: Part | undefined, ours: Part, theirs: Part, date: string): string {
  const [a, b] = [readHead(ours), readHead(theirs)];
  const [more, less] = fullness(a, ours) >= fullness(b, theirs) ? [a, b] : [b, a];
  const notes = mergeTexts(base ? ended(readHead(base).notes) : '', ended(a.notes), ended(b.notes)).trim();
  const unknown = [...new Set([...a.attributes.unknown, ...b.attributes.unknown])];
  if (!a.edited && !b.edited) return renderHead(mergeHeads(less.head, more.head), date, unknown, notes);
  const [kept, other] = more.edited ? [more, less] : [less, more];
  const [keptPart, otherPart] = kept === a ? [ours, theirs] : [theirs, ours];
  return other.edited || other.notes !== ''
    ? withMissing(keptPart.text, humanLines(otherPart).slice(1).join('\n'))
    : keptPart.text;
}

/** Sorts the same on whichever side it is asked: what is over, what tells more. */
function fullness({ head }: ReadHead, part: Part): string {
  const over = head.status !== undefined && head.status !== 'active' ? 1 : 0;
  const told = head.summary ? 1 : 0;
  return `${over}${told}${String(part.text.trimEnd().length).padStart(9, '0')}${part.text.trimEnd()}`;
}

/** A text, and below it the lines that stand only in the other. */
function withMissing(text: string, other: string): string {
  const known = new Set(text.split('\n').map((line) => line.trim()));
  const missing = other.split('\n').filter((line) => line.trim() !== '' && !known.has(line.trim()));
  return missing.length === 0 ? text : `${text.trimEnd()}\n\n${missing.join('\n')}\n\n`;
}

/** The heading's line, and what stands below it. What stands before any heading has none. */
function cut(text: string): readonly [string, string] {
  if (!text.startsWith('#')) return ['', text];
  const end = text.indexOf('\n') + 1;
  return end === 0 ? [`${text}\n`, ''] : [text.slice(0, end), text.slice(end)];
}

function ended(text: string): string {
  return text === '' ? '' : `${text}\n`;
}
