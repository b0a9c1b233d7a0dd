/** One memory with everything known about it: its place, its history, its files and its injections. Only reads. */
import { given, revisionOf, TidemarkError, type Memory, type Session } from '../../core/index.ts';
import type { Injection, MemoryIndex } from '../../database/index.ts';
import { entryCost } from '../context/render.ts';
import type { Signals } from '../ranking/signals.ts';
import { titleOfSession } from './session-title.ts';
import type { Moment } from './why.ts';

/** Injections listed; the rest is counted. */
const MOST_RECALLS = 100;
/** A longer chain is an error in the journal (two that replace each other). */
const LONGEST_CHAIN = 50;

export type MemoryRef = Pick<Memory, 'id' | 'kind' | 'title' | 'state' | 'at'>;

export function memoryDetail(index: MemoryIndex, id: string, signals: Signals) {
  const entry = index.memoryEntry(id) ?? index.memoryEntry(index.merged(id)?.into ?? '');
  if (!entry)
    throw new TidemarkError('not-found', `no memory ${id}`, {
      hint: 'It may have been forgotten. Try the search.',
    });
  const { memory } = entry;
  const { provenance, project } = memory;
  const session = index.session(provenance.session);
  const resolvedBy = memory.resolvedBy === undefined ? undefined : index.memory(memory.resolvedBy);
  return {
    ...entry,
    revision: revisionOf(memory),
    projectName: index.project(project)?.name ?? project,
    tokens: entryCost(memory),
    session: session ? sessionRef(index, session) : null,
    hasTranscript: index.turn(provenance.turn)?.location !== undefined,
    neighbours: {
      before: refOrNull(index.memoriesBy({ project, limit: 1, after: memory })[0]),
      after: refOrNull(index.memoriesBy({ project, limit: 1, after: memory, order: 'oldest' })[0]),
    },
    chain: chainOf(index, memory),
    resolvedBy: refOrNull(resolvedBy),
    merged: index.mergedInto(memory.id).map(({ memory: one }) => refOf(one)),
    files: filesOf(index, memory, signals),
    branch: signals.branch(memory),
    recalls: index.injectionsOf(memory.id, MOST_RECALLS).map((one) => recallOf(index, one)),
    recalledTimes: index.timesInjected(memory.id),
    actions: ['edit', 'settle', 'supersede', 'move', 'forget'] as const,
  };
}

/** The memories that one is linked to, for people. */
export interface Relations {
  /** The memories before and after it in the same session. */
  readonly neighbours: { readonly before: MemoryRef | null; readonly after: MemoryRef | null };
  readonly replacedBy: MemoryRef | null;
  readonly resolvedBy: MemoryRef | null;
  readonly replaces: readonly MemoryRef[];
}

export function relationsOf(index: MemoryIndex, memory: Memory): Relations {
  const { session } = memory.provenance;
  const beside = (order: 'newest' | 'oldest'): MemoryRef | null =>
    session === '' ? null : refOrNull(index.memoriesBy({ session, limit: 1, after: memory, order })[0]);
  const named = (id: string | undefined): MemoryRef | null =>
    id === undefined ? null : refOrNull(index.memory(id));
  return {
    neighbours: { before: beside('newest'), after: beside('oldest') },
    replacedBy: named(memory.supersededBy),
    resolvedBy: named(memory.resolvedBy),
    replaces: (memory.supersedes ?? []).flatMap((id) => named(id) ?? []),
  };
}

/** All memories that replaced each other, oldest first, including this one. */
function chainOf(index: MemoryIndex, memory: Memory): readonly MemoryRef[] {
  const found = new Map([[memory.id, memory]]);
  const open = [memory];
  for (let one = open.pop(); one && found.size < LONGEST_CHAIN; one = open.pop()) {
    for (const id of [...(one.supersedes ?? []), ...(one.supersededBy ? [one.supersededBy] : [])]) {
      const other = found.has(id) ? undefined : index.memory(id);
      if (!other || found.has(other.id)) continue;
      found.set(other.id, other);
      open.push(other);
    }
  }
  return [...found.values()].toSorted((a, b) => a.at.localeCompare(b.at)).map(refOf);
}

/** `unknown` for a file that is too large to read, or in a missing folder. */
function filesOf(index: MemoryIndex, memory: Memory, signals: Signals) {
  const { known, changes } = signals.files(memory);
  const fileSnapshots = index.fileSnapshotsOf(memory);
  const noted = memory.files.filter((path) => fileSnapshots.some(({ files }) => files[path] !== undefined));
  const isSure = known === noted.length;
  return memory.files.map((path) => {
    const change = changes.find(({ file }) => file === path);
    const state = change?.how ?? (isSure && noted.includes(path) ? 'same' : 'unknown');
    return { path, state, ...given({ changedAt: change?.at }) } as const;
  });
}

function recallOf(index: MemoryIndex, { at, session, place, memory, score }: Injection) {
  const known = index.session(session);
  const title = known && titleOfSession(index, known);
  const where = place as Moment['where']; // from a record of the ledger
  return {
    at,
    session,
    where,
    score: score ?? 1,
    opened: index.isOpened(memory, session),
    ...given({ sessionTitle: title }),
  };
}

function sessionRef(index: MemoryIndex, session: Session) {
  const { id, startedAt, status } = session;
  return { id, startedAt, status, ...given({ title: titleOfSession(index, session) }) };
}

function refOrNull(memory: Memory | undefined): MemoryRef | null {
  return memory ? refOf(memory) : null;
}

function refOf({ id, kind, title, state, at }: Memory): MemoryRef {
  return { id, kind, title, state, at };
}
