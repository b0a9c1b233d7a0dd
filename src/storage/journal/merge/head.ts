/**
 * Merges two versions of the text above entries: a session's head, or the heading of a section or day with the user's
 * notes. No line of the user is lost. Pure.
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
  const [ourHeading, mine] = cut(ours.text);
  const [theirHeading, other] = cut(theirs.text);
  const [before, text] = base ? cut(base.text) : [undefined, undefined];
  // Headings of one day or section differ only in words of the user.
  const heading = ourHeading === before ? theirHeading : ourHeading;
  const lost = heading === theirHeading || theirHeading === before ? '' : titleOf(theirHeading);
  const body = withMissing(
    text === undefined ? withMissing(mine, other) : mergeTexts(text, mine, other),
    lost,
  );
  return heading + body;
}

/** The more complete head wins, unless the user edited one; then lines that only the other has become notes. */
function mergeSession(base: Part | undefined, ours: Part, theirs: Part, date: string): string {
  const [a, b] = [readHead(ours), readHead(theirs)];
  const [more, less] = completeness(a, ours) >= completeness(b, theirs) ? [a, b] : [b, a];
  const notes = mergeTexts(base ? ended(readHead(base).notes) : '', ended(a.notes), ended(b.notes)).trim();
  const unknown = [...new Set([...a.attributes.unknown, ...b.attributes.unknown])];
  if (!a.edited && !b.edited) return renderHead(mergeHeads(less.head, more.head), date, unknown, notes);
  const [winner, other] = more.edited ? [more, less] : [less, more];
  const [winnerPart, otherPart] = winner === a ? [ours, theirs] : [theirs, ours];
  if (!other.edited && other.notes === '') return winnerPart.text;
  const [heading = '', ...lines] = humanLines(otherPart);
  const isKnown = [winnerPart, ...(base ? [base] : [])].some((part) => humanLines(part)[0] === heading);
  return withMissing(
    winnerPart.text,
    [...(other.edited && !isKnown ? [titleOf(heading)] : []), ...lines].join('\n'),
  );
}

/** Returns the words of a heading, which stay as a line of text where another heading is used. */
function titleOf(heading: string): string {
  return heading.replace(/^#+\s*/, '');
}

/** Returns a sort key that is the same on both machines: ended sessions and longer texts sort last. */
function completeness({ head }: ReadHead, part: Part): string {
  const over = head.status !== undefined && head.status !== 'active' ? 1 : 0;
  const hasSummary = head.summary ? 1 : 0;
  return `${over}${hasSummary}${String(part.text.trimEnd().length).padStart(9, '0')}${part.text.trimEnd()}`;
}

/** Returns a text followed by the lines that only the other contains. */
function withMissing(text: string, other: string): string {
  const known = new Set(text.split('\n').map((line) => line.trim()));
  const missing = other.split('\n').filter((line) => line.trim() !== '' && !known.has(line.trim()));
  return missing.length === 0 ? text : `${text.trimEnd()}\n\n${missing.join('\n')}\n\n`;
}

/** Splits a text into its heading line and the rest. Text before the first heading has no heading line. */
function cut(text: string): readonly [string, string] {
  if (!text.startsWith('#')) return ['', text];
  const end = text.indexOf('\n') + 1;
  return end === 0 ? [`${text}\n`, ''] : [text.slice(0, end), text.slice(end)];
}

function ended(text: string): string {
  return text === '' ? '' : `${text}\n`;
}
