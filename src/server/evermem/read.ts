/** Lists and searches memories for EverMem clients. Read-only. */
import { given, type Memory } from '../../core/index.ts';
import type { SearchOptions } from '../../recall/index.ts';
import {
  browse,
  countMemories,
  projectById,
  searchMemories,
  type TeamHit,
  type VectorMode,
  type Work,
} from '../store/index.ts';
import type { Listing, Question } from './_fields.ts';
import type { ListedMemory } from './episode.ts';
import { groupOf, projectsOfGroups } from './group.ts';

interface Page {
  readonly memories: readonly ListedMemory[];
  readonly total: number;
  readonly hasMore: boolean;
}

const NOTHING: Page = { memories: [], total: 0, hasMore: false };

/** Returns the newest first. An unknown group is empty, because clients list before they write. */
export async function list(work: Work, listing: Listing): Promise<Page> {
  const { groups, user, kinds, limit, offset } = listing;
  const projects = groups.length === 0 ? undefined : await projectsOfGroups(work, groups);
  if (projects?.size === 0 || kinds?.length === 0) return NOTHING;
  const filter = given({ project: projects && [...projects.keys()], kind: kinds });
  const found = await browse(work, filter, { limit, offset });
  const total = await countMemories(work, filter);
  const rows = found.map(({ entry, project, author }) => ({ memory: { ...entry, project }, author }));
  const memories = await listed(work, rows, projects, user);
  return { memories, total, hasMore: offset + found.length < total };
}

/** Returns the best first. Searches each group separately, so that a large one does not crowd out the others. */
export async function search(
  work: Work,
  question: Question,
  mode: VectorMode,
  asked: Pick<SearchOptions, 'now' | 'vector'>,
): Promise<Page> {
  const { groups, user, kinds, limit, floor = MIN_SCORE, by, text } = question;
  const projects = groups.length === 0 ? undefined : await projectsOfGroups(work, groups);
  if (projects?.size === 0 || kinds?.length === 0) return NOTHING;
  const options: SearchOptions = { ...asked, limit: limit * EXTRA, floor, ...given({ by }) };
  const found: TeamHit[] = [];
  for (const project of projects?.keys() ?? [undefined]) {
    const within = project === undefined ? {} : { project, scope: 'project' as const };
    const { hits } = await searchMemories(work, mode, text, { ...options, ...within });
    // The requested group wins over a `project:` filter in the query text.
    found.push(...hits.filter(({ memory }) => project === undefined || memory.project === project));
  }
  // Drops hits below the floor that are only neighbours of a good one: all of these are injected.
  const best = found
    .filter(
      ({ evidence, memory }) => evidence >= floor && (kinds === undefined || kinds.includes(memory.kind)),
    )
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit);
  const memories = await listed(work, best, projects, user);
  return { memories, total: memories.length, hasMore: false };
}

/** Searches for this many times the limit, because some hits are dropped. */
const EXTRA = 2;
/** The lowest score that EverMem's client asks for. */
const MIN_SCORE = 0.1;

async function listed(
  work: Work,
  rows: readonly {
    readonly memory: Memory;
    readonly author: { readonly name: string };
    readonly score?: number;
  }[],
  projects: ReadonlyMap<string, string> | undefined,
  user: string,
): Promise<readonly ListedMemory[]> {
  const groups = projects ?? (await groupsOf(work, [...new Set(rows.map(({ memory }) => memory.project))]));
  return rows.map(({ memory, author, score }) => ({
    memory,
    group: groups.get(memory.project) ?? '',
    user: user || author.name,
    author: author.name,
    ...given({ score }),
  }));
}

/** Uses the project's name if no EverMem client created it. */
async function groupsOf(work: Work, projects: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const groups = new Map<string, string>();
  for (const id of projects) {
    const { keys, name } = await projectById(work, id);
    groups.set(id, groupOf(keys) ?? name);
  }
  return groups;
}
