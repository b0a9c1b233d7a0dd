/**
 * Moves old days into the archives of their months, byte for byte. The archive is written before the day is deleted. A day
 * that would read differently afterwards stays where it is.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JournalFiles } from './_journal-files.ts';
import { contextOf, monthPath } from './folders.ts';
import { removeFrom } from './format/change.ts';
import { parseDayHeading, renderDayHeading } from './format/heading.ts';
import { parseDay } from './format/parse.ts';
import { scanText } from './format/scan.ts';
import { mergeDays } from './merge/days.ts';
import type { ArchiveReport, DayContext, JournalFile, ParsedDay } from './types.ts';

type Archived =
  | { readonly ok: true; readonly text: string; readonly entries: number }
  | { readonly ok: false; readonly reason: string };

/** Returns the days before that date that this machine archives. */
export function daysBefore(files: JournalFiles, date: string): readonly JournalFile[] {
  // In a journal that is not shared, files of other machines came from a team: no other machine archives them.
  const archivesAll = files.options.machine === undefined;
  return files
    .list()
    .filter((file) => !file.archive && file.date < date && (archivesAll || files.isOwn(file)));
}

/** Archives those days. A day that cannot be archived stays and is reported with the reason. */
export async function archiveDays(files: JournalFiles, date: string): Promise<ArchiveReport> {
  files.catalogue.refresh();
  const months = new Set<string>();
  const skipped: { file: string; reason: string }[] = [];
  let [days, entries] = [0, 0];
  for (const file of daysBefore(files, date)) {
    const archived = await archiveDay(files, file);
    if (!archived.ok) skipped.push({ file: file.path, reason: archived.reason });
    else {
      days++;
      entries += archived.entries;
      months.add(monthPath(file));
    }
  }
  return { days, entries, months: [...months], skipped };
}

async function archiveDay(files: JournalFiles, file: JournalFile): Promise<Archived> {
  const month = files.file(monthPath(file));
  const day = files.text(file.path) ?? '';
  const outcome: { archived: Archived } = { archived: { ok: false, reason: 'not read' } };
  const { before } = await files.change(month, (text) => {
    const archived = addToArchive(text, contextOf(month), day, contextOf(file));
    outcome.archived = archived;
    return archived.ok ? archived.text : text;
  });
  const { archived } = outcome;
  if (!archived.ok) return archived;
  let edited = false;
  await files.change(file, (text) => {
    edited = text !== null && text !== day;
    return edited ? text : null;
  });
  if (!edited) return archived;
  // The user wrote to the day meanwhile: it is archived at a later run.
  const { text: written } = archived;
  await files.change(month, (text) => (text === written ? before : text));
  return { ok: false, reason: 'it is being edited' };
}

function addToArchive(
  archive: string | null,
  archiveContext: DayContext,
  day: string,
  dayContext: DayContext,
): Archived {
  const before = parseDay(day, dayContext);
  const [problem] = before.problems;
  if (problem) return { ok: false, reason: `line ${problem.line}: ${problem.reason}` };

  // A crash between writing the archive and deleting the day leaves both: entries in the archive are not added again.
  if (archive?.includes(withoutHeading(day, dayContext.date).trim()))
    return { ok: true, text: archive, entries: before.entries.length };
  const archived = parseDay(archive ?? '', archiveContext);
  const present = new Set(
    before.entries.filter((entry) => contains(archived, entry)).map(({ memory }) => memory.id),
  );
  const rest = present.size === 0 ? day : removeFrom(day, present, dayContext);
  // The day came back with other texts, as after a git merge: the two are merged entry by entry.
  const known = new Set(archived.entries.map(({ memory }) => memory.id));
  if (before.entries.some(({ memory }) => known.has(memory.id) && !present.has(memory.id)))
    return merged(archive ?? '', archiveContext, rest ?? '', dayContext, before.entries.length);
  const text = rest === null ? archive : insertDay(archive ?? '', rest, dayContext);
  const after = parseDay(text ?? '', archiveContext);
  const lost = before.entries.find((entry) => !contains(after, entry));
  if (lost) return { ok: false, reason: `entry ${lost.memory.id} would read differently in the archive` };
  if (after.entries.length !== archived.entries.length + before.entries.length - present.size)
    return { ok: false, reason: 'the archive would read differently' };
  return { ok: true, text: text ?? '', entries: before.entries.length };
}

function merged(
  archive: string,
  archiveContext: DayContext,
  day: string,
  { date, project }: DayContext,
  entries: number,
): Archived {
  const text = mergeDays(null, archive, withHeading(day, date, project), archiveContext);
  if (text === undefined) return { ok: false, reason: 'it cannot be merged with its archive' };
  return { ok: true, text, entries };
}

function contains({ entries }: ParsedDay, { memory }: ParsedDay['entries'][number]): boolean {
  return entries.some((other) => isDeepStrictEqual(other.memory, memory));
}

/** Inserts a day in order; entries of a day that is already in the archive are added at its end. */
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
