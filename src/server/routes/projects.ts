/** Shared projects, and the members they are shared with. */
import {
  NewProject,
  Nothing,
  PageQuery,
  ProjectPage,
  ShareBody,
  SharedProject,
  ShareList,
} from '../../exchange/sync/index.ts';
import { route } from '../http/index.ts';
import {
  ensureProject,
  listProjects,
  listShares,
  removeProject,
  removeShare,
  setShare,
} from '../store/index.ts';
import { ProjectParam, ShareParam } from './_params.ts';

export const projects = [
  route({
    method: 'GET',
    path: '/v1/projects',
    summary: 'The projects that are shared with you.',
    scope: 'read',
    query: PageQuery,
    answer: ProjectPage,
    run: async ({ query, read }) => {
      const { items, cursor = null } = await read((work) => listProjects(work, query));
      return { projects: items, cursor };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/projects',
    summary: 'The project that has one of these keys. Created if there is none.',
    scope: 'write',
    body: NewProject,
    answer: SharedProject,
    run: ({ body, change }) =>
      change((work, record) =>
        ensureProject(work, body, (project) =>
          record('project.create', project, { name: body.name, with: body.with }),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/v1/projects/:project',
    summary: 'Remove a project with everything in it. Only its creator or an owner.',
    scope: 'write',
    params: ProjectParam,
    answer: Nothing,
    run: ({ params, change }) =>
      change(async (work, record) => {
        const { name } = await removeProject(work, params.project);
        await record('project.remove', params.project, { name });
        return {};
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/projects/:project/shares',
    summary: 'The members a project is shared with.',
    scope: 'read',
    params: ProjectParam,
    answer: ShareList,
    run: async ({ params, read }) => ({ shares: await read((work) => listShares(work, params.project)) }),
  }),
  route({
    method: 'PUT',
    path: '/v1/projects/:project/shares/:member',
    summary: 'Share a project with a member, or with "everyone". Only its creator or an owner.',
    scope: 'write',
    params: ShareParam,
    body: ShareBody,
    answer: Nothing,
    run: ({ params: { project, member }, body: { access }, change }) =>
      change(async (work, record) => {
        await setShare(work, project, { member, access });
        await record('share.set', project, { with: member ?? 'everyone', access });
        return {};
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/projects/:project/shares/:member',
    summary: 'Stop sharing a project with a member. What is already on their machine stays there.',
    scope: 'write',
    params: ShareParam,
    answer: Nothing,
    run: ({ params: { project, member }, change }) =>
      change(async (work, record) => {
        await removeShare(work, project, member);
        await record('share.remove', project, { with: member ?? 'everyone' });
        return {};
      }),
  }),
];
