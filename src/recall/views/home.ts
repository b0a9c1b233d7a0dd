/** The lists of the hub's first screen: learned lately, still open, changed, used today. Bounded queries; only reads. */
import { given, type Memory } from '../../core/index.ts';
import type { MemoryIndex, UserChange } from '../../database/index.ts';
import type { ZoneDays } from '../zone-days.ts';
import type { ListedMemories } from './listings.ts';
import { titleOfSession } from './session-title.ts';
import type { Moment } from './why.ts';

/** Rows of each list on the first screen. */
export const HOME_ROWS = 5;
/** Injections read for one day: more than a busy day has. */
const MOST_INJECTIONS = 2000;
/** Sessions named per memory; the rest is counted. */
const SESSIONS_NAMED = 3;

/** A change of a memory, with the text before and the memory after it. */
export interface Change {
  readonly at: string;
  readonly how: UserChange['how'];
  readonly memory: Memory;
  readonly projectName: string;
  /** The text before an edit. */
  readonly before?: NonNullable<UserChange['before']>;
  /** The memory that replaced or resolved it. */
  readonly by?: Memory;
}

/** A memory that was injected today. */
export interface UsedMemory {
  readonly memory: Memory;
  readonly projectName: string;
  /** The last time. */
  readonly at: string;
  readonly where: Moment['where'];
  readonly times: number;
  /** The newest sessions that got it. */
  readonly sessions: readonly { readonly id: string; readonly startedAt: string; readonly title?: string }[];
  readonly sessionCount: number;
  /** The agent opened it in one of them. */
  readonly isOpened: boolean;
}

/** The newest memories in force, and the newest open issues, from any store. */
export async function latestAndOpen({ list, count }: ListedMemories) {
  return {
    learned: await list({ state: 'current', limit: HOME_ROWS }),
    open: await list({ kind: 'issue', state: 'open', limit: HOME_ROWS }),
    openTotal: await count({ kind: 'issue', state: 'open' }),
  };
}

/** Newest first: what the user changed, and what later turns or memories ended. One change per memory. */
export function latestChanges(index: MemoryIndex, limit: number): readonly Change[] {
  const byUser = index.userChanges(limit).flatMap((change) => {
    const memory = index.memory(change.memory);
    return memory ? [{ ...change, memory }] : [];
  });
  const changedByUser = new Set(byUser.map(({ memory }) => memory.id));
  const automatic = index
    .endedMemories(limit)
    .filter(({ memory }) => !changedByUser.has(memory.id))
    .map(({ memory, at }) => ({
      at,
      memory,
      how: memory.state === 'resolved' ? ('resolved' as const) : ('superseded' as const),
    }));
  const newest = [...byUser, ...automatic].toSorted((a, b) => b.at.localeCompare(a.at));
  const seen = new Set<string>();
  return newest
    .filter(({ memory: { id } }) => !seen.has(id) && seen.add(id))
    .slice(0, limit)
    .map((change) => changeOf(index, change));
}

/** The memories injected since the day began, the latest first. */
export function usedToday(
  index: MemoryIndex,
  days: ZoneDays,
  now: Date,
  limit: number,
): { readonly memories: readonly UsedMemory[]; readonly total: number } {
  const since = days.startOf(days.dayOf(now.getTime()));
  const byMemory = Map.groupBy(
    index.injectionsSince(since, MOST_INJECTIONS),
    ({ memory }) => index.merged(memory)?.into ?? memory,
  );
  const ranked = [...byMemory].toSorted(([, [a]], [, [b]]) => byTimeAndScore(a, b));
  const memories: UsedMemory[] = [];
  for (const [id, injections] of ranked) {
    const memory = memories.length < limit ? index.memory(id) : undefined;
    if (memory) memories.push(useOf(index, memory, injections));
  }
  return { memories, total: byMemory.size };
}

type Injections = ReturnType<MemoryIndex['injectionsSince']>;

function useOf(index: MemoryIndex, memory: Memory, injections: Injections): UsedMemory {
  const [last] = injections;
  const ids = [...new Set(injections.map(({ session }) => session))];
  return {
    memory,
    projectName: nameOf(index, memory.project),
    at: last?.at ?? memory.at,
    where: (last?.place ?? 'brief') as Moment['where'], // from a record of the ledger
    times: injections.length,
    sessions: ids.slice(0, SESSIONS_NAMED).flatMap((id) => {
      const session = index.session(id);
      if (!session) return [];
      return [{ id, startedAt: session.startedAt, ...given({ title: titleOfSession(index, session) }) }];
    }),
    sessionCount: ids.length,
    isOpened: ids.some((session) => index.isOpened(memory.id, session)),
  };
}

function changeOf(
  index: MemoryIndex,
  { at, how, memory, by, before }: Omit<UserChange, 'memory'> & { readonly memory: Memory },
): Change {
  const successor = how === 'reopened' ? undefined : (by ?? memory.supersededBy ?? memory.resolvedBy);
  return {
    at,
    how,
    memory,
    projectName: nameOf(index, memory.project),
    ...given({ before, by: successor === undefined ? undefined : index.memory(successor) }),
  };
}

function byTimeAndScore(a: Injections[number] | undefined, b: Injections[number] | undefined): number {
  return (b?.at ?? '').localeCompare(a?.at ?? '') || (b?.score ?? 0) - (a?.score ?? 0);
}

function nameOf(index: MemoryIndex, project: string): string {
  return index.project(project)?.name ?? project;
}
