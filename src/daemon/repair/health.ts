/** Collects the state of the stores for `doctor`. Reads everything, so it is slow. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { findSample, REBUILT, type SampleFound } from '../../memory/index.ts';
import { Journal, type JournalProblem } from '../../storage/journal/index.ts';
import { TurnStore } from '../../storage/turns/index.ts';

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
  readonly turnStore: TurnStoreHealth;
  readonly redacted: Readonly<Record<string, number>>;
  /** The invented project that earlier versions stored. */
  readonly sample: SampleFound | null;
  /** When the index was last rebuilt automatically, and why. */
  readonly rebuilt: { readonly at: string; readonly why: string } | null;
}

export interface TurnStoreHealth {
  readonly bytes: number;
  /** Bytes of older months that were not read. */
  readonly unread: number;
  /** Damaged parts of the files that were read. */
  readonly damaged: number;
  /** Turns of the index whose conversation can no longer be read, newest first. */
  readonly lost: readonly { readonly id: string; readonly at: string }[];
}

export async function health(places: Pick<Places, 'journal' | 'turns'>, index: MemoryIndex): Promise<Health> {
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
    turnStore: await turnStoreHealth(places.turns, index),
    redacted: index.redactions(),
    sample: findSample(index) ?? null,
    rebuilt: JSON.parse(index.meta(REBUILT) ?? 'null') as Health['rebuilt'],
  };
}

/** Takes the index before the files: a turn that is stored meanwhile cannot look lost. */
async function turnStoreHealth(folder: string, index: MemoryIndex): Promise<TurnStoreHealth> {
  const turns = index.storedTurns();
  const store = await TurnStore.open(folder, { readOnly: true });
  const { bytes, unread, damaged } = await store.verify();
  const byFile = Map.groupBy(damaged, ({ file }) => file);
  const sizes = new Map<string, number>();
  const sizeOf = (file: string): number => {
    const size = sizes.get(file) ?? statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
    sizes.set(file, size);
    return size;
  };
  const lost = turns.filter(
    ({ location: { file, offset, length } }) =>
      offset + length > sizeOf(file) ||
      byFile.get(file)?.some((part) => part.offset < offset + length && offset < part.offset + part.length),
  );
  // A turn that was trimmed or forgotten meanwhile is not lost.
  const now = lost.filter(({ id, location }) => {
    const { file, offset } = index.turn(id)?.location ?? {};
    return file === location.file && offset === location.offset;
  });
  return { bytes, unread, damaged: damaged.length, lost: now.map(({ id, at }) => ({ id, at })) };
}
