/**
 * Forgetting: out of sight at once, out of every file after a day, or at once where that is asked. A tombstone without
 * text stays (id, turn, hash), so that no import, rescan or rebuild brings it back. The client's own transcripts and git
 * history are out of reach.
 */
import { TidemarkError, type Memory, type Places } from '../core/index.ts';
import { indexedTurn, turnHash } from '../database/index.ts';
import { isLater } from '../storage/journal/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { addMemories, linkedTo, reconcileAgain } from './add-memories.ts';
import { textHash } from './compare/statement.ts';
import { eraseFromSnapshots, speaksOf } from './erase-copies.ts';
import { noMemory } from './find-by-id.ts';
import { allForgotten, eraseForgotten, findForgotten, keepForgotten, type Forgotten } from './forgotten.ts';
import { rewriteSession } from './sessions/rewrite-session.ts';
import { headOf } from './sessions/session-head.ts';
import type { Stores } from './stores.ts';
import { relocate } from './trim-turns.ts';

/** How long a forgotten memory can be brought back. */
export const UNDO_MS = 24 * 60 * 60 * 1000;

type Tombstone = Extract<LedgerRecord, { kind: 'tombstone' }>;

export interface ForgetOptions {
  readonly at: Date;
  /** Erase the text at once; there is no way back. */
  readonly erase?: boolean;
  /** Another machine that shares the journal has said so: it is not said again. */
  readonly heard?: boolean;
}

export async function forgetMemories(
  stores: Stores,
  places: Places,
  ids: readonly string[],
  { at, erase = false, heard = false }: ForgetOptions,
): Promise<readonly string[]> {
  const found = ids.map((id) => describe(stores, id, at));
  const memories = found.flatMap(({ memory, merged }) => [memory, ...merged]);
  const links = found.flatMap(({ memory }) =>
    linkedTo(stores, memory.id).map((id) => ({ id, project: memory.project })),
  );
  if (!erase) for (const one of found) await keepForgotten(places, one);
  await bury(stores, memories, at, 'hidden', heard);
  await hide(stores, found);
  if (erase) await eraseText(stores, places, found, heard);
  const gone = new Set(memories.map(({ id }) => id));
  for (const [project, some] of Map.groupBy(links, (link) => link.project)) {
    await reconcileAgain(
      stores,
      project,
      some.map(({ id }) => id).filter((id) => !gone.has(id)),
    );
  }
  for (const { memory } of found) stores.pages.touch(memory.project);
  await stores.pages.flush();
  stores.index.checkpoint();
  return found.map(({ memory }) => memory.id);
}

/** Brings back what was forgotten less than a day ago. */
export async function unforget(
  stores: Stores,
  places: Places,
  ids: readonly string[],
  at: Date,
  heard = false,
): Promise<readonly string[]> {
  const found: Forgotten[] = [];
  for (const id of ids) {
    const one = await findForgotten(places, id);
    if (!one)
      throw new TidemarkError('not-found', `nothing forgotten as ${id} can be brought back`, {
        hint: 'Forgotten memories can be brought back for 24 hours, unless they were forgotten with --now.',
      });
    found.push(one);
  }
  for (const { memory, merged, hand, turns } of found) {
    await bury(stores, [memory, ...merged], at, 'lifted', heard);
    await bringTurns(stores, turns);
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

/** Ends what a crash cut short, and erases what was forgotten a day ago. */
export async function sweepForgotten(stores: Stores, places: Places, now: Date): Promise<number> {
  const hidden = stores.index.tombstones('hidden');
  if (hidden.length === 0) return 0;
  await stores.journal.remove(hidden.map(({ memory }) => memory));
  const due = new Set(
    hidden.filter(({ at }) => now.getTime() - Date.parse(at) >= UNDO_MS).map(({ memory }) => memory),
  );
  const files = (await allForgotten(places)).filter(({ memory }) => due.has(memory.id));
  if (due.size === 0) return 0;
  await eraseText(stores, places, files);
  // Where the file is gone, what the tombstones know still has to go.
  const rest = hidden.filter(
    ({ memory }) => due.has(memory) && !files.some((file) => file.memory.id === memory),
  );
  const told = new Set(files.flatMap(({ merged }) => merged.map(({ id }) => id)));
  const others = rest.filter(({ memory }) => !told.has(memory));
  await eraseFromSnapshots(places, {
    memories: others.map(({ memory }) => memory),
    turns: others.map(({ turn }) => turn),
    sessions: [],
  });
  for (const tombstone of others) {
    for (const { id: project } of stores.index.projects())
      await relocate(stores, (await stores.turns.erase(project, [tombstone.turn])).files);
    await note(stores, [{ kind: 'tombstone', ...tombstone, state: 'erased' }]);
  }
  stores.index.checkpoint();
  return due.size;
}

function describe(stores: Stores, id: string, at: Date): Forgotten {
  const memory = stores.index.memory(id);
  if (!memory) throw noMemory(stores.index, id);
  const merged = stores.index.mergedInto(memory.id).map((one) => one.memory);
  const hand = stores.journal.hands([memory.id]).get(memory.id);
  const turns = [...new Set([memory, ...merged].map(({ provenance }) => provenance.turn))].flatMap((turn) => {
    const kept = stores.index.turn(turn);
    return kept ? [{ id: kept.id, project: kept.project, session: kept.session }] : [];
  });
  return { at: at.toISOString(), memory, merged, turns, ...(hand ? { hand } : {}) };
}

async function bury(
  stores: Stores,
  memories: readonly Memory[],
  at: Date,
  state: Tombstone['state'],
  heard: boolean,
): Promise<void> {
  const tombstones = memories.map((memory) => ({
    kind: 'tombstone' as const,
    at: at.toISOString(),
    memory: memory.id,
    turn: memory.provenance.turn,
    hash: textHash(memory),
    state,
  }));
  await note(stores, tombstones);
  if (heard) return;
  for (const [project, some] of Map.groupBy(memories, (memory) => memory.project)) {
    const ids = new Set(some.map(({ id }) => id));
    await stores.journal.bury(
      project,
      tombstones.filter(({ memory }) => ids.has(memory)),
    );
  }
}

/**
 * What was forgotten, or brought back, on another machine that shares the journal. A list counts for the project it is
 * of, and only until tomorrow: clocks differ, but not by more. Gives how many words were news.
 */
export async function hearForgotten(stores: Stores, places: Places, now: Date): Promise<number> {
  let heard = 0;
  const words = [...stores.journal.buried()].flatMap(([project, some]) =>
    some.map((word) => ({ project, word })),
  );
  for (const { project, word } of words) {
    const known = stores.index.tombstone(word.memory);
    if (known ? !isLater(word, known) : word.state === 'lifted') continue;
    // Each machine erases by itself what it has hidden, a day after it was forgotten.
    if (known?.state === 'hidden' && word.state === 'erased') continue;
    if (Date.parse(word.at) > now.getTime() + UNDO_MS) continue;
    if ((stores.index.memory(word.memory)?.project ?? project) !== project) continue;
    heard++;
    const at = new Date(word.at);
    if (word.state === 'lifted') {
      if (known?.state === 'hidden' && (await findForgotten(places, word.memory)))
        await unforget(stores, places, [word.memory], at, true);
      else await note(stores, [{ kind: 'tombstone', ...word }]);
    } else if (stores.index.memory(word.memory)?.id === word.memory) {
      await forgetMemories(stores, places, [word.memory], {
        at,
        erase: word.state === 'erased',
        heard: true,
      });
    } else {
      await note(stores, [{ kind: 'tombstone', ...word }]);
      await stores.journal.remove([word.memory]);
    }
  }
  return heard;
}

async function note(stores: Stores, tombstones: readonly Tombstone[]): Promise<void> {
  await stores.ledger.append(tombstones);
  for (const tombstone of tombstones) stores.index.setTombstone(tombstone);
}

/** Nothing of it is found, recalled or summarised from here on; the turn itself still lies in the turn store. */
async function hide(stores: Stores, found: readonly Forgotten[]): Promise<void> {
  const ids = found.flatMap(({ memory, merged }) => [memory, ...merged].map(({ id }) => id));
  const turns = found.flatMap((one) => one.turns);
  // What came from another tool may have no turn here; its session was summed up by that tool all the same.
  const loose = found.filter((one) => one.turns.length === 0 && one.memory.provenance.session !== '');
  const sessions = [
    ...new Set([
      ...turns.map(({ session }) => session),
      ...loose.map(({ memory }) => memory.provenance.session),
    ]),
  ];
  const told = [
    await wordsOf(
      stores,
      turns.map(({ id }) => id),
    ),
    ...loose.map(({ memory }) => memory.title),
  ].join('\n');
  await stores.journal.remove(ids);
  stores.index.removeMemories(ids);
  stores.index.removeMerged(ids);
  stores.index.removeTurns(turns.map(({ id }) => id));
  stores.index.removeFileSnapshots(turns.map(({ id }) => id));
  await stores.ledger.erase(speaksOf({ memories: ids, turns: turns.map(({ id }) => id), sessions }));
  for (const session of sessions) await rewriteSession(stores, session, told);
}

async function eraseText(
  stores: Stores,
  places: Places,
  found: readonly Forgotten[],
  heard = false,
): Promise<void> {
  const turns = found.flatMap((one) => one.turns);
  for (const [project, some] of Map.groupBy(turns, (turn) => turn.project)) {
    const { files } = await stores.turns.erase(
      project,
      some.map(({ id }) => id),
    );
    await relocate(stores, files);
  }
  await eraseFromSnapshots(places, {
    memories: found.flatMap(({ memory, merged }) => [memory, ...merged].map(({ id }) => id)),
    turns: turns.map(({ id }) => id),
    sessions: turns.map(({ session }) => session),
  });
  for (const { at, memory, merged } of found) {
    await eraseForgotten(places, memory.id);
    await bury(stores, [memory, ...merged], new Date(at), 'erased', heard);
  }
}

async function wordsOf(stores: Stores, turns: readonly string[]): Promise<string> {
  return turns.map((id) => stores.index.turn(id)?.prompt ?? '').join('\n');
}

async function bringTurns(stores: Stores, turns: Forgotten['turns']): Promise<void> {
  const wanted = new Set(turns.map(({ id }) => id));
  for (const project of new Set(turns.map((turn) => turn.project))) {
    for await (const { turn, location } of stores.turns.scan({ project })) {
      if (wanted.has(turn.id)) stores.index.upsertTurns([indexedTurn(turn, location, turnHash(turn))]);
    }
  }
}
