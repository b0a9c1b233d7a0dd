/** Keys: one's own, and for owners those of the whole team. A key is shown once, when it is made. */
import { KeyList, MadeKey, NewKey, Nothing } from '../../exchange/sync/index.ts';
import { requireOwner, requireScope } from '../access/index.ts';
import { issueKey, withdrawKey } from '../admin/index.ts';
import { route } from '../http/index.ts';
import { listKeys } from '../store/index.ts';
import { KeyParam } from './_params.ts';

export const keys = [
  route({
    method: 'GET',
    path: '/v1/keys',
    summary: 'Your keys; an owner sees those of the team. Never the secrets.',
    scope: 'read',
    answer: KeyList,
    run: async ({ read }) => ({ keys: await read((work) => listKeys(work)) }),
  }),
  route({
    method: 'POST',
    path: '/v1/keys',
    summary: 'Make a key for yourself, or as an owner for anybody in the team.',
    scope: 'admin',
    body: NewKey,
    answer: MadeKey,
    status: 201,
    refuses: [404],
    run: async ({ body, holder, change }) => {
      const member = body.member ?? holder.member.id;
      if (member !== holder.member.id) requireOwner(holder);
      return change((work) => issueKey(work, { ...body, member }, holder.key.id));
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/keys/:key',
    summary: 'Revoke a key, at once and for good. The one that asks may always revoke itself.',
    scope: 'read',
    params: KeyParam,
    answer: Nothing,
    run: async ({ params, holder, change }) => {
      if (params.key !== holder.key.id) requireScope(holder, 'admin');
      await change((work) => withdrawKey(work, params.key, holder.key.id));
      return {};
    },
  }),
];
