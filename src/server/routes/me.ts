/** Who asks, with which key, and what this server can do. */
import { VERSION } from '../../core/index.ts';
import { Me } from '../../exchange/sync/index.ts';
import { route } from '../http/index.ts';

export const me = [
  route({
    method: 'GET',
    path: '/v1/me',
    summary: 'Who you are, what your key may do, and how this server finds.',
    scope: 'read',
    answer: Me,
    run: async ({ holder: { member, team, key }, store }) => ({
      member,
      team,
      key,
      server: { version: VERSION, vectors: store.vectors },
    }),
  }),
];
