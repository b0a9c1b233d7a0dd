/**
 * Turns a turn into memories: redacted, stored in the turn store, distilled, written to the journal, indexed. A turn is
 * distilled once, and again if it had not ended the first time. Each step is durable before the next and can be repeated,
 * so processing it again recovers from a crash anywhere.
 */
import { addedDrafts, given, type Memory, type StoredTurn, type ToolCall, type Turn } from '../core/index.ts';
import { indexedTurn, turnHash, type IndexedTurn } from '../database/index.ts';
import {
  distillable,
  hasNotes,
  isNoted,
  isUnfinished,
  notedIn,
  relatedMemories,
  storeNotes,
  UNFINISHED,
  type Distiller,
} from '../distill/index.ts';
import {
  applyOperations,
  logTurns,
  memoriesOf,
  queueOrStore,
  sessionTurnBefore,
  withEnds,
  type Stores,
} from '../memory/index.ts';
import { redactTurn } from '../privacy/index.ts';
import { echoes } from '../recall/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { storePendingNotes } from './agent-notes.ts';
import { filesOf, fileSnapshotOf, snapshotSourceOf } from './git/file-snapshot.ts';

const DISTILL_TIMEOUT_MS = 60_000;
const MAX_PER_TURN = 100;

export interface StoredResult {
  readonly turn: StoredTurn;
  readonly memories: readonly Memory[];
  readonly isNew: boolean;
  readonly redactions: Readonly<Record<string, number>>;
}

export interface StoreTurnOptions {
  readonly project: string;
  /** The project's folder on this machine: files are named relative to it. */
  readonly root?: string;
}

export async function storeTurn(
  stores: Stores,
  distiller: Distiller,
  raw: Turn,
  options: StoreTurnOptions,
): Promise<StoredResult> {
  const [stored] = await storeTurns(stores, distiller, [raw], options);
  if (!stored) throw new Error('storeTurns returned nothing for one turn');
  return stored;
}

/** Stores turns of one session with one wait for the disk. The result is the same as one by one. */
export async function storeTurns(
  stores: Stores,
  distiller: Distiller,
  raws: readonly Turn[],
  options: StoreTurnOptions,
): Promise<readonly StoredResult[]> {
  const checked = raws.map((raw) => check(stores, raw, options.project));
  const changed = checked.filter(({ changes }) => changes);
  await reopen(stores, changed);
  const locations = changed.length > 0 ? await stores.turns.put(changed.map(({ turn }) => turn)) : [];
  stores.index.upsertTurns(
    changed.map(({ turn, hash }, i) => {
      const location = locations[i];
      if (!location) throw new Error('the turn store returned no location');
      return indexedTurn(turn, location, hash);
    }),
  );
  const fresh = checked.filter((one) => one.accepted && needsDistilling(stores, one));
  const memories: Memory[] = [];
  for (const { turn } of checked.filter(({ accepted, changes }) => accepted && changes))
    if (turn.tools.length > 0) memories.push(...(await storePendingNotes(stores, turn)));
  // A note may end a memory of an earlier turn, so that one is stored first.
  for (const run of runsFrom(
    fresh.map(({ turn }) => turn),
    hasNotes,
  )) {
    const [first] = run;
    const noted = first && hasNotes(first) ? await storeNotes(stores, first, options.root) : [];
    memories.push(...noted, ...(await distillTurns(stores, distiller, run, options.root)));
  }
  // The answer of a turn may arrive after the turn was distilled.
  const grown = checked.filter(
    (one) => one.accepted && one.changes && !one.isNew && !fresh.includes(one) && hasNotes(one.turn),
  );
  for (const { turn } of grown) memories.push(...(await storeLateNotes(stores, turn, options.root)));
  const updated = changed.filter((one) => one.accepted && !fresh.includes(one)).map(({ turn }) => turn);
  await logTurns(stores, updated, { again: true, ...given({ root: options.root }) });
  return checked.map(({ turn, isNew, counts }) => ({
    turn,
    isNew,
    memories: memories.filter(({ provenance }) => provenance.turn === turn.id),
    redactions: isNew ? counts : {},
  }));
}

interface Checked {
  readonly turn: StoredTurn;
  readonly hash: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Stored for the first time. */
  readonly isNew: boolean;
  /** Differs from the stored turn. */
  readonly changes: boolean;
  /** The turn as it was stored before. */
  readonly known?: IndexedTurn;
  /** Neither forgotten nor a turn of another session. */
  readonly accepted: boolean;
}

function check(stores: Stores, raw: Turn, project: string): Checked {
  const { turn: redacted, counts } = redactTurn(raw);
  const turn: StoredTurn = { ...redacted, project };
  const hash = turnHash(turn);
  const known = stores.index.turn(turn.id);
  // A fork copies the history into a new session: the turn stays with the session it happened in.
  const elsewhere = known !== undefined && known.session !== turn.session;
  if (elsewhere || stores.index.isForgottenTurn(turn.id))
    return { turn, hash, counts: {}, isNew: false, changes: false, accepted: false };
  const isNew = known === undefined;
  return { turn, hash, counts, isNew, changes: known?.hash !== hash, accepted: true, ...given({ known }) };
}

function needsDistilling(stores: Stores, { turn, changes }: Checked): boolean {
  const by = stores.index.distilledBy(turn.id);
  if (by === undefined) return true;
  return by === UNFINISHED && (turn.outcome !== 'open' || changes);
}

/** A turn that was taken for interrupted and goes on is distilled again. Recorded before the turn is replaced. */
async function reopen(stores: Stores, changed: readonly Checked[]): Promise<void> {
  const again = changed.filter(({ turn, known }) => known?.outcome === 'interrupted' && !isUnfinished(turn));
  if (again.length === 0) return;
  const by = UNFINISHED;
  await stores.ledger.append(
    again.map(({ turn }) => ({ kind: 'distilled', at: turn.endedAt, turn: turn.id, by, memories: [] })),
  );
  for (const { turn } of again) stores.index.markDistilled(turn.id, by, []);
}

/** The mark of a distilled turn; an open turn is distilled again when it has ended. */
function makerOf({ outcome }: StoredTurn, { name }: Distiller): string {
  return outcome === 'open' ? UNFINISHED : name;
}

/** Splits a list before each item that begins a run. */
function runsFrom<T>(items: readonly T[], begins: (item: T) => boolean): readonly (readonly T[])[] {
  const runs: T[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last && !begins(item)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}

async function storeLateNotes(
  stores: Stores,
  turn: StoredTurn,
  root: string | undefined,
): Promise<readonly Memory[]> {
  const noted = await storeNotes(stores, turn, root);
  const by = stores.index.distilledBy(turn.id);
  if (noted.length === 0 || by === undefined) return noted;
  const others = stores.index.memoriesBy({ turn: turn.id, limit: MAX_PER_TURN });
  const memories = [...new Set([...others, ...noted].map(({ id }) => id))];
  await stores.ledger.append({ kind: 'distilled', at: turn.endedAt, turn: turn.id, by, memories });
  stores.index.markDistilled(turn.id, by, memories);
  return noted;
}

/** The tool `remember` of our MCP server, in every agent's spelling. */
function isNoteTool({ name }: ToolCall): boolean {
  return /tidemark.*remember$/.test(name);
}

async function distillTurns(
  stores: Stores,
  distiller: Distiller,
  turns: readonly StoredTurn[],
  root: string | undefined,
): Promise<readonly Memory[]> {
  const last = turns.at(-1);
  if (!last) return [];
  const made: {
    readonly turn: StoredTurn;
    readonly memories: readonly Memory[];
    readonly notes: readonly Memory[];
  }[] = [];
  const again = turns.filter(({ id }) => stores.index.distilledBy(id) === UNFINISHED);
  const entries: Memory[] = [];
  let pending: readonly Memory[] = [];
  const ended: Memory[] = [];
  const storePending = async (): Promise<void> => {
    const all = [...pending, ...ended.splice(0)];
    pending = [];
    if (all.length > 0) entries.push(...(await queueOrStore(stores, all, last, root)));
  };
  for (const [i, turn] of turns.entries()) {
    const previous = turns[i - 1] ?? (await sessionTurnBefore(stores, turn));
    const input = {
      turn: distillable(turn),
      // A getter, because it costs a query per turn.
      get related() {
        return [...pending, ...relatedMemories(stores.index, turn, previous, root)];
      },
      ...given({ previous, root }),
    };
    const { operations } = await distiller.distill(input, AbortSignal.timeout(DISTILL_TIMEOUT_MS));
    const notes = hasNotes(turn) || turn.tools.some(isNoteTool) ? notedIn(stores, turn.id) : [];
    const drafted = memoriesOf(addedDrafts(operations), turn, distiller.name);
    const memories = drafted.filter((memory) => !stores.takesNotes() || !isNoted(memory, turn, notes));
    if (again.includes(turn)) {
      // Replaces what was made of the turn before it ended, under the same ids.
      await storePending();
      const adds = operations.filter(({ op }) => op === 'add');
      const ops = operations.filter((one) => {
        const memory = drafted[adds.indexOf(one)];
        return memory === undefined || memories.includes(memory);
      });
      const applied = await applyOperations(stores, turn, ops, distiller.name, root);
      entries.push(...applied.filter(({ id }) => stores.index.memory(id)?.id === id));
      made.push({ turn, memories: applied, notes });
      continue;
    }
    const ends = withEnds(stores, pending, turn, operations, distiller.name);
    pending = [...ends.pending, ...memories];
    ended.push(...ends.stored);
    made.push({ turn, memories, notes });
  }
  await storePending();
  const first = turns.filter((turn) => !again.includes(turn));
  await logTurns(stores, first, given({ root }));
  await logTurns(stores, again, { again: true, ...given({ root }) });
  const now = new Date();
  const done = made.map(({ turn, memories, notes }) => ({
    turn,
    footing: fileSnapshotOf(snapshotSourceOf(turn), filesOf(turn, [...notes, ...memories], root), root, now),
    uses: turn.outcome === 'open' ? [] : echoes(stores.index, turn),
    memories: [...notes, ...memories].map(({ id }) => id),
  }));
  await stores.ledger.append(
    done.flatMap(({ turn, footing, uses, memories }): readonly LedgerRecord[] => [
      ...(footing ? [{ kind: 'footing' as const, ...footing }] : []),
      ...uses.map((use) => ({ kind: 'used' as const, ...use })),
      { kind: 'distilled', at: turn.endedAt, turn: turn.id, by: makerOf(turn, distiller), memories },
    ]),
  );
  stores.index.transaction(() => {
    for (const { turn, footing, uses, memories } of done) {
      if (footing) stores.index.putFileSnapshot(footing);
      stores.index.recordUse(uses);
      stores.index.markDistilled(turn.id, makerOf(turn, distiller), memories);
    }
  });
  return entries;
}
