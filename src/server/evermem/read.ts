/** Lists and searches what is shared with who asks, for EverMem's clients. Reads only. */
import { memoriesOf, projectById, type SharedMemory, type Work } from '../store/index.ts';
import { groupOf } from './group.ts';
import { placesOf } from './places.ts';
import type { Listing } from './question.ts';
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
  const shown = await shownOf(work, memories, places, user);
  return { shown, total, hasMore: offset + memories.length < total };
}

async function shownOf(
  work: Work,
  memories: readonly SharedMemory[],
  places: ReadonlyMap<string, string> | undefined,
  user: string,
): Promise<readonly Shown[]> {
  const groups = places ?? (await groupsOf(work, [...new Set(memories.map(({ project }) => project))]));
  return memories.map(({ entry, project, author }) => ({
    memory: { ...entry, project },
    group: groups.get(project) ?? '',
    user: user || author.name,
    author: author.name,
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
