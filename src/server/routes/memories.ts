/** Reading what is shared, one by one and by project. */
import { MemoryIdParam, MemoryPage, PageQuery, TeamMemory } from '../../exchange/sync/index.ts';
import { route } from '../http/index.ts';
import { listMemories, memoryById, type SharedMemory } from '../store/index.ts';
import { ProjectParam } from './_params.ts';

const DEFAULT_ROWS = 50;

export const memories = [
  route({
    method: 'GET',
    path: '/v1/projects/:project/memories',
    summary: 'The memories of a project, newest first.',
    scope: 'read',
    params: ProjectParam,
    query: PageQuery,
    answer: MemoryPage,
    run: async ({ params, query, read }) => {
      const { items, cursor = null } = await read((work) =>
        listMemories(work, params.project, { limit: DEFAULT_ROWS, ...query }),
      );
      return { memories: items.map(asTold), cursor };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/memories/:id',
    summary: 'One memory.',
    scope: 'read',
    params: MemoryIdParam,
    answer: TeamMemory,
    run: async ({ params, read }) => asTold(await read((work) => memoryById(work, params.id))),
  }),
];

function asTold({ entry, project, author }: SharedMemory): TeamMemory {
  return { ...entry, project, author };
}
