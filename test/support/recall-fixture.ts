/** Three sessions of an imagined project, for tests and golden files. */
import {
  memoryId,
  type Evidence,
  type Memory,
  type MemoryDraft,
  type MemoryKind,
  type Session,
  type SessionSummary,
} from '../../src/core/index.ts';
import { MemoryIndex } from '../../src/database/index.ts';

export const NOW = new Date('2026-11-15T12:00:00.000Z');
export const PROJECT = 'payments-k3m9x2';

/** As it usually is: the user decides, the agent finds out, a test shows that work is done. */
export const USUAL: Readonly<Record<MemoryKind, Evidence>> = {
  decision: 'said',
  preference: 'said',
  issue: 'said',
  pattern: 'shown',
  bugfix: 'shown',
  feature: 'shown',
  refactor: 'shown',
  discovery: 'claimed',
  dead_end: 'claimed',
};

const SESSIONS = {
  auth: '8c1f2e3a-0001-4000-8000-000000000001',
  webhooks: '5d7b90c4-0002-4000-8000-000000000002',
  build: 'e24a6f18-0003-4000-8000-000000000003',
} as const;

export const FIXTURE_SESSIONS: readonly Session[] = [
  session(SESSIONS.build, '2026-10-20T08:00:00.000Z', '2026-10-20T09:10:00.000Z', 8, {
    request: 'Move the build from webpack to esbuild',
    investigated: 'webpack config, loaders in use',
    learned: 'Only the SVG loader had no counterpart; inlining the four icons replaced it',
    completed: 'The build runs on esbuild and takes 2 s instead of 41 s',
    next_steps: '',
    files_read: 'webpack.config.js',
    files_edited: 'scripts/build.mjs, package.json',
    notes: '',
  }),
  session(SESSIONS.webhooks, '2026-11-12T14:00:00.000Z', '2026-11-12T16:40:00.000Z', 12, {
    request: 'Find out why webhook signatures fail in staging',
    investigated: 'Express middleware order, proxy headers',
    learned: 'The JSON parser ran before the signature check, so the raw body was gone',
    completed: 'Signature check moved before the parser; staging accepts webhooks again',
    next_steps: '- Retry queue for failed deliveries',
    files_read: 'src/app.ts',
    files_edited: 'src/webhooks/verify.ts, src/app.ts',
    notes: '',
  }),
  {
    ...session(SESSIONS.auth, '2026-11-15T09:00:00.000Z', '2026-11-15T10:00:00.000Z', 5, {
      request: 'Make refresh tokens safe against theft',
      investigated: 'How sessions are stored, what the mobile app does on 401',
      learned: 'The mobile app sends two refresh requests at once after a cold start',
      completed: 'Rotation with a 10 s grace period is in src/auth/refresh.ts, with tests',
      next_steps: '- Revoke the whole token family on reuse\n- Tell the mobile team about the grace period',
      files_read: 'src/auth/session.ts',
      files_edited: 'src/auth/refresh.ts, src/auth/refresh.test.ts',
      notes: '',
    }),
    title: 'Refresh token rotation',
    branch: 'auth-rotation',
  },
];

export const FIXTURE_MEMORIES: readonly Memory[] = [
  memory(SESSIONS.build, '2026-10-20T08:30:00.000Z', {
    kind: 'decision',
    title: 'Build with esbuild, not webpack',
    body: 'esbuild bundles server and web; no other bundler stays in the repository.',
    reason: 'A build took 41 s with webpack and takes 2 s with esbuild.',
    facts: ['Entry points are listed in scripts/build.mjs'],
    concepts: ['build', 'bundler'],
    files: ['scripts/build.mjs', 'package.json'],
  }),
  memory(SESSIONS.build, '2026-10-20T08:50:00.000Z', {
    kind: 'dead_end',
    title: 'SVG icons through an esbuild plugin',
    body: 'Three plugins were tried; each broke source maps or watch mode. The four icons are inlined instead.',
    facts: [],
    concepts: ['build', 'svg'],
    files: ['scripts/build.mjs'],
  }),
  memory(SESSIONS.build, '2026-10-20T09:05:00.000Z', {
    kind: 'bugfix',
    title: 'ERR_REQUIRE_ESM when loading the config',
    body: 'The config loader used require() on an ES module; it now uses a dynamic import.',
    facts: ['Error: ERR_REQUIRE_ESM at loadConfig'],
    concepts: ['esm'],
    files: ['src/config/load.ts'],
  }),
  memory(SESSIONS.webhooks, '2026-11-12T14:40:00.000Z', {
    kind: 'bugfix',
    title: 'Webhook signature check needs the raw body',
    body: 'express.json() consumed the request before verifySignature saw it, so every signature failed in staging.',
    facts: ['verifySignature is mounted before express.json()', 'Locally the proxy had hidden it'],
    concepts: ['webhook', 'signature'],
    files: ['src/webhooks/verify.ts', 'src/app.ts'],
  }),
  memory(SESSIONS.webhooks, '2026-11-12T15:10:00.000Z', {
    kind: 'issue',
    state: 'open',
    title: 'Failed webhook deliveries are not retried',
    body: 'A delivery that gets a 5xx is logged and dropped.',
    facts: [],
    concepts: ['webhook', 'retry'],
    files: ['src/webhooks/deliver.ts'],
  }),
  memory(SESSIONS.webhooks, '2026-11-12T15:30:00.000Z', {
    kind: 'discovery',
    title: 'Staging sits behind a proxy that rewrites X-Forwarded-For',
    body: 'Rate limits by address see the proxy, not the client, unless trust proxy is set to 2.',
    facts: [],
    concepts: ['proxy', 'rate limit'],
    files: ['src/app.ts'],
  }),
  memory(SESSIONS.webhooks, '2026-11-12T16:20:00.000Z', {
    kind: 'preference',
    title: 'Tests use a real PostgreSQL, never a mock',
    body: 'Stated by the user when a mock of the database was proposed.',
    facts: [],
    concepts: ['testing'],
    files: [],
  }),
  memory(SESSIONS.auth, '2026-11-15T09:10:00.000Z', {
    kind: 'decision',
    state: 'superseded',
    title: 'Refresh tokens live for 30 days',
    body: 'Long lived refresh tokens, stored as they are.',
    facts: [],
    concepts: ['auth'],
    files: ['src/auth/refresh.ts'],
  }),
  memory(SESSIONS.auth, '2026-11-15T09:30:00.000Z', {
    kind: 'decision',
    title: 'Refresh tokens rotate on every use',
    body: 'Each refresh gives a new refresh token and ends the old one after a grace period of 10 s.',
    reason: 'A stolen token is then worth one request, and reuse shows the theft.',
    facts: ['Grace period: REFRESH_GRACE_MS = 10000', 'Only hashes of tokens are stored'],
    concepts: ['auth', 'security'],
    files: ['src/auth/refresh.ts'],
  }),
  memory(SESSIONS.auth, '2026-11-15T09:40:00.000Z', {
    kind: 'dead_end',
    title: 'Rotation without a grace period',
    body: 'The mobile app sends two refresh requests at once after a cold start; the second one logged the user out.',
    facts: [],
    concepts: ['auth', 'mobile'],
    files: ['src/auth/refresh.ts'],
  }),
  memory(SESSIONS.auth, '2026-11-15T09:50:00.000Z', {
    kind: 'issue',
    state: 'resolved',
    title: 'useAuthToken keeps a stale token after logout',
    body: 'The hook cached the token in module scope; logout now clears it.',
    facts: [],
    concepts: ['auth'],
    files: ['web/hooks/useAuthToken.ts'],
  }),
  memory(SESSIONS.auth, '2026-11-15T09:55:00.000Z', {
    kind: 'discovery',
    title: '会话存储使用 Redis 哈希',
    body: '每个会话一个键，刷新令牌的哈希存放在字段 rt 中。',
    facts: [],
    concepts: ['auth'],
    files: ['src/auth/session.ts'],
  }),
];

/** The fixture in an index of its own. */
export function fixtureIndex(path = ':memory:'): MemoryIndex {
  const index = MemoryIndex.open(path);
  index.upsertProject({
    id: PROJECT,
    name: 'payments',
    keys: ['remote:example.com/acme/payments'],
    paths: ['/home/dev/payments'],
  });
  for (const item of FIXTURE_SESSIONS) index.upsertSession(item);
  index.upsertMemories(FIXTURE_MEMORIES.map((item) => ({ memory: item })));
  return index;
}

/** The id of the one fixture memory whose title begins so. */
export function idOf(title: string): string {
  const found = FIXTURE_MEMORIES.filter((item) => item.title.startsWith(title));
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} memories begin with ${title}`);
  return found[0].id;
}

function session(
  id: string,
  startedAt: string,
  lastAt: string,
  turns: number,
  summary: SessionSummary,
): Session {
  return {
    id,
    agent: 'claude-code',
    project: PROJECT,
    startedAt,
    lastAt,
    endedAt: lastAt,
    status: 'completed',
    turns,
    branch: 'main',
    summary,
  };
}

function memory(sessionId: string, at: string, draft: MemoryDraft): Memory {
  const turn = `turn-${at}`;
  return {
    evidence: USUAL[draft.kind],
    ...draft,
    id: memoryId(at, turn, draft.kind, 0),
    project: PROJECT,
    at,
    state: draft.state ?? 'current',
    provenance: { agent: 'claude-code', session: sessionId, turn, messages: [`message-${at}`], by: 'local' },
  };
}
