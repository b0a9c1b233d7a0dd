/**
 * Adds memories to the journal and reconciles them with the existing ones: repetitions are counted, contradicted
 * memories superseded, fixed issues resolved. One change at a time; repeating one changes nothing.
 */
import {
  firstState,
  AGENT_MAKER,
  MAX_FILES,
  memoryId,
  namedFiles,
  PERSONAL_PROJECT,
  type Memory,
  type MemoryDraft,
  type StoredTurn,
} from '../core/index.ts';
import type { MergedMemory } from '../database/index.ts';
import { Mutex } from '../files/index.ts';
import { tidyMemory, type SessionHead } from '../storage/journal/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { CHANGED_WITHIN, gather, isRetired, type Gathered } from './_gather.ts';
import { reconcile, type Reconciled } from './compare/reconcile.ts';
import { textHash } from './compare/statement.ts';
import { headOf } from './sessions/session-head.ts';
import type { Stores } from './stores.ts';

type MergedRecord = Extract<LedgerRecord, { kind: 'merged' }>;

export interface AddOptions {
  /** Adds memories although they were forgotten or deleted before, because the user asked for it. */
  readonly again?: boolean;
}

/** Returns the memories that are entries now, with their states. */
export async function addMemories(
  stores: Stores,
  drafted: readonly Memory[],
  heads: readonly SessionHead[],
  options: AddOptions = {},
): Promise<readonly Memory[]> {
  return oneAtATime(stores, async () => {
    const memories = drafted.map(tidyMemory).filter((memory) => options.again || isWanted(stores, memory));
    const retired = memories.filter(
      (memory) => memory.state === 'superseded' && isReplacedInTurn(stores, memory, memories),
    );
    const projects = [...Map.groupBy(memories, ({ project }) => project)].map(([project, all]) => ({
      project,
      fresh: all.filter((memory) => !retired.includes(memory)),
      links: all.flatMap(({ id }) => linkedTo(stores, id)),
    }));
    await writeEntries(stores, retired, heads);
    const entries: Memory[] = [];
    for (const { project, fresh, links } of projects) {
      const ids = [...fresh.map(({ id }) => id), ...links];
      entries.push(...(await reconcileProject(stores, project, ids, fresh, heads)));
    }
    // The heads again: a session whose only entry was merged into another keeps its heading.
    await writeEntries(stores, [], heads);
    return entries;
  });
}

/** Reconciles entries again after they were changed or removed by other means than distilling. */
export function reconcileAgain(
  stores: Stores,
  project: string,
  ids: readonly string[],
): Promise<readonly Memory[]> {
  return oneAtATime(stores, () => reconcileProject(stores, project, ids));
}

/** Merges the others into the target because the user says so, whatever their words are. */
export function mergeForUser(
  stores: Stores,
  target: Memory,
  others: readonly Memory[],
): Promise<readonly Memory[]> {
  return oneAtATime(stores, async () => {
    const links = others.flatMap(({ id }) => linkedTo(stores, id));
    const all = others.flatMap((memory) => [
      memory,
      ...stores.index.mergedInto(memory.id).map((one) => one.memory),
    ]);
    const records = all.map((memory) => mergedRecord(memory, target.id, 'person'));
    await stores.ledger.append(records);
    const ids = others.map(({ id }) => id);
    await removeEntries(stores, ids);
    for (const record of records) applyMerged(stores.index, record);
    return reconcileProject(stores, target.project, [target.id, ...links.filter((id) => !ids.includes(id))]);
  });
}

/** Undoes a merge of the user. Memories whose words say the same stay merged. */
export function unmergeForUser(stores: Stores, merged: readonly MergedMemory[]): Promise<readonly Memory[]> {
  return oneAtATime(stores, async () => {
    await undoMerge(stores, merged, 'person');
    const entries: Memory[] = [];
    for (const [project, some] of Map.groupBy(merged, ({ memory }) => memory.project)) {
      const memories = some.map(({ memory }) => memory);
      const ids = [...memories.map(({ id }) => id), ...new Set(some.map(({ into }) => into))];
      const heads = await headsOf(stores, memories, []);
      entries.push(...(await reconcileProject(stores, project, ids, memories, heads)));
    }
    return entries;
  });
}

/** Stops counting merged memories that a better distiller of their turn does not repeat. */
export function dropMerged(stores: Stores, merged: readonly MergedMemory[]): Promise<void> {
  return oneAtATime(stores, async () => {
    if (merged.length === 0) return;
    await undoMerge(stores, merged, 'words');
    for (const [project, some] of Map.groupBy(merged, ({ memory }) => memory.project))
      await reconcileProject(stores, project, [...new Set(some.map(({ into }) => into))]);
  });
}

/** Records in the ledger and the index that these memories are merged into nothing. */
async function undoMerge(
  stores: Stores,
  merged: readonly MergedMemory[],
  by: MergedRecord['by'],
): Promise<void> {
  const records = merged.map(({ memory }) => mergedRecord(memory, '', by));
  await stores.ledger.append(records);
  for (const record of records) applyMerged(stores.index, record);
}

/** Returns the ids of memories linked to an entry, to be reconciled again when the entry is gone. */
export function linkedTo(stores: Stores, id: string): readonly string[] {
  const memory = stores.index.memory(id) ?? stores.index.merged(id)?.memory;
  if (!memory) return [];
  const found = gather(stores, memory.project, new Map(), [id]);
  return [...found].flatMap(([other, { distance }]) => (other !== id && distance <= 1 ? [other] : []));
}

/** Writes entries into the journal, then into the index with the place and the text they have in the journal. */
export async function writeEntries(
  stores: Stores,
  drafted: readonly Memory[],
  heads: readonly SessionHead[],
): Promise<void> {
  if (drafted.length + heads.length === 0) return;
  const memories = drafted.map(tidyMemory); // as the journal reads them back
  const { places, files, edited, skipped } = await stores.journal.put(memories, heads);
  const hands = stores.journal.userChanges(memories.map(({ id }) => id));
  const placeOf = new Map(places.map((place) => [place.id, place]));
  stores.index.upsertMemories(
    memories.flatMap((memory) => {
      const place = placeOf.get(memory.id);
      if (!place || skipped.includes(memory.id)) return [];
      const byUser = edited.includes(memory.id) || hands.get(memory.id)?.held;
      const stored = byUser ? stores.journal.find(memory.id)?.memory : undefined;
      return [{ memory: stored ?? memory, journal: place.path, line: place.line }];
    }),
  );
  for (const file of files) stores.index.setJournalFile(file);
}

/** Reconciles the memories of these ids and everything related to them; `fresh` are not stored yet. */
async function reconcileProject(
  stores: Stores,
  project: string,
  ids: readonly string[],
  fresh: readonly Memory[] = [],
  heads: readonly SessionHead[] = [],
): Promise<readonly Memory[]> {
  const isFresh = new Set(fresh.map(({ id }) => id));
  const gathered = gather(stores, project, new Map(fresh.map((memory) => [memory.id, memory])), ids);
  const changed = reconcile([...gathered.values()].map(({ source }) => source))
    .filter((one) => isNear(one, gathered))
    .map((one) => ({ ...one, memory: withOtherLinks(stores, one.memory, gathered, fresh) }));
  const entries = changed
    .map(({ memory }) => memory)
    .filter((memory) => isFresh.has(memory.id) || differs(stores, memory));
  const records = changed.flatMap((one) => newMergedRecords(stores, one));
  const mergedAway = records
    .filter(({ into, memory }) => into !== '' && isEntry(stores, memory.id))
    .map(({ memory }) => memory.id);
  // The ledger must have a merged memory before its entry is removed.
  if (records.length > 0) await stores.ledger.append(records);
  await writeEntries(stores, entries, [...heads, ...(await headsOf(stores, entries, heads))]);
  await removeEntries(stores, mergedAway);
  for (const record of records) applyMerged(stores.index, record);
  return changed.map(({ memory }) => memory).filter(({ id }) => isFresh.has(id));
}

async function removeEntries(stores: Stores, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await stores.journal.remove(ids);
  stores.index.removeMemories(ids);
}

function isEntry({ index }: Stores, id: string): boolean {
  return index.memory(id)?.id === id;
}

/** Returns the heads of sessions that new entries need. An entry that was merged until now may need one. */
async function headsOf(
  stores: Stores,
  entries: readonly Memory[],
  known: readonly SessionHead[],
): Promise<readonly SessionHead[]> {
  const added = entries.filter(({ id }) => !isEntry(stores, id));
  const sessions = new Set(added.map(({ provenance }) => provenance.session));
  for (const { id } of known) sessions.delete(id);
  sessions.delete('');
  const heads = await Promise.all([...sessions].map((session) => headOf(stores, session)));
  return heads.filter((head) => head !== undefined);
}

/** Applies a record of the ledger to the index. One with an empty `into` undoes an earlier one. */
export function applyMerged(index: Stores['index'], record: MergedRecord): void {
  if (record.into === '') return index.removeMerged([record.memory.id]);
  index.putMerged(record);
}

/** Returns the records that the ledger does not have yet. */
function newMergedRecords(stores: Stores, { memory, merged }: Reconciled): readonly MergedRecord[] {
  const undo = stores.index.merged(memory.id) ? [mergedRecord(memory, '', 'words')] : [];
  const added = merged.flatMap((one) => {
    const known = stores.index.merged(one.id);
    const record = mergedRecord(one, memory.id, known?.by ?? 'words');
    const isKnown = known?.into === memory.id && textHash(known.memory) === textHash(one);
    return isKnown && !isEntry(stores, one.id) ? [] : [record];
  });
  return [...undo, ...added];
}

/** Records a memory as it was distilled, without links and counts: those are computed again. */
function mergedRecord(memory: Memory, into: string, by: MergedRecord['by']): MergedRecord {
  const { supersedes: _, supersededBy: __, resolvedBy, seen: ___, ...bare } = memory;
  const { also: ____, ...provenance } = memory.provenance;
  const wasOpen = memory.kind === 'issue' && (resolvedBy !== undefined || memory.state === 'superseded');
  const state = wasOpen ? 'open' : memory.state === 'superseded' ? 'current' : memory.state;
  return { kind: 'merged', at: memory.at, memory: { ...bare, state, provenance }, into, by };
}

function isNear({ memory, merged }: Reconciled, gathered: ReadonlyMap<string, Gathered>): boolean {
  return [memory, ...merged].some(({ id }) => (gathered.get(id)?.distance ?? Infinity) <= CHANGED_WITHIN);
}

/** Keeps links to memories that were not compared: of a turn distilled again, or of another project. */
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

function differs({ index }: Stores, memory: Memory): boolean {
  const before = index.memory(memory.id);
  if (before?.id !== memory.id) return true;
  const computed = ({ state, supersededBy, resolvedBy, seen, supersedes, provenance }: Memory) =>
    JSON.stringify([state, supersededBy, resolvedBy, seen, supersedes, provenance.also]);
  return computed(before) !== computed(memory);
}

/** Tells whether a better distiller replaced it by a memory of the same turn, in this batch or before. */
function isReplacedInTurn(stores: Stores, memory: Memory, batch: readonly Memory[]): boolean {
  if (isRetired(stores, memory)) return true;
  const successor = batch.find(({ id }) => id === memory.supersededBy);
  return successor?.provenance.turn === memory.provenance.turn;
}

/** Tells whether a memory may be added: it was not forgotten, and the user did not delete it from the journal. */
export function isWanted(stores: Stores, memory: Memory): boolean {
  const { index } = stores;
  if (index.isForgotten(memory.id) || index.isForgottenTurn(memory.provenance.turn)) return false;
  // A memory about the user could come from any project.
  const scope = memory.project === PERSONAL_PROJECT ? undefined : memory.project;
  if (index.isForgottenContent(textHash(memory), memory.at, scope)) return false;
  if (!index.wasMade(memory.id) || isEntry(stores, memory.id)) return true;
  const merged = index.merged(memory.id);
  return merged !== undefined && isEntry(stores, merged.into);
}

const changes = new WeakMap<object, Mutex>();

/** Runs changes of a journal one after the other: two at once would not see each other's memories. */
function oneAtATime<T>({ journal }: Stores, work: () => Promise<T>): Promise<T> {
  const mutex = changes.get(journal) ?? new Mutex();
  changes.set(journal, mutex);
  return mutex.run(work);
}

/**
 * Turns the drafts of a distiller into memories of their turn. The same turn, kind and ordinal give the same id. A draft
 * that names a function gets the file of the turn that defines it.
 */
export function memoriesOf(
  drafts: readonly MemoryDraft[],
  turn: StoredTurn,
  by: string,
  root?: string,
): readonly Memory[] {
  return drafts.map((draft, position) =>
    toMemory(withNamedFiles(draft, turn, root), turn, ordinalOf(drafts, position), by),
  );
}

function withNamedFiles(draft: MemoryDraft, turn: StoredTurn, root: string | undefined): MemoryDraft {
  const { title, body, reason = '', facts } = draft;
  // A memory about the user is not about the files of one project.
  if (draft.personal) return draft;
  const named = namedFiles([title, body, reason, ...facts].join('\n'), turn, root);
  if (named.length === 0) return draft;
  return { ...draft, files: [...new Set([...named, ...draft.files])].slice(0, MAX_FILES) };
}

function ordinalOf(drafts: readonly MemoryDraft[], position: number): number {
  const kind = drafts[position]?.kind;
  return drafts.slice(0, position).filter((draft) => draft.kind === kind).length;
}

function toMemory(draft: MemoryDraft, turn: StoredTurn, ordinal: number, by: string): Memory {
  const messages = [turn.messages[0], turn.messages.at(-1)].filter((uuid) => uuid !== undefined);
  const { personal, quote: _, ...rest } = draft;
  return {
    ...rest,
    id: memoryId(turn.startedAt, by === AGENT_MAKER ? `note ${turn.id}` : turn.id, draft.kind, ordinal),
    project: personal ? PERSONAL_PROJECT : turn.project,
    at: turn.startedAt,
    state: draft.state ?? firstState(draft.kind),
    provenance: {
      agent: turn.agent,
      session: turn.session,
      turn: turn.id,
      messages: [...new Set(messages)],
      by,
    },
    ...(turn.branch ? { branch: turn.branch } : {}),
  };
}
