/** A project after months of work: many sessions, long text, Chinese and Japanese. For tests and golden files. */
import {
  memoryId,
  PERSONAL_PROJECT,
  type Memory,
  type MemoryDraft,
  type Session,
  type SessionSummary,
} from '../../src/core/index.ts';
import { MemoryIndex } from '../../src/database/index.ts';
import { putImportedSummary } from '../../src/memory/index.ts';
import { USUAL } from './recall-fixture.ts';

export const NOW = new Date('2026-11-15T12:00:00.000Z');
export const PROJECT = 'ledgerly-7hq2';

const HOUR = 3_600_000;

/** Hours ago, turns, what was asked, what came of it, what was learned. Newest first. */
const WORK: readonly (readonly [number, number, string, string, string])[] = [
  [
    3,
    14,
    'Make the CSV import survive a restart in the middle',
    'Imports are cut into batches of 500 rows with a checkpoint after each; a killed worker goes on at the last one.',
    'The old importer held one transaction for the whole file, so a restart threw away up to 40 minutes of work.',
  ],
  [5, 1, 'hi', '', ''],
  [
    27,
    9,
    '把对账任务从每晚一次改为每小时一次，并处理时区问题',
    '对账任务改为每小时运行；所有时间以 UTC 存储，只在显示时转换为用户所在时区。',
    '夏令时切换当天有一个小时会重复，按本地时间分组会把同一笔交易计算两次。',
  ],
  [
    50,
    22,
    'Add multi-currency accounts',
    'Accounts carry a currency; totals are converted at the rate of the day.',
    '',
  ],
  [76, 4, 'Why is the invoice PDF blank on Safari?', 'Fonts are embedded as WOFF, Safari prints again.', ''],
  [100, 17, 'Replace the hand-written router with Hono', 'All 43 routes moved; the old router is gone.', ''],
  [124, 6, 'レポートの PDF 出力を日本語に対応させる', '日本語フォントを埋め込み、改行位置を修正した。', ''],
  [170, 11, 'Rate limits for the public API', 'Token bucket per key in Redis, 429 with Retry-After.', ''],
  [200, 3, 'Flaky test in reconcile.test.ts', 'The test waited for a timer; it now drives the clock.', ''],
  [260, 8, 'Audit log of who changed what', 'Append-only table, written in the same transaction.', ''],
  [400, 5, 'Upgrade to Node 24', 'Upgraded, node-gyp no longer needed.', ''],
  [700, 12, 'Set up CI', 'Lint, types and tests run on every push.', ''],
];

const SESSIONS: readonly Session[] = WORK.map(([hours, turns, request, completed, learned], i) => {
  const lastAt = new Date(NOW.getTime() - hours * HOUR).toISOString();
  const summary: SessionSummary = {
    request,
    investigated: '',
    learned,
    completed,
    next_steps:
      i === 0
        ? '- Show the progress of an import in the UI\n- Delete checkpoints older than 30 days\n- Ask finance whether a half-imported month may be visible'
        : '',
    files_read: '',
    files_edited: i === 0 ? 'src/import/csv.ts, src/import/checkpoint.ts' : '',
    notes: '',
  };
  return {
    id: sessionId(i),
    agent: 'claude-code',
    project: PROJECT,
    startedAt: lastAt,
    lastAt,
    endedAt: lastAt,
    status: 'completed',
    turns,
    branch: 'main',
    ...(completed ? { summary } : { summary: { ...summary, request } }),
  };
});

type Draft = Pick<MemoryDraft, 'kind' | 'title'> &
  Partial<Memory> & { readonly hours: number; readonly from: number };

const DRAFTS: readonly Draft[] = [
  {
    hours: 3.5,
    from: 0,
    kind: 'decision',
    title: 'Imports run in batches of 500 rows with a checkpoint after each',
    reason: 'A restart may cost one batch, never the whole file; larger batches held row locks for seconds.',
    files: ['src/import/csv.ts', 'src/import/checkpoint.ts'],
  },
  {
    hours: 3.4,
    from: 0,
    kind: 'dead_end',
    title: 'COPY FROM STDIN for the import',
    body: 'Four times as fast, but one bad row aborts the whole file and PostgreSQL does not say which one it was.',
    files: ['src/import/csv.ts'],
  },
  {
    hours: 3.3,
    from: 0,
    kind: 'bugfix',
    title: 'A byte order mark made the first column unreadable',
    body: 'The parser strips it now.',
    files: ['src/import/csv.ts'],
  },
  {
    hours: 3.2,
    from: 0,
    kind: 'issue',
    state: 'open',
    title: 'Two imports of the same account at once deadlock',
    body: 'Both take the account row, then the batch row, in different order when one is a retry.',
    files: ['src/import/csv.ts'],
  },
  {
    hours: 27.2,
    from: 2,
    kind: 'decision',
    title: '所有时间以 UTC 存储，只在显示时转换',
    body: '数据库、队列和日志一律使用 UTC；前端根据用户设置转换。',
    reason:
      '夏令时切换当天本地时间会重复一小时，按本地时间分组的对账会把同一笔交易计算两次，财务部门因此在三月份多付了一笔款项。',
    files: ['src/reconcile/schedule.ts'],
  },
  {
    hours: 27.1,
    from: 2,
    kind: 'dead_end',
    title: '用数据库触发器做对账',
    body: '触发器在批量导入时让写入速度下降了十倍，而且失败时整个导入都会回滚。',
    files: ['src/reconcile/run.ts'],
  },
  {
    hours: 51,
    from: 3,
    kind: 'decision',
    title: 'Money is an integer of the smallest unit, never a float',
    reason: 'Sums of floats were off by a cent in 1 of 3,000 statements.',
    files: ['src/money.ts'],
  },
  {
    hours: 50.5,
    from: 3,
    kind: 'issue',
    state: 'open',
    title: 'Yen and dinar need 0 and 3 decimals in the PDF',
    files: ['src/report/pdf.ts'],
  },
  {
    hours: 77,
    from: 4,
    kind: 'bugfix',
    title: 'Safari prints WOFF2 fonts blank',
    body: 'Only when printing; WOFF works.',
    files: ['src/report/pdf.ts'],
  },
  {
    hours: 101,
    from: 5,
    kind: 'refactor',
    title: 'Routes moved to Hono',
    files: ['src/http/app.ts'],
  },
  {
    hours: 100.5,
    from: 5,
    kind: 'preference',
    title: 'Small commits, one idea each',
    seen: 5,
    project: PERSONAL_PROJECT,
  },
  {
    hours: 300,
    from: 9,
    kind: 'preference',
    title: 'Tests use a real PostgreSQL, never a mock',
    body: 'Said when a mock of the database was proposed.',
    seen: 3,
  },
  { hours: 171, from: 7, kind: 'preference', title: 'Prefer early returns', body: 'Said once in a review.' },
  {
    hours: 172,
    from: 7,
    kind: 'pattern',
    title: 'Every handler validates its input with valibot first',
    seen: 4,
    files: ['src/http/app.ts'],
  },
  {
    hours: 170.5,
    from: 7,
    kind: 'decision',
    title: 'Rate limits by key, not by address',
    reason: 'Half of the customers sit behind one proxy.',
    files: ['src/http/limit.ts'],
  },
  {
    hours: 261,
    from: 9,
    kind: 'decision',
    evidence: 'claimed',
    title: 'The audit log is written in the same transaction as the change',
    reason: 'A change without its line would be worse than a failed change.',
    files: ['src/audit.ts'],
  },
  {
    hours: 201,
    from: 8,
    kind: 'discovery',
    title: 'node:test mock timers do not move Date unless told to',
    files: ['test/reconcile.test.ts'],
  },
  {
    hours: 124.5,
    from: 6,
    kind: 'feature',
    title: '日本語レポートの PDF 出力',
    files: ['src/report/pdf.ts'],
  },
];

const MEMORIES: readonly Memory[] = DRAFTS.map(({ hours, from, ...draft }, i) => {
  const at = new Date(NOW.getTime() - hours * HOUR).toISOString();
  const turn = `turn-${i}`;
  return {
    body: '',
    facts: [],
    concepts: [],
    files: [],
    state: 'current',
    project: PROJECT,
    evidence: USUAL[draft.kind],
    ...draft,
    id: memoryId(at, turn, draft.kind, 0),
    at,
    provenance: { agent: 'claude-code', session: sessionId(from), turn, messages: [], by: 'model' },
  };
});

export function richIndex(): MemoryIndex {
  const index = MemoryIndex.open(':memory:');
  index.upsertProject({ id: PROJECT, name: 'ledgerly', keys: [], paths: [] });
  for (const session of SESSIONS) {
    index.upsertSession(session);
    if (session.summary)
      putImportedSummary(index, { session: session.id, at: session.lastAt, summary: session.summary });
  }
  index.upsertMemories(MEMORIES.map((memory) => ({ memory })));
  return index;
}

function sessionId(i: number): string {
  return `${String(i).padStart(8, '0')}-0000-4000-8000-000000000000`;
}
