/** One valid request per route. Requests that delete use ids that do not exist. */
import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../src/server/routes/index.ts';
import { entryOf, put } from '../support/team.ts';

export interface Sample {
  readonly method: string;
  /** The path pattern of the route. */
  readonly route: string;
  readonly path: string;
  readonly body?: unknown;
}

const AFTER_ALL = Buffer.from('2099-01-01T00:00:00.000Z 1aaaaaaaaaaaaa').toString('base64url');

/** Builds the requests for a member and a project with a memory. */
export function samples(
  { id }: { readonly id: string },
  { id: project, memory }: { readonly id: string; readonly memory: string },
): readonly Sample[] {
  const nobody = randomUUID();
  const fill = (route: string) =>
    route
      .replace(':project', /^\/v1\/projects\/:project$/.test(route) ? nobody : project)
      .replace(':member', nobody)
      .replace(':key', 'aaaaaaaaaaaa')
      .replace(':id', memory);
  const more: Readonly<Record<string, { readonly query?: string; readonly body?: unknown }>> = {
    'GET /v1/projects': { query: `?limit=5&cursor=${nobody}` },
    'POST /v1/projects': { body: { name: 'sample', keys: ['git:sample'], with: 'nobody' } },
    'PUT /v1/projects/:project/shares/:member': { body: { access: 'read' } },
    'POST /v1/projects/:project/changes': {
      body: { changes: [put(entryOf('A sample'))], idempotencyKey: `sample-${nobody}` },
    },
    'GET /v1/projects/:project/changes': { query: '?after=0&limit=5' },
    'DELETE /v1/projects/:project/entries': { query: '?mine=true' },
    'GET /v1/projects/:project/memories': { query: `?limit=5&cursor=${AFTER_ALL}` },
    'POST /v1/changes/wait': { body: { projects: [{ id: project, after: 0 }] } },
    'POST /v1/search': { body: { query: 'lantern0', project, limit: 5, cursor: '0' } },
    'POST /v1/members': { body: { name: 'Sam', role: 'reader' } },
    'PATCH /v1/members/:member': { body: { name: 'Sam', role: 'reader' } },
    'POST /v1/keys': {
      body: { member: id, name: 'sample', scopes: ['read'], expiresAt: '2099-01-01T00:00:00.000Z' },
    },
    'PUT /v1/team/settings': { body: { settings: { 'retention.audit': 400 } } },
    'GET /v1/audit': { query: '?limit=5&cursor=9' },
  };
  return ROUTES.map(({ method, path: route }) => {
    const { query = '', body } = more[`${method} ${route}`] ?? {};
    return { method, route, path: fill(route) + query, ...(body === undefined ? {} : { body }) };
  });
}
