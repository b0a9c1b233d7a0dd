/** The requests of the plan test: at least one for each route of the API, of EverMem's format and of the hub. */
import { randomUUID } from 'node:crypto';
import { entryOf, put } from '../support/team.ts';
import { GROUP_OF_ONE, type LargeTeam } from './_large-team.ts';

export interface PlanCase {
  /** The owner reads every project, the member three small ones. */
  readonly as: 'owner' | 'member';
  readonly path: string;
  readonly body?: unknown;
  /** Rows that may be read, besides those for what is returned, with the reason. Default 0. */
  readonly extra?: readonly [rows: number, why: string];
  /** Tables that may be read as a whole, because the answer has all of their rows. */
  readonly whole?: readonly string[];
}

interface Known extends LargeTeam {
  /** A memory of the largest project, one of a small project that the member reads, and another one of each. */
  readonly memories: Readonly<Record<'large' | 'large2' | 'small' | 'small2' | 'issue', string>>;
  /** A member of the team who can be changed. */
  readonly other: string;
  /** A member of the team who can be removed. */
  readonly leaving: string;
  /** A key that can be revoked. */
  readonly key: string;
  /** A small project that can be removed. */
  readonly removable: string;
}

/** A search reads the rows of its rarer words (12,000 at most, `word-queries.ts`) and the neighbours of the best. */
const SEARCH = [
  16_000,
  'the rows of the rarer words, and the neighbours of the best in their sessions',
] as const;
/** Of a file name, see `file-rows.ts`. */
const FILE = [4 * 2000, 'the memories of one file name, twice for the list and twice for the count'] as const;

/** 58 projects, 400 days, and on average less than three kinds, states and agents on a day of a project. */
const DAY_COUNTERS = 58 * 400 * 3;

export function apiCases(team: Known): Readonly<Record<string, readonly PlanCase[]>> {
  const [large = '', ...rest] = team.projects;
  const small = rest.at(-2) ?? '';
  const both = (path: string, mine = path): readonly PlanCase[] => [
    { as: 'owner', path },
    { as: 'member', path: mine },
  ];
  const push = (title: string) => ({
    changes: [put(entryOf(title))],
    idempotencyKey: `plans-${randomUUID()}`,
  });
  const search = (query: string, project?: string) => ({ query, limit: 10, ...(project ? { project } : {}) });
  return {
    'GET /v1/me': both('/v1/me'),
    'GET /v1/members': [{ as: 'member', path: '/v1/members', whole: ['member'] }],
    'POST /v1/members': [
      { as: 'owner', path: '/v1/members', body: { name: `New ${randomUUID()}`, role: 'member' } },
    ],
    'PATCH /v1/members/:member': [
      {
        as: 'owner',
        path: `/v1/members/${team.other}`,
        body: { name: `Other ${randomUUID()}`, role: 'reader' },
      },
    ],
    'DELETE /v1/members/:member': [{ as: 'owner', path: `/v1/members/${team.leaving}` }],
    'GET /v1/audit': [
      { as: 'owner', path: '/v1/audit?limit=20' },
      { as: 'owner', path: '/v1/audit?limit=20&cursor=9000' },
    ],
    'GET /v1/projects': both('/v1/projects?limit=10'),
    'POST /v1/projects': [
      {
        as: 'owner',
        path: '/v1/projects',
        body: { name: 'new', keys: [`git:${randomUUID()}`], with: 'nobody' },
      },
      {
        as: 'member',
        path: '/v1/projects',
        body: { name: 'solo', keys: [`evermem:${GROUP_OF_ONE}`], with: 'nobody' },
      },
    ],
    'GET /v1/projects/:project/shares': both(`/v1/projects/${large}/shares`, `/v1/projects/${small}/shares`),
    'PUT /v1/projects/:project/shares/:member': [
      { as: 'owner', path: `/v1/projects/${large}/shares/${team.other}`, body: { access: 'read' } },
    ],
    'DELETE /v1/projects/:project/shares/:member': [
      { as: 'owner', path: `/v1/projects/${large}/shares/${team.other}` },
    ],
    'POST /v1/projects/:project/changes': [
      { as: 'owner', path: `/v1/projects/${large}/changes`, body: push('A change in a large project') },
      { as: 'member', path: `/v1/projects/${small}/changes`, body: push('A change in a small project') },
    ],
    'GET /v1/projects/:project/changes': [
      { as: 'owner', path: `/v1/projects/${large}/changes?after=0&limit=50` },
      { as: 'owner', path: `/v1/projects/${large}/changes?after=50000&limit=50` },
      { as: 'member', path: `/v1/projects/${small}/changes?after=0` },
    ],
    'DELETE /v1/projects/:project/entries': [
      {
        as: 'member',
        path: `/v1/projects/${small}/entries?mine=true`,
        extra: [100, 'one entry is withdrawn'],
      },
    ],
    'GET /v1/projects/:project/memories': both(
      `/v1/projects/${large}/memories?limit=20`,
      `/v1/projects/${small}/memories?limit=20`,
    ),
    // Both have changes, so neither waits.
    'POST /v1/changes/wait': [
      { as: 'owner', path: '/v1/changes/wait', body: { projects: [{ id: large, after: 0 }] } },
      { as: 'member', path: '/v1/changes/wait', body: { projects: [{ id: small, after: 0 }] } },
    ],
    'GET /v1/team/settings': both('/v1/team/settings'),
    'PUT /v1/team/settings': [
      { as: 'owner', path: '/v1/team/settings', body: { settings: { 'share.delayMinutes': 60 } } },
    ],
    'GET /v1/memories/:id': both(
      `/v1/memories/${team.memories.large}`,
      `/v1/memories/${team.memories.small}`,
    ),
    'POST /v1/search': [
      { as: 'owner', path: '/v1/search', body: search('w3999 w3800 w100'), extra: SEARCH },
      { as: 'owner', path: '/v1/search', body: search('w3999 w3800 w100', small), extra: SEARCH },
      { as: 'member', path: '/v1/search', body: search('w3999 w3800 w100'), extra: SEARCH },
      {
        as: 'owner',
        path: '/v1/search',
        body: search('kind:issue state:open'),
        extra: [500, 'a filter alone lists 200 candidates'],
      },
      { as: 'owner', path: '/v1/search', body: search('file:f17.ts'), extra: FILE },
      { as: 'member', path: '/v1/search', body: search('kind:decision') },
    ],
    'GET /v1/keys': [
      { as: 'owner', path: '/v1/keys', whole: ['api_key'] },
      { as: 'member', path: '/v1/keys' },
    ],
    'POST /v1/keys': [{ as: 'member', path: '/v1/keys', body: { name: 'plans', scopes: ['read'] } }],
    'DELETE /v1/keys/:key': [{ as: 'owner', path: `/v1/keys/${team.key}` }],
    'POST /v1/hub/links': both('/v1/hub/links'),
    'DELETE /v1/projects/:project': [
      {
        as: 'owner',
        path: `/v1/projects/${team.removable}`,
        extra: [2000, 'deletes all rows of a project of 20 memories'],
      },
    ],
  };
}

export function everMemCases(): Readonly<Record<string, readonly PlanCase[]>> {
  const asked = { user_id: 'mia' };
  const [as, group_id] = ['member', GROUP_OF_ONE] as const;
  const message = {
    create_time: new Date().toISOString(),
    sender: 'mia',
    content: 'The winch is greased',
    group_id,
  };
  const many = { timestamp: Date.now(), role: 'user', content: 'The winch is greased' };
  return {
    'POST /api/v0/memories': [
      { as, path: '/api/v0/memories', body: { ...message, message_id: randomUUID() } },
    ],
    'GET /api/v0/memories': [
      { as, path: `/api/v0/memories?group_ids=${group_id}` },
      { as: 'owner', path: `/api/v0/memories?group_ids=${group_id}` },
      { as: 'owner', path: '/api/v0/memories?user_id=ada&limit=20' },
      {
        as: 'owner',
        path: '/api/v0/memories?user_id=ada&limit=20&offset=90000',
        extra: [DAY_COUNTERS, 'the counters of each project and day, and the memories of one day'],
      },
      { as: 'owner', path: '/api/v0/memories?user_id=ada&limit=20&memory_type=profile' },
    ],
    'GET /api/v0/memories/search': [
      { as, path: `/api/v0/memories/search?group_ids=${group_id}&query=w3999`, extra: SEARCH },
    ],
    'POST /api/v0/memories/search': [
      {
        as: 'owner',
        path: '/api/v0/memories/search',
        body: { ...asked, query: 'w3999 w3500' },
        extra: SEARCH,
      },
    ],
    'POST /api/v0/memories/conversation-meta': [
      { as, path: '/api/v0/memories/conversation-meta', body: { group_id, name: 'Claude solo' } },
    ],
    'POST /api/v1/memories': [{ as, path: '/api/v1/memories', body: { user_id: 'mia', messages: [many] } }],
    'POST /api/v1/memories/group': [
      { as, path: '/api/v1/memories/group', body: { group_id, messages: [many] } },
    ],
    'POST /api/v1/memories/get': [
      { as, path: '/api/v1/memories/get', body: { filters: { group_id } } },
      { as, path: '/api/v1/memories/get', body: { filters: asked } },
      { as: 'owner', path: '/api/v1/memories/get', body: { filters: { group_id } } },
      { as: 'owner', path: '/api/v1/memories/get', body: { filters: asked, page: 3 } },
    ],
    'POST /api/v1/memories/search': [
      { as, path: '/api/v1/memories/search', body: { query: 'w3999', filters: { group_id } }, extra: SEARCH },
    ],
  };
}

/** `GET /here`, as in `Routes`. */
export function hubCases(team: Known): Readonly<Record<string, readonly PlanCase[]>> {
  const [large = ''] = team.projects;
  const small = team.projects.at(-2) ?? '';
  const both = (path: string): readonly PlanCase[] => [
    { as: 'owner', path },
    { as: 'member', path },
  ];
  const { memories } = team;
  return {
    'GET /here': both('/here'),
    'GET /overview': [
      {
        as: 'owner',
        path: '/overview?zone=Asia/Kolkata',
        extra: [DAY_COUNTERS, 'the counters of each project and day, however many memories they count'],
      },
      { as: 'member', path: '/overview?zone=Europe/Vienna' },
    ],
    'GET /home': both('/home').map((one) => ({
      ...one,
      extra: [1500, 'two lists and a count read the counters of each project'] as const,
    })),
    'GET /projects': both('/projects'),
    'GET /projects/:id': [
      { as: 'owner', path: `/projects/${large}` },
      { as: 'member', path: `/projects/${small}` },
    ],
    'GET /memories': [
      ...both('/memories?limit=50&zone=Europe/Vienna'),
      {
        as: 'owner',
        path: '/memories?limit=50&kind=issue&state=open',
        extra: [15_000, 'each of the fifty days of the page is counted'],
      },
      { as: 'member', path: '/memories?limit=50&kind=issue&state=open' },
      { as: 'owner', path: `/memories?limit=50&project=${large}&agent=codex` },
      { as: 'owner', path: `/memories?limit=50&project=${large}&session=s1-100` },
      { as: 'owner', path: '/memories?limit=50&file=f17.ts', extra: [10 * FILE[0], FILE[1]] },
      {
        as: 'owner',
        path: `/memories?limit=50&since=${daysAgo(200)}&until=${daysAgo(100)}`,
        extra: [20_000, 'the counters of each project and day in a hundred days'],
      },
      { as: 'owner', path: `/memories?limit=50&before=${daysAgo(100)}T00:00:00.000Z~1${'a'.repeat(13)}` },
    ],
    'GET /memories/:id': [
      { as: 'owner', path: `/memories/${memories.large}` },
      { as: 'member', path: `/memories/${memories.small}` },
    ],
    'POST /memories/:id/edit': [
      { as: 'owner', path: `/memories/${memories.large}/edit`, body: { patch: { title: 'Another title' } } },
    ],
    'POST /memories/:id/resolve': [{ as: 'owner', path: `/memories/${memories.issue}/resolve`, body: {} }],
    'POST /memories/:id/reopen': [{ as: 'owner', path: `/memories/${memories.issue}/reopen`, body: {} }],
    'POST /memories/:id/supersede': [
      { as: 'owner', path: `/memories/${memories.large}/supersede`, body: { by: memories.large2 } },
    ],
    'POST /memories/:id/forget': [{ as: 'member', path: `/memories/${memories.small2}/forget`, body: {} }],
    'GET /search': [
      { as: 'owner', path: '/search?q=w3999%20w3800', extra: SEARCH },
      { as: 'member', path: '/search?q=w3999%20w3800', extra: SEARCH },
    ],
    'GET /members': [
      { as: 'owner', path: '/members', whole: ['member', 'api_key', 'share', 'project'] },
      { as: 'member', path: '/members', whole: ['member'] },
    ],
    'GET /audit': [{ as: 'owner', path: '/audit' }],
  };
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 24 * 60 * 60_000).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
