/** API keys and links into the hub. A member manages their own keys, an owner all of the team. A key is shown once. */
import { HubLink, KeyList, MadeKey, NewKey, Nothing } from '../../exchange/sync/index.ts';
import { requireOwner, requireScope } from '../access/index.ts';
import { issueKey, withdrawKey } from '../admin/index.ts';
import { route } from '../http/index.ts';
import { newLink } from '../hub/index.ts';
import { listKeys } from '../store/index.ts';
import { KeyParam } from './_params.ts';

export const keys = [
  route({
    method: 'GET',
    path: '/v1/keys',
    summary: 'Your keys; for an owner, all keys of the team. Never the secrets.',
    scope: 'read',
    answer: KeyList,
    run: async ({ read }) => ({ keys: await read((work) => listKeys(work)) }),
  }),
  route({
    method: 'POST',
    path: '/v1/keys',
    summary: 'Create a key for yourself or, as an owner, for any member.',
    scope: 'admin',
    body: NewKey,
    answer: MadeKey,
    status: 201,
    refuses: [404],
    run: async ({ body, holder, change }) => {
      const member = body.member ?? holder.member.id;
      if (member !== holder.member.id) requireOwner(holder);
      return change((work, record) => issueKey(work, { ...body, member }, record));
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/keys/:key',
    summary: 'Revoke a key, at once and permanently. A key may always revoke itself.',
    scope: 'read',
    params: KeyParam,
    answer: Nothing,
    run: async ({ params, holder, change }) => {
      if (params.key !== holder.key.id) requireScope(holder, 'admin');
      await change((work, record) => withdrawKey(work, params.key, record));
      return {};
    },
  }),
  route({
    method: 'POST',
    path: '/v1/hub/links',
    summary: 'A key for /hub/enter?key=…: it logs one browser in, once, within five minutes.',
    scope: 'read',
    answer: HubLink,
    status: 201,
    run: ({ holder, change }) => change((work) => newLink(work, holder, new Date())),
  }),
];
