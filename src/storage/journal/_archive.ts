/** Old days into the archives of their months. The archive is written before the day is taken away; nothing is ever in neither. */
import { archiveDay, type Folded } from './_archive-text.ts';
import { contextOf, type JournalFiles } from './_journal-files.ts';
import { monthPath } from './folders.ts';
import type { ArchiveReport, JournalFile } from './types.ts';

/** Days before that date which fold into the archives of their months. */
export function daysBefore(files: JournalFiles, date: string): readonly JournalFile[] {
  // Files of others in a journal that nobody else writes to came from a team: no one else will fold them.
  const foldsAll = files.options.machine === undefined;
  return files.list().filter((file) => !file.archive && file.date < date && (foldsAll || files.isOwn(file)));
}

/** Folds those days; one that cannot be folded stays, with its reason. */
export async function archiveDays(files: JournalFiles, date: string): Promise<ArchiveReport> {
  files.catalogue.refresh();
  const months = new Set<string>();
  const skipped: { file: string; reason: string }[] = [];
  let [days, entries] = [0, 0];
  for (const file of daysBefore(files, date)) {
    const folded = await foldInto(files, file);
    if (!folded.ok) skipped.push({ file: file.path, reason: folded.reason });
    else {
      days++;
      entries += folded.entries;
      months.add(monthPath(file));
    }
  }
  return { days, entries, months: [...months], skipped };
}

async function foldInto(files: JournalFiles, file: JournalFile): Promise<Folded> {
  const month = files.file(monthPath(file));
  const day = files.text(file.path) ?? '';
  const outcome: { folded: Folded } = { folded: { ok: false, reason: 'not looked at' } };
  const { before } = await files.change(month, (text) => {
    const folded = archiveDay(text, contextOf(month), day, contextOf(file));
    outcome.folded = folded;
    return folded.ok ? folded.text : text;
  });
  const { folded } = outcome;
  if (!folded.ok) return folded;
  let edited = false;
  await files.change(file, (text) => {
    edited = text !== null && text !== day;
    return edited ? text : null;
  });
  if (!edited) return folded;
  // Somebody wrote to the day meanwhile: it is folded another time, as it is then.
  const { text: written } = folded;
  await files.change(month, (text) => (text === written ? before : text));
  return { ok: false, reason: 'somebody is writing to it' };
}
