/** Lists and searches what is shared with who asks, for EverMem's clients. Reads only. */
import { given, type Memory } from '../../core/index.ts';
import type { SearchOptions } from '../../recall/index.ts';
import {
  memoriesOf,
  projectById,
  searchMemories,
  type TeamHit,
  type VectorMode,
  type Work,
} from '../store/index.ts';
import { groupOf } from './group.ts';
import { placesOf } from './places.ts';
import type { Listing, Question } from './question.ts';
import type { Shown } from './shown.ts';

export interface Listed {
  readonly shown: readonly Shown[];
  readonly total: number;
  readonly hasMore: boolean;
}

const NOTHING: Listed = { shown: [], total: 0, hasMore: false };

/** Newest first. A group in which nothing was said yet is empty, not unknown: its clients list before they write. */
export async function list(work: Work, listing: Listing): Promise<Listed> {
  const { groups, user, kinds, limit, offset } = listing;
  const places = groups.length === 0 ? undefined : await placesOf(work, groups);
  if (places?.size === 0 || kinds?.length === 0) return NOTHING;
  const { memories, total } = await memoriesOf(work, {
    projects: places && [...places.keys()],
    kinds,
    limit,
    offset,
  });
  const told = memories.map(({ entry, project, author }) => ({ memory: { ...entry, project }, author }));
  const shown = await shownOf(work, told, places, user);
  return { shown, total, hasMore: offset + memories.length < total };
}

/** Best first. Of several groups each is searched for itself: what one is full of must not crowd out the others. */
export async function search(work: Work, question: Question, mode: VectorMode, now: Date): Promise<Listed> {
  const { groups, user, kinds, limit, floor = LEAST_SURE, by, text } = question;
  const places = groups.length === 0 ? undefined : await placesOf(work, groups);
  if (places?.size === 0 || kinds?.length === 0) return NOTHING;
  const options: SearchOptions = {
    now,
    limit: limit * DEEPER,
    floor,
    ...given({ by }),
  };
  const found: TeamHit[] = [];
  for (const project of places?.keys() ?? [undefined]) {
    const within = project === undefined ? {} : { project, scope: 'project' as const };
    const { hits } = await searchMemories(work, mode, text, { ...options, ...within });
    // A `project:` among the words of a prompt leads elsewhere; the group that was named holds.
    found.push(...hits.filter(({ memory }) => project === undefined || memory.project === project));
  }
  // What only stands beside a good one is for a person who looks around; here everything goes before a model.
  const best = found
    .filter(
      ({ evidence, memory }) => evidence >= floor && (kinds === undefined || kinds.includes(memory.kind)),
    )
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit);
  const shown = await shownOf(work, best, places, user);
  return { shown, total: shown.length, hasMore: false };
}

/** Room for those that are left out afterwards. */
const DEEPER = 2;
/** What the client itself asks for at least. */
const LEAST_SURE = 0.1;

interface Told {
  readonly memory: Memory;
  readonly author: { readonly name: string };
  readonly score?: number;
}

async function shownOf(
  work: Work,
  told: readonly Told[],
  places: ReadonlyMap<string, string> | undefined,
  user: string,
): Promise<readonly Shown[]> {
  const groups = places ?? (await groupsOf(work, [...new Set(told.map(({ memory }) => memory.project))]));
  return told.map(({ memory, author, score }) => ({
    memory,
    group: groups.get(memory.project) ?? '',
    user: user || author.name,
    author: author.name,
    ...given({ score }),
  }));
}

/** A project that no client of EverMem made goes by its name. */
async function groupsOf(work: Work, projects: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const groups = new Map<string, string>();
  for (const id of projects) {
    const { keys, name } = await projectById(work, id);
    groups.set(id, groupOf(keys) ?? name);
  }
  return groups;
}
