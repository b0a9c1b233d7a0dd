/** Projects that are shared, and with whom. */
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
  recordAudit,
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
    summary: 'The project that has one of these keys; made if there is none yet.',
    scope: 'write',
    body: NewProject,
    answer: SharedProject,
    run: ({ body, holder, change }) =>
      change((work) =>
        ensureProject(work, body, (project) =>
          recordAudit(work, {
            action: 'project.create',
            object: project,
            key: holder.key.id,
            detail: { name: body.name, with: body.with },
          }),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/v1/projects/:project',
    summary: 'Remove a project with everything in it. Who made it, or an owner.',
    scope: 'write',
    params: ProjectParam,
    answer: Nothing,
    run: ({ params, holder, change }) =>
      change(async (work) => {
        const { name } = await removeProject(work, params.project);
        await recordAudit(work, {
          action: 'project.remove',
          object: params.project,
          key: holder.key.id,
          detail: { name },
        });
        return {};
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/projects/:project/shares',
    summary: 'With whom a project is shared.',
    scope: 'read',
    params: ProjectParam,
    answer: ShareList,
    run: async ({ params, read }) => ({ shares: await read((work) => listShares(work, params.project)) }),
  }),
  route({
    method: 'PUT',
    path: '/v1/projects/:project/shares/:member',
    summary: 'Share a project with a member, or with "everyone". Who made it, or an owner.',
    scope: 'write',
    params: ShareParam,
    body: ShareBody,
    answer: Nothing,
    run: ({ params: { project, member }, body: { access }, holder, change }) =>
      change(async (work) => {
        await setShare(work, project, { member, access });
        await recordAudit(work, {
          action: 'share.set',
          object: project,
          key: holder.key.id,
          detail: { with: member ?? 'everyone', access },
        });
        return {};
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/projects/:project/shares/:member',
    summary: 'Share it with them no longer. What they already have on their machine stays there.',
    scope: 'write',
    params: ShareParam,
    answer: Nothing,
    run: ({ params: { project, member }, holder, change }) =>
      change(async (work) => {
        await removeShare(work, project, member);
        await recordAudit(work, {
          action: 'share.remove',
          object: project,
          key: holder.key.id,
          detail: { with: member ?? 'everyone' },
        });
        return {};
      }),
  }),
];
