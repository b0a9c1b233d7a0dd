/**
 * Distills stored turns of one session in their order: first the notes of the agent, then what the distiller finds. A turn
 * that had not ended the first time is distilled again; what was made of it before is replaced under the same ids.
 */
import { addedDrafts, given, type Memory, type Operation, type StoredTurn } from '../core/index.ts';
import {
  distillable,
  hasNotes,
  isNoted,
  notedIn,
  relatedMemories,
  storeNotes,
  UNFINISHED,
  type Distiller,
} from '../distill/index.ts';
import {
  applyOperations,
  memoriesOf,
  queueOrStore,
  sessionTurnBefore,
  withEnds,
  type Stores,
} from '../memory/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { applyRecord } from './apply-record.ts';
import { filesOf, fileSnapshotOf, snapshotSourceOf } from './git/file-snapshot.ts';

const DISTILL_TIMEOUT_MS = 60_000;

/** A turn and the memories made of it, by the agent and by the distiller. */
interface DistilledTurn {
  readonly turn: StoredTurn;
  readonly memories: readonly Memory[];
}

/** Returns the memories that are entries now. */
export async function distillTurns(
  stores: Stores,
  distiller: Distiller,
  turns: readonly StoredTurn[],
  root: string | undefined,
): Promise<readonly Memory[]> {
  const entries: Memory[] = [];
  for (const { turns: run, again } of runsOf(stores, turns)) {
    if (hasNotes(run[0])) entries.push(...(await storeNotes(stores, run[0], root)));
    const { stored, made } = again
      ? await distillAgain(stores, distiller, run[0], root)
      : await distillRun(stores, distiller, run, root);
    entries.push(...stored);
    const now = new Date();
    await record(
      stores,
      made.flatMap((one) => recordsOf(distiller, one, root, now)),
    );
  }
  return entries;
}

/** Stores the notes of an answer that arrived after its turn was distilled. */
export async function storeLateNotes(
  stores: Stores,
  turn: StoredTurn,
  root: string | undefined,
): Promise<readonly Memory[]> {
  const by = stores.index.distilledBy(turn.id);
  if (by === undefined || !hasNotes(turn)) return [];
  const noted = await storeNotes(stores, turn, root);
  if (noted.length > 0) await record(stores, [mark(turn, by, noted)]);
  return noted;
}

/** Marks turns that go on after they were taken for interrupted: they are distilled again. */
export function markUnfinished(stores: Stores, turns: readonly StoredTurn[]): Promise<void> {
  const marks = turns.map((turn) => mark(turn, UNFINISHED));
  return record(stores, marks);
}

interface Run {
  readonly turns: [StoredTurn, ...StoredTurn[]];
  readonly again: boolean;
}

/**
 * Turns whose memories are written together. A turn with notes begins a run, because a note may end a memory of a turn
 * before; a turn that is distilled again is a run of its own.
 */
function runsOf({ index }: Stores, turns: readonly StoredTurn[]): readonly Run[] {
  const runs: Run[] = [];
  for (const turn of turns) {
    const again = index.distilledBy(turn.id) === UNFINISHED;
    const last = runs.at(-1);
    if (last && !last.again && !again && !hasNotes(turn)) last.turns.push(turn);
    else runs.push({ turns: [turn], again });
  }
  return runs;
}

interface DistilledRun {
  /** Memories that are entries now. */
  readonly stored: readonly Memory[];
  readonly made: readonly DistilledTurn[];
}

async function distillRun(
  stores: Stores,
  distiller: Distiller,
  turns: readonly StoredTurn[],
  root: string | undefined,
): Promise<DistilledRun> {
  const made: DistilledTurn[] = [];
  /** New memories, and stored ones that a turn of this run ended. Written at the end. */
  let added: readonly Memory[] = [];
  const ended = new Map<string, Memory>();
  for (const [i, turn] of turns.entries()) {
    const related = (stored: readonly Memory[]): readonly Memory[] => [
      ...added.filter((memory) => memory.ended === undefined),
      ...stored.filter(({ id }) => !ended.has(id)),
    ];
    const previous = turns.slice(0, i).findLast(({ origin }) => origin === 'person');
    const operations = await read(stores, distiller, turn, { related, ...given({ root, previous }) });
    const notes = notedIn(stores, turn.id);
    const drafted = memoriesOf(addedDrafts(operations), turn, distiller.name, root);
    const memories = drafted.filter((memory) => isNew(stores, memory, turn, notes));
    const ends = withEnds(stores, added, turn, operations, distiller.name);
    for (const memory of ends.stored) ended.set(memory.id, memory);
    added = [...ends.pending, ...memories];
    made.push({ turn, memories: [...notes, ...memories] });
  }
  const last = turns.at(-1);
  const all = [...added, ...ended.values()];
  return { made, stored: last && all.length > 0 ? await queueOrStore(stores, all, last, root) : [] };
}

async function distillAgain(
  stores: Stores,
  distiller: Distiller,
  turn: StoredTurn,
  root: string | undefined,
): Promise<DistilledRun> {
  const operations = await read(stores, distiller, turn, given({ root }));
  const notes = notedIn(stores, turn.id);
  const isWanted = (memory: Memory): boolean => isNew(stores, memory, turn, notes);
  const memories = await applyOperations(stores, turn, operations, distiller.name, root, isWanted);
  const stored = memories.filter(({ id }) => stores.index.memory(id)?.id === id);
  return { made: [{ turn, memories: [...notes, ...memories] }], stored };
}

/** Whether no note of the agent says it. */
function isNew(stores: Stores, memory: Memory, turn: StoredTurn, notes: readonly Memory[]): boolean {
  return !stores.takesNotes() || !isNoted(memory, turn, notes);
}

interface ReadOptions {
  readonly root?: string;
  /** The user's turn before it, if the caller has it. */
  readonly previous?: StoredTurn;
  /** Completes the related memories with changes that are not stored yet. */
  readonly related?: (stored: readonly Memory[]) => readonly Memory[];
}

/** Has the distiller read a turn. */
async function read(
  stores: Stores,
  distiller: Distiller,
  turn: StoredTurn,
  { root, previous: known, related = (stored) => stored }: ReadOptions,
): Promise<readonly Operation[]> {
  const previous = known ?? (await sessionTurnBefore(stores, turn));
  const input = {
    turn: distillable(turn),
    // A getter, because it costs a query and the rules rarely need it.
    get related() {
      return related(relatedMemories(stores.index, turn, previous, root));
    },
    ...given({ previous, root }),
  };
  const { operations } = await distiller.distill(input, AbortSignal.timeout(DISTILL_TIMEOUT_MS));
  return operations;
}

/** Returns what the ledger records: the files that the turn ended on, and the mark that it is distilled. */
function recordsOf(
  { name }: Distiller,
  { turn, memories }: DistilledTurn,
  root: string | undefined,
  now: Date,
): readonly LedgerRecord[] {
  const footing = fileSnapshotOf(snapshotSourceOf(turn), filesOf(turn, memories, root), root, now);
  const isOpen = turn.outcome === 'open';
  return [
    ...(footing ? [{ kind: 'footing' as const, ...footing }] : []),
    mark(turn, isOpen ? UNFINISHED : name, memories),
  ];
}

function mark({ id: turn, endedAt: at }: StoredTurn, by: string, made: readonly Memory[] = []): LedgerRecord {
  return { kind: 'distilled', at, turn, by, memories: made.map(({ id }) => id) };
}

async function record({ ledger, index }: Stores, records: readonly LedgerRecord[]): Promise<void> {
  if (records.length === 0) return;
  await ledger.append(records);
  index.transaction(() => {
    for (const one of records) applyRecord(index, one);
  });
}
