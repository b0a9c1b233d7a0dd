/** Asking a team's memory: the same ranking as on one's own machine, over everything that is shared with who asks. */
import { SearchAnswer, SearchRequest, type FoundMemory } from '../../exchange/sync/index.ts';
import { route } from '../http/index.ts';
import { projectById, searchMemories, strangeCursor, type TeamHit } from '../store/index.ts';

/** Nobody reads further; a client that wants everything lists it. */
const DEEPEST = 1000;

export const search = [
  route({
    method: 'POST',
    path: '/v1/search',
    summary:
      'Memories that answer a question, best first, in one project or in all that are shared with you.',
    scope: 'read',
    body: SearchRequest,
    answer: SearchAnswer,
    refuses: [404],
    run: async ({ body: { query, project, limit, cursor }, store, read }) => {
      const from = placeOf(cursor);
      const hits = await read(async (work) => {
        if (project !== undefined) await projectById(work, project);
        const { hits: found } = await searchMemories(work, store.vectors, query, {
          now: new Date(),
          limit: from + limit + 1,
          ...(project === undefined ? {} : { project, scope: 'project' }),
        });
        // A `project:` among the words leads elsewhere; the project that was named holds.
        return found.filter(({ memory }) => project === undefined || memory.project === project);
      });
      const isMore = hits.length > from + limit && from + limit < DEEPEST;
      return {
        hits: hits.slice(from, from + limit).map(asFound),
        cursor: isMore ? String(from + limit) : null,
      };
    },
  }),
];

function placeOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,4}$/.test(cursor) || Number(cursor) > DEEPEST) throw strangeCursor();
  return Number(cursor);
}

function asFound({ memory, author, score, evidence }: TeamHit): SearchAnswer['hits'][number] {
  const { personal: _, provenance, ...rest } = memory;
  const { agent, session, turn, messages, by } = provenance;
  const told: FoundMemory = { ...rest, author, provenance: { agent, session, turn, messages, by } };
  return { score, evidence, memory: told };
}
