/** Collects the state of the stores for `doctor`. Reads everything, so it is slow. */
import type { Places } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { REBUILT } from '../../memory/index.ts';
import { Journal, type JournalProblem } from '../../storage/journal/index.ts';

/** How much two correct clocks may differ. */
const CLOCK_SLACK_MS = 2 * 60_000;

export interface Health {
  readonly memories: number;
  readonly turns: number;
  readonly journalFiles: number;
  readonly journalProblems: readonly JournalProblem[];
  /** Entries by the user that have no id yet. */
  readonly withoutId: number;
  /** Turns dated later than now: the clock was wrong when they were captured, or is wrong now. */
  readonly futureTurns: number;
  readonly indexProblems: readonly string[];
  readonly redacted: Readonly<Record<string, number>>;
  /** When the index was last rebuilt automatically, and why. */
  readonly rebuilt: { readonly at: string; readonly why: string } | null;
}

export async function health(places: Pick<Places, 'journal'>, index: MemoryIndex): Promise<Health> {
  const journal = new Journal(places.journal);
  const journalProblems: JournalProblem[] = [];
  const files = await journal.files();
  let withoutId = 0;
  for (const { path } of files) {
    const { entries, problems } = await journal.read(path);
    journalProblems.push(...problems);
    withoutId += entries.filter(({ derived }) => derived).length;
  }
  journalProblems.push(...journal.sharedProblems());
  const { memories, turns } = index.stats();
  return {
    memories,
    turns,
    journalFiles: files.length,
    journalProblems,
    withoutId,
    futureTurns: index.turnsSince(new Date(Date.now() + CLOCK_SLACK_MS).toISOString()),
    indexProblems: index.problems(),
    redacted: index.redactions(),
    rebuilt: JSON.parse(index.meta(REBUILT) ?? 'null') as Health['rebuilt'],
  };
}
