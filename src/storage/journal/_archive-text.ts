/**
 * A day's text brought into the archive of its month, byte for byte. Refuses what could not be read again afterwards as it
 * was before: such a day stays where it is. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { removeFrom } from './format/change.ts';
import { parseDayHeading, renderDayHeading } from './format/heading.ts';
import { parseDay } from './format/parse.ts';
import { scanText } from './format/scan.ts';
import { mergeDays } from './merge/days.ts';
import type { DayContext, ParsedDay } from './types.ts';

export type Folded =
  | { readonly ok: true; readonly text: string; readonly entries: number }
  | { readonly ok: false; readonly reason: string };

export function archiveDay(
  archive: string | null,
  archiveContext: DayContext,
  day: string,
  dayContext: DayContext,
): Folded {
  const before = parseDay(day, dayContext);
  const [problem] = before.problems;
  if (problem) return { ok: false, reason: `line ${problem.line}: ${problem.reason}` };

  // A crash between writing the archive and removing the day leaves both: what is there already is not put in again.
  if (archive?.includes(withoutHeading(day, dayContext.date).trim()))
    return { ok: true, text: archive, entries: before.entries.length };
  const kept = parseDay(archive ?? '', archiveContext);
  const there = new Set(
    before.entries.filter((entry) => isThere(kept, entry)).map(({ memory }) => memory.id),
  );
  const rest = there.size === 0 ? day : removeFrom(day, there, dayContext);
  // The day came back with other words in it, as from a merge: the two are brought together entry by entry.
  const known = new Set(kept.entries.map(({ memory }) => memory.id));
  if (before.entries.some(({ memory }) => known.has(memory.id) && !there.has(memory.id)))
    return joined(archive ?? '', archiveContext, rest ?? '', dayContext, before.entries.length);
  const text = rest === null ? archive : insertDay(archive ?? '', rest, dayContext);
  const after = parseDay(text ?? '', archiveContext);
  const lost = before.entries.find((entry) => !isThere(after, entry));
  if (lost) return { ok: false, reason: `entry ${lost.memory.id} would not be read again as it is` };
  if (after.entries.length !== kept.entries.length + before.entries.length - there.size)
    return { ok: false, reason: 'the archive would not be read again as it is' };
  return { ok: true, text: text ?? '', entries: before.entries.length };
}

function joined(
  archive: string,
  archiveContext: DayContext,
  day: string,
  { date, project }: DayContext,
  entries: number,
): Folded {
  const text = mergeDays(null, archive, withHeading(day, date, project), archiveContext);
  if (text === undefined) return { ok: false, reason: 'it cannot be brought together with its archive' };
  return { ok: true, text, entries };
}

function isThere({ entries }: ParsedDay, { memory }: ParsedDay['entries'][number]): boolean {
  return entries.some((other) => isDeepStrictEqual(other.memory, memory));
}

/** Days in order; what comes late for a day that is there already stands at the end of it. */
function insertDay(archive: string, day: string, { date, project }: DayContext): string {
  const heads = [];
  let at = 0;
  for (const part of scanText(archive).parts) {
    if (part.kind === 'day') heads.push({ at, date: parseDayHeading(part.text) ?? '' });
    at += part.text.length;
  }
  const next = heads.find((head) => head.date > date)?.at ?? archive.length;
  const known = heads.some((head) => head.date === date);
  const text = known ? withoutHeading(day, date) : withHeading(day, date, project);
  const [first, second] = [archive.slice(0, next).trimEnd(), archive.slice(next)];
  return [first, text.trim(), second].filter(Boolean).join('\n\n').trimEnd() + '\n';
}

function startsWithHeading(day: string, date: string): boolean {
  return parseDayHeading(day.trimStart().split('\n', 1)[0] ?? '') === date;
}

function withHeading(day: string, date: string, project: string): string {
  return startsWithHeading(day, date) ? day : `${renderDayHeading(date, project)}\n\n${day.trimStart()}`;
}

function withoutHeading(day: string, date: string): string {
  return startsWithHeading(day, date) ? day.trimStart().replace(/^[^\n]*\n?/, '') : day;
}
