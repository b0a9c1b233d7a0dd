/**
 * Forgets memories: hidden at once, erased from every file after a day, or at once on request. A tombstone without text
 * (id, turn, hash) stays, so that no import, rescan or rebuild restores the memory. The client's own transcripts and git
 * history are not changed.
 */
import { PERSONAL_PROJECT, TidemarkError, type Memory, type Places } from '../core/index.ts';
import { indexedTurn, turnHash } from '../database/index.ts';
import { isLater } from '../storage/journal/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { addMemories, linkedTo, reconcileAgain } from './add-memories.ts';
import { textHash } from './compare/statement.ts';
import { eraseFromSnapshots, recordsOf } from './erase-copies.ts';
import { noMemory } from './find-by-id.ts';
import { allForgotten, eraseForgotten, findForgotten, putForgotten, type Forgotten } from './forgotten.ts';
import { rewriteSession } from './sessions/rewrite-session.ts';
import { headOf } from './sessions/session-head.ts';
import type { Stores } from './stores.ts';
import { relocate } from './trim-turns.ts';

/** The time in which a forgotten memory can be restored. */
export const UNDO_MS = 24 * 60 * 60 * 1000;

type Tombstone = Extract<LedgerRecord, { kind: 'tombstone' }>;

export interface ForgetOptions {
  readonly at: Date;
  /** Erases the text at once; it cannot be restored. */
  readonly erase?: boolean;
  /** The user named these memories: `undo` restores them. */
  readonly byUser?: boolean;
  /** Another machine that shares the journal forgot it: its tombstone is already in the journal. */
  readonly received?: boolean;
}

export async function forgetMemories(
  stores: Stores,
  places: Places,
  ids: readonly string[],
  { at, erase = false, byUser = false, received = false }: ForgetOptions,
): Promise<readonly string[]> {
  const found = ids.map((id) => describe(stores, id, at));
  const memories = found.flatMap(allOf);
  const gone = new Set(memories.map(({ id }) => id));
  const links = found.flatMap(({ memory }) =>
    linkedTo(stores, memory.id).map((id) => ({ id, project: memory.project })),
  );
  if (!erase) for (const one of found) await putForgotten(places, byUser ? { ...one, byUser } : one);
  await putTombstones(stores, memories, at, 'hidden', received);
  await hide(stores, found);
  if (erase) await eraseText(stores, places, found, received);
  for (const [project, some] of Map.groupBy(links, (link) => link.project)) {
    const left = some.map(({ id }) => id).filter((id) => !gone.has(id));
    await reconcileAgain(stores, project, left);
  }
  stores.index.checkpoint();
  return found.map(({ memory }) => memory.id);
}

/** Restores memories that were forgotten less than a day ago. */
export async function unforget(
  stores: Stores,
  places: Places,
  ids: readonly string[],
  at: Date,
  received = false,
): Promise<readonly string[]> {
  const found: Forgotten[] = [];
  for (const id of ids) {
    const one = await findForgotten(places, id);
    if (!one)
      throw new TidemarkError('not-found', `no forgotten memory ${id} can be restored`, {
        hint: 'List what can be restored with: tidemark forget --list',
      });
    found.push(one);
  }
  for (const { memory, merged, hand, turns } of found) {
    await putTombstones(stores, [memory, ...merged], at, 'lifted', received);
    await restoreTurns(stores, turns);
    const sessions = new Set(turns.map(({ session }) => session));
    for (const session of sessions) await rewriteSession(stores, session);
    const head = await headOf(stores, memory.provenance.session);
    await addMemories(stores, [memory, ...merged], head ? [head] : [], { again: true });
    if (hand?.edited) await stores.journal.update(memory.id, {});
    if (hand?.held) await stores.journal.setState(memory.id, memory);
    await eraseForgotten(places, memory.id);
  }
  return found.map(({ memory }) => memory.id);
}

/** Finishes what a crash interrupted, and erases what was forgotten a day ago. */
export async function sweepForgotten(stores: Stores, places: Places, now: Date): Promise<number> {
  const hidden = stores.index.tombstones('hidden');
  if (hidden.length === 0) return 0;
  await stores.journal.remove(hidden.map(({ memory }) => memory));
  const due = hidden.filter(({ at }) => now.getTime() - Date.parse(at) >= UNDO_MS);
  if (due.length === 0) return 0;
  const ids = new Set(due.map(({ memory }) => memory));
  const files = (await allForgotten(places)).filter(({ memory }) => ids.has(memory.id));
  await eraseText(stores, places, files);
  // Without a file, the tombstone still says what to erase.
  const erased = new Set(files.flatMap(allOf).map(({ id }) => id));
  const others = due.filter(({ memory }) => !erased.has(memory));
  await eraseFromSnapshots(places, {
    memories: others.map(({ memory }) => memory),
    turns: others.map(({ turn }) => turn),
    sessions: [],
  });
  for (const tombstone of others) {
    for (const { id: project } of stores.index.projects())
      await relocate(stores, (await stores.turns.erase(project, [tombstone.turn])).files);
    await record(stores, [{ kind: 'tombstone', ...tombstone, state: 'erased' }]);
  }
  stores.index.checkpoint();
  return due.length;
}

/** Returns the memory together with those merged into it. */
function allOf({ memory, merged }: Pick<Forgotten, 'memory' | 'merged'>): readonly Memory[] {
  return [memory, ...merged];
}

function describe(stores: Stores, id: string, at: Date): Forgotten {
  const memory = stores.index.memory(id);
  if (!memory) throw noMemory(stores.index, id);
  const merged = stores.index.mergedInto(memory.id).map((one) => one.memory);
  const hand = stores.journal.userChanges([memory.id]).get(memory.id);
  const turns = [...new Set([memory, ...merged].map(({ provenance }) => provenance.turn))].flatMap((turn) => {
    const stored = stores.index.turn(turn);
    return stored ? [{ id: stored.id, project: stored.project, session: stored.session }] : [];
  });
  return { at: at.toISOString(), memory, merged, turns, ...(hand ? { hand } : {}) };
}

/** Writes tombstones into the ledger, the index and, unless they came from there, the shared journal. */
async function putTombstones(
  stores: Stores,
  memories: readonly Memory[],
  at: Date,
  state: Tombstone['state'],
  received: boolean,
): Promise<void> {
  const tombstones = memories.map((memory) => ({
    kind: 'tombstone' as const,
    at: at.toISOString(),
    memory: memory.id,
    turn: memory.provenance.turn,
    hash: textHash(memory),
    state,
    // A memory about the user belongs to every project.
    ...(memory.project === PERSONAL_PROJECT ? {} : { project: memory.project }),
  }));
  await record(stores, tombstones);
  if (received) return;
  for (const [project, some] of Map.groupBy(memories, (memory) => memory.project)) {
    const ids = new Set(some.map(({ id }) => id));
    await stores.journal.shareTombstones(
      project,
      tombstones.filter(({ memory }) => ids.has(memory)),
    );
  }
}

/**
 * Erases what is left here of a memory without an entry that its team has forgotten for good: merged into another memory,
 * replaced in a conflict, or hidden and still possible to restore. The user's own text stays as it is.
 */
export async function eraseLeftovers(
  stores: Stores,
  places: Places,
  tombstone: Omit<Tombstone, 'kind' | 'state'>,
): Promise<void> {
  const { index, ledger } = stores;
  const { memory: id } = tombstone;
  const hidden = await findForgotten(places, id);
  const known =
    hidden?.memory.id === id
      ? hidden.memory
      : (index.merged(id)?.memory ?? index.waiting().find((one) => one.id === id));
  const isOwn = known !== undefined && known.author === undefined;
  if (hidden && known && !isOwn) await eraseText(stores, places, [hidden], true);
  index.removeConflicts([id]);
  if (!isOwn) index.removeChanges([id]);
  const erased = { memories: [id], turns: [], sessions: [] };
  if (isOwn) await ledger.erase((one) => one.kind === 'conflict' && one.memory === id);
  else {
    index.removeMerged([id]);
    await ledger.erase(recordsOf(erased));
    await eraseFromSnapshots(places, erased);
    await record(stores, [{ kind: 'tombstone', ...tombstone, state: 'erased' }]);
  }
  index.checkpoint();
}

/**
 * Forgets or restores what was forgotten or restored on another machine that shares the journal. A list of tombstones
 * applies only to its own project, and not to times after tomorrow, because clocks differ. Returns the number of changes.
 */
export async function takeInTombstones(stores: Stores, places: Places, now: Date): Promise<number> {
  let changes = 0;
  const received = [...stores.journal.sharedTombstones()].flatMap(([project, some]) =>
    some.map((tombstone) => ({ project, tombstone })),
  );
  for (const { project, tombstone } of received) {
    const { memory, state } = tombstone;
    const known = stores.index.tombstone(memory);
    if (known ? !isLater(tombstone, known) : state === 'lifted') continue;
    // Each machine erases what it has hidden by itself, a day after it was forgotten.
    if (known?.state === 'hidden' && state === 'erased') continue;
    if (Date.parse(tombstone.at) > now.getTime() + UNDO_MS) continue;
    const stored = stores.index.memory(memory);
    if ((stored?.project ?? project) !== project) continue;
    changes++;
    const at = new Date(tombstone.at);
    const canRestore = state === 'lifted' && known?.state === 'hidden';
    if (canRestore && (await findForgotten(places, memory))) {
      await unforget(stores, places, [memory], at, true);
    } else if (state !== 'lifted' && stored?.id === memory) {
      await forgetMemories(stores, places, [memory], { at, erase: state === 'erased', received: true });
    } else {
      await record(stores, [{ kind: 'tombstone', ...tombstone, project }]);
      if (state !== 'lifted') await stores.journal.remove([memory]);
    }
  }
  return changes;
}

async function record(stores: Stores, tombstones: readonly Tombstone[]): Promise<void> {
  await stores.ledger.append(tombstones);
  for (const tombstone of tombstones) stores.index.setTombstone(tombstone);
}

/** Removes memories from search, recall and summaries. The turn store still has the turns. */
async function hide(stores: Stores, found: readonly Forgotten[]): Promise<void> {
  const { index, journal, ledger } = stores;
  const memories = found.flatMap(allOf).map(({ id }) => id);
  const turns = found.flatMap((one) => one.turns.map(({ id }) => id));
  // A memory imported from another tool may have no turn here, but its session has a summary of that tool.
  const withoutTurn = found
    .filter((one) => one.turns.length === 0 && one.memory.provenance.session !== '')
    .map(({ memory }) => memory);
  const sessions = new Set([
    ...found.flatMap((one) => one.turns.map(({ session }) => session)),
    ...withoutTurn.map(({ provenance }) => provenance.session),
  ]);
  const prompts = turns.map((id) => index.turn(id)?.prompt ?? '');
  const forgotten = [...prompts, ...withoutTurn.map(({ title }) => title)].join('\n');
  await journal.remove(memories);
  index.removeMemories(memories);
  index.removeMerged(memories);
  index.removeConflicts(memories);
  index.removeChanges(memories);
  index.removeTurns(turns);
  index.removeFileSnapshots(turns);
  await ledger.erase(recordsOf({ memories, turns, sessions: [...sessions] }));
  for (const session of sessions) await rewriteSession(stores, session, forgotten);
}

async function eraseText(
  stores: Stores,
  places: Places,
  found: readonly Forgotten[],
  received = false,
): Promise<void> {
  const turns = found.flatMap((one) => one.turns);
  for (const [project, some] of Map.groupBy(turns, (turn) => turn.project)) {
    const ids = some.map(({ id }) => id);
    await relocate(stores, (await stores.turns.erase(project, ids)).files);
  }
  await eraseFromSnapshots(places, {
    memories: found.flatMap(allOf).map(({ id }) => id),
    turns: turns.map(({ id }) => id),
    sessions: turns.map(({ session }) => session),
  });
  for (const { at, memory, merged } of found) {
    await eraseForgotten(places, memory.id);
    await putTombstones(stores, [memory, ...merged], new Date(at), 'erased', received);
  }
}

async function restoreTurns(stores: Stores, turns: Forgotten['turns']): Promise<void> {
  const wanted = new Set(turns.map(({ id }) => id));
  for (const project of new Set(turns.map((turn) => turn.project))) {
    for await (const { turn, location } of stores.turns.scan({ project })) {
      if (!wanted.has(turn.id)) continue;
      stores.index.upsertTurns([indexedTurn(turn, location, turnHash(turn))]);
    }
  }
}
