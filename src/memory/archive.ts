/** Moves old days of the journal into the archive of their month. Their entries are searched as before. */
import type { ArchiveReport } from '../storage/journal/index.ts';
import { syncJournal } from './journal-sync.ts';
import type { Stores } from './stores.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface ArchiveArgs {
  /** Days older than this are archived; 0 archives none. */
  readonly days: number;
  readonly dryRun?: boolean;
}

export async function archiveDays(
  stores: Stores,
  { days, dryRun = false }: ArchiveArgs,
  now: Date,
): Promise<ArchiveReport> {
  if (days === 0) return { days: 0, entries: 0, months: [], skipped: [] };
  const before = new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10);
  if (dryRun) return wouldArchive(stores, before);
  const report = await stores.journal.archive(before);
  if (report.days > 0) await syncJournal(stores);
  return report;
}

function wouldArchive({ journal }: Stores, before: string): ArchiveReport {
  const files = journal.daysBefore(before);
  return {
    days: files.length,
    entries: files.reduce((sum, { path }) => sum + journal.read(path).entries.length, 0),
    months: [...new Set(files.map(({ project, date }) => `${project} ${date.slice(0, 7)}`))],
    skipped: [],
  };
}
