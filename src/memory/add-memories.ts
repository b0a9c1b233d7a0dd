/**
 * Memories into the journal, folded with what is there: what was said before is counted, what was taken back is
 * superseded, what was fixed is resolved. One fold at a time; repeating one changes nothing.
 */
import type { Memory } from '../core/index.ts';
import type { MergedMemory } from '../database/index.ts';
import { tidyMemory, type SessionHead } from '../storage/journal/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { CHANGED_WITHIN, gather, isRetired, type Gathered } from './_gather.ts';
import { reconcile, type Folded } from './compare/reconcile.ts';
import { textHash } from './compare/statement.ts';
import { headOf } from './sessions/session-head.ts';
import type { Stores } from './stores.ts';

type MergedRecord = Extract<LedgerRecord, { kind: 'merged' }>;

export interface AddOptions {
  /** What is put back after it was forgotten or taken away: a person asked for it. */
  readonly again?: boolean;
}

/** What became of the memories: those that stand as entries, with the state they got. */
export async function addMemories(
  stores: Stores,
  drafted: readonly Memory[],
  heads: readonly SessionHead[],
  options: AddOptions = {},
): Promise<readonly Memory[]> {
  return alone(stores, async () => {
    const memories = drafted.map(tidyMemory);
    const wanted = memories.filter((memory) => options.again || isWanted(stores, memory));
    const retired = wanted.filter(
      (memory) => memory.state === 'superseded' && isOfOneTurn(stores, memory, wanted),
    );
    const byProject = Map.groupBy(wanted, ({ project }) => project);
    const links = new Map(
      [...byProject].map(([project, all]) => [project, all.flatMap(({ id }) => linkedTo(stores, id))]),
    );
    await writeEntries(stores, retired, heads);
    const entries: Memory[] = [];
    for (const [project, all] of byProject) {
      const fresh = all.filter((memory) => !retired.includes(memory));
      const seeds = [...fresh.map(({ id }) => id), ...(links.get(project) ?? [])];
      entries.push(...(await foldProject(stores, project, fresh, seeds, heads)));
    }
    // Once more: an entry that was merged away may have been all that stood under its session's heading.
    await writeEntries(stores, [], heads);
    return entries;
  });
}

/** After entries changed or went by another way than distilling: what they had to do with is looked at again. */
export function reconcileAgain(
  stores: Stores,
  project: string,
  ids: readonly string[],
): Promise<readonly Memory[]> {
  return alone(stores, () => foldProject(stores, project, [], ids, []));
}

/** A person's word: the others say what this one says, whatever their words are. */
export function mergeForUser(
  stores: Stores,
  kept: Memory,
  others: readonly Memory[],
): Promise<readonly Memory[]> {
  return alone(stores, async () => {
    const links = others.flatMap(({ id }) => linkedTo(stores, id));
    const all = others.flatMap((memory) => [
      memory,
      ...stores.index.mergedInto(memory.id).map((one) => one.memory),
    ]);
    const records = all.map((memory): MergedRecord => ({
      kind: 'merged',
      at: memory.at,
      memory: bareOf(memory),
      into: kept.id,
      by: 'person',
    }));
    await stores.ledger.append(records);
    const ids = others.map(({ id }) => id);
    await stores.journal.remove(ids);
    stores.index.removeMemories(ids);
    for (const record of records) applyMerged(stores.index, record);
    return foldProject(stores, kept.project, [], [kept.id, ...links.filter((id) => !ids.includes(id))], []);
  });
}

/** A person takes such a word back: what was merged stands for itself again, unless its words say the same. */
export function unmergeForUser(stores: Stores, merged: readonly MergedMemory[]): Promise<readonly Memory[]> {
  return alone(stores, async () => {
    await takeBack(stores, merged, 'person');
    const entries: Memory[] = [];
    for (const [project, some] of Map.groupBy(merged, ({ memory }) => memory.project)) {
      const memories = some.map(({ memory }) => memory);
      const seeds = [...memories.map(({ id }) => id), ...new Set(some.map(({ into }) => into))];
      const heads = await headsOf(stores, memories, []);
      entries.push(...(await foldProject(stores, project, memories, seeds, heads)));
    }
    return entries;
  });
}

/** What a better distiller of the turn does not say is not counted any more. */
export function dropMerged(stores: Stores, merged: readonly MergedMemory[]): Promise<void> {
  return alone(stores, async () => {
    if (merged.length === 0) return;
    await takeBack(stores, merged, 'words');
    for (const [project, some] of Map.groupBy(merged, ({ memory }) => memory.project)) {
      const entries = [...new Set(some.map(({ into }) => into))];
      await foldProject(stores, project, [], entries, []);
    }
  });
}

/** Merged into nothing: each stands for itself, as far as the ledger and the index know. */
async function takeBack(
  stores: Stores,
  merged: readonly MergedMemory[],
  by: MergedRecord['by'],
): Promise<void> {
  const records = merged.map(({ memory }): MergedRecord => ({
    kind: 'merged',
    at: memory.at,
    memory: bareOf(memory),
    into: '',
    by,
  }));
  await stores.ledger.append(records);
  for (const record of records) applyMerged(stores.index, record);
}

/** Everything that has something to do with an entry, to be folded again once the entry is gone. */
export function linkedTo(stores: Stores, id: string): readonly string[] {
  const memory = stores.index.memory(id) ?? stores.index.merged(id)?.memory;
  if (!memory) return [];
  const found = gather(stores, memory.project, new Map(), [id]);
  return [...found].flatMap(([other, { distance }]) => (other !== id && distance <= 1 ? [other] : []));
}

/** Into the journal first, then into the index, with the place each entry got and the words it has there. */
export async function writeEntries(
  stores: Stores,
  drafted: readonly Memory[],
  heads: readonly SessionHead[],
): Promise<void> {
  if (drafted.length + heads.length === 0) return;
  const memories = drafted.map(tidyMemory); // as the journal reads it back, so that both always agree
  const { places, files, edited, skipped } = await stores.journal.put(memories, heads);
  const hands = stores.journal.hands(memories.map(({ id }) => id));
  const placeOf = new Map(places.map((place) => [place.id, place]));
  stores.index.upsertMemories(
    memories.flatMap((memory) => {
      const place = placeOf.get(memory.id);
      if (!place || skipped.includes(memory.id)) return [];
      const own = edited.includes(memory.id) || hands.get(memory.id)?.held;
      const there = own ? stores.journal.find(memory.id)?.memory : undefined;
      return [{ memory: there ?? memory, journal: place.path, line: place.line }];
    }),
  );
  for (const file of files) stores.index.setJournalFile(file);
}

async function foldProject(
  stores: Stores,
  project: string,
  fresh: readonly Memory[],
  seeds: readonly string[],
  heads: readonly SessionHead[],
): Promise<readonly Memory[]> {
  const gathered = gather(stores, project, new Map(fresh.map((memory) => [memory.id, memory])), seeds);
  const folded = reconcile([...gathered.values()].map(({ source }) => source));
  const changed = folded
    .filter((one) => isNear(one, gathered))
    .map((one) => ({ ...one, memory: withOtherLinks(stores, one.memory, gathered, fresh) }));
  const entries = changed.filter(({ memory }) => differs(stores, memory, fresh)).map(({ memory }) => memory);
  const records = changed.flatMap((one) => mergedRecords(stores, one));
  const gone = records.filter(
    ({ into, memory }) => into !== '' && stores.index.memory(memory.id)?.id === memory.id,
  );
  // What is merged has to be safe before its entry goes.
  if (records.length > 0) await stores.ledger.append(records);
  await writeEntries(stores, entries, [...heads, ...(await headsOf(stores, entries, heads))]);
  if (gone.length > 0) {
    await stores.journal.remove(gone.map(({ memory }) => memory.id));
    stores.index.removeMemories(gone.map(({ memory }) => memory.id));
  }
  for (const record of records) applyMerged(stores.index, record);
  if (entries.length + records.length > 0) stores.pages.touch(project);
  return changed.flatMap(({ memory }) => (fresh.some(({ id }) => id === memory.id) ? [memory] : []));
}

/** An entry that stood in another until now may need a heading that is not there yet. */
async function headsOf(
  stores: Stores,
  entries: readonly Memory[],
  known: readonly SessionHead[],
): Promise<readonly SessionHead[]> {
  const made = entries.filter(({ id }) => stores.index.memory(id)?.id !== id);
  const sessions = new Set(made.map(({ provenance }) => provenance.session));
  for (const { id } of known) sessions.delete(id);
  sessions.delete('');
  const heads = await Promise.all([...sessions].map((session) => headOf(stores, session)));
  return heads.filter((head) => head !== undefined);
}

/** What a record of the ledger means for the index; one without `into` takes an earlier one back. */
export function applyMerged(index: Stores['index'], record: MergedRecord): void {
  if (record.into === '') return index.removeMerged([record.memory.id]);
  index.putMerged(record);
}

function mergedRecords(stores: Stores, { memory, merged }: Folded): readonly MergedRecord[] {
  const back: readonly MergedRecord[] = stores.index.merged(memory.id)
    ? [{ kind: 'merged', at: memory.at, memory: bareOf(memory), into: '', by: 'words' }]
    : [];
  return [
    ...back,
    ...merged.flatMap((one): readonly MergedRecord[] => {
      const known = stores.index.merged(one.id);
      const isEntry = stores.index.memory(one.id)?.id === one.id;
      const bare = bareOf(one);
      if (!isEntry && known?.into === memory.id && textHash(known.memory) === textHash(bare)) return [];
      return [{ kind: 'merged', at: one.at, memory: bare, into: memory.id, by: known?.by ?? 'words' }];
    }),
  ];
}

/** As it was distilled: what the fold makes of it is made again. */
function bareOf(memory: Memory): Memory {
  const { supersedes: _, supersededBy: __, resolvedBy, seen: ___, ...bare } = memory;
  const { also: ____, ...provenance } = memory.provenance;
  const isOpen = memory.kind === 'issue' && (resolvedBy !== undefined || memory.state === 'superseded');
  const state = isOpen ? 'open' : memory.state === 'superseded' ? 'current' : memory.state;
  return { ...bare, state, provenance };
}

function isNear({ memory, merged }: Folded, gathered: ReadonlyMap<string, Gathered>): boolean {
  return [memory, ...merged].some(({ id }) => (gathered.get(id)?.distance ?? Infinity) <= CHANGED_WITHIN);
}

/** Links to what was not looked at (a turn distilled again, an entry of another project) stay as they are. */
function withOtherLinks(
  stores: Stores,
  memory: Memory,
  gathered: ReadonlyMap<string, Gathered>,
  fresh: readonly Memory[],
): Memory {
  const given = fresh.find(({ id }) => id === memory.id)?.supersedes ?? [];
  const before = [...given, ...(stores.index.memory(memory.id)?.supersedes ?? [])];
  const others = before.filter(
    (id) => !gathered.has(id) && stores.index.memory(id)?.supersededBy === memory.id,
  );
  const supersedes = [...new Set([...(memory.supersedes ?? []), ...others])].toSorted();
  return supersedes.length > 0 ? { ...memory, supersedes } : memory;
}

function differs(stores: Stores, memory: Memory, fresh: readonly Memory[]): boolean {
  if (fresh.some(({ id }) => id === memory.id)) return true;
  const before = stores.index.memory(memory.id);
  if (before?.id !== memory.id) return true;
  const keys = ['state', 'supersededBy', 'resolvedBy', 'seen', 'supersedes'] as const;
  return (
    keys.some((key) => JSON.stringify(before[key]) !== JSON.stringify(memory[key])) ||
    JSON.stringify(before.provenance.also) !== JSON.stringify(memory.provenance.also)
  );
}

/** Replaced by what a better distiller said of the same turn, now or before. */
function isOfOneTurn(stores: Stores, memory: Memory, batch: readonly Memory[]): boolean {
  const heir = batch.find(({ id }) => id === memory.supersededBy);
  return heir ? heir.provenance.turn === memory.provenance.turn : isRetired(stores, memory);
}

/** Not what was forgotten, nor what a person took out of the journal. */
export function isWanted({ index }: Stores, memory: Memory): boolean {
  if (index.isForgotten(memory.id) || index.isForgottenTurn(memory.provenance.turn)) return false;
  if (index.isForgottenContent(textHash(memory), memory.at)) return false;
  if (!index.wasMade(memory.id)) return true;
  const merged = index.merged(memory.id);
  return (
    index.memory(memory.id)?.id === memory.id ||
    (merged !== undefined && index.memory(merged.into)?.id === merged.into)
  );
}

const folds = new WeakMap<object, Promise<unknown>>();

/** Two folds at once would each miss what the other brings. */
function alone<T>({ journal }: Stores, work: () => Promise<T>): Promise<T> {
  const before = folds.get(journal) ?? Promise.resolve();
  const running = before.then(work);
  folds.set(
    journal,
    running.catch(() => {}),
  );
  return running;
}
