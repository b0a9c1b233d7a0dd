/** Reads shared memories: one, the pages of a project, and search with the same ranking as on the user's machine. */
import { given } from '../../core/index.ts';
import {
  MemoryIdParam,
  MemoryPage,
  PageQuery,
  SearchAnswer,
  SearchRequest,
  TeamMemory,
  type FoundMemory,
} from '../../exchange/sync/index.ts';
import { route } from '../http/index.ts';
import {
  invalidCursor,
  listMemories,
  memoryById,
  projectById,
  searchMemories,
  type SharedMemory,
  type TeamHit,
} from '../store/index.ts';
import { ProjectParam } from './_params.ts';

const DEFAULT_ROWS = 50;
/** Search pages end here; a client that wants everything lists the project. */
const MAX_HITS = 1000;

export const memories = [
  route({
    method: 'GET',
    path: '/v1/projects/:project/memories',
    summary: 'The memories of a project, newest first.',
    scope: 'read',
    params: ProjectParam,
    query: PageQuery,
    answer: MemoryPage,
    run: async ({ params, query, readAnywhere }) => {
      const { items, cursor = null } = await readAnywhere((work) =>
        listMemories(work, params.project, { limit: DEFAULT_ROWS, ...query }),
      );
      return { memories: items.map(teamMemory), cursor };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/memories/:id',
    summary: 'One memory.',
    scope: 'read',
    params: MemoryIdParam,
    answer: TeamMemory,
    run: async ({ params, readAnywhere }) =>
      teamMemory(await readAnywhere((work) => memoryById(work, params.id))),
  }),
  route({
    method: 'POST',
    path: '/v1/search',
    summary: 'Memories that match a query, best first, in one project or in all that are shared with you.',
    scope: 'read',
    body: SearchRequest,
    answer: SearchAnswer,
    refuses: [404],
    run: async ({ body: { query, project, limit, cursor }, store, readAnywhere }) => {
      const from = offsetOf(cursor);
      const vector = await store.vectorOf(query);
      const hits = await readAnywhere(async (work) => {
        if (project !== undefined) await projectById(work, project);
        const { hits: found } = await searchMemories(work, store.vectors, query, {
          now: new Date(),
          limit: from + limit + 1,
          ...given({ vector }),
          ...(project === undefined ? {} : { project, scope: 'project' }),
        });
        // The requested project wins over a `project:` filter in the query text.
        return found.filter(({ memory }) => project === undefined || memory.project === project);
      });
      const isMore = hits.length > from + limit && from + limit < MAX_HITS;
      return {
        hits: hits.slice(from, from + limit).map(searchHit),
        cursor: isMore ? String(from + limit) : null,
      };
    },
  }),
];

function teamMemory({ entry, project, author }: SharedMemory): TeamMemory {
  return { ...entry, project, author };
}

function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,4}$/.test(cursor) || Number(cursor) > MAX_HITS) throw invalidCursor();
  return Number(cursor);
}

function searchHit({ memory, author, score, evidence }: TeamHit): SearchAnswer['hits'][number] {
  const { personal: _, provenance, ...rest } = memory;
  const { agent, session, turn, messages, by } = provenance;
  const found: FoundMemory = { ...rest, author, provenance: { agent, session, turn, messages, by } };
  return { score, evidence, memory: found };
}
