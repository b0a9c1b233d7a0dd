/** A way into the team's hub for a browser, asked for by a machine that has a key. */
import { HubLink } from '../../exchange/sync/index.ts';
import { route } from '../http/index.ts';
import { newLink } from '../hub/index.ts';

export const hub = [
  route({
    method: 'POST',
    path: '/v1/hub/links',
    summary: 'A key for /hub/enter?key=…: it lets one browser in, once, within five minutes.',
    scope: 'read',
    answer: HubLink,
    status: 201,
    run: ({ holder, change }) => change((work) => newLink(work, holder, new Date())),
  }),
];
