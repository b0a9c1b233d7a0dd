/** Two weeks of invented work on a bookshop, for pictures of the hub. Nothing in it is random or real. */
import { memoryId } from '../src/core/index.ts';

const DAY_MS = 24 * 60 * 60_000;
const API = { id: 'bookshop-api-4kt8w', name: 'bookshop-api' };
const WEB = { id: 'bookshop-web-9rm2d', name: 'bookshop-web' };

export const INVENTED_PROJECTS = [API, WEB];

/** Days ago, minutes after 8:00, project, kind, title, body, more fields. */
const WORK = [
  [9, 10, API, 'decision', 'Orders are stored in SQLite', 'One file per shop.', { name: 'sqlite' }],
  [
    8,
    20,
    API,
    'issue',
    'A refund is booked twice if the payment provider retries',
    'The webhook has no idempotency key.',
    { name: 'refund', state: 'open' },
  ],
  [
    6,
    5,
    API,
    'pattern',
    'Every route validates its body with a schema in `src/routes`',
    'Handlers trust their input.',
    { evidence: 'said' },
  ],
  [
    5,
    15,
    WEB,
    'dead_end',
    'Virtual scrolling with absolute rows broke screen readers',
    'Rows were announced in the wrong order. Pages of 50 instead.',
    {},
  ],
  [
    4,
    30,
    WEB,
    'preference',
    'Write the failing test before the fix',
    'Said for every bug report.',
    { evidence: 'said' },
  ],
  [
    3,
    25,
    API,
    'decision',
    'Orders move to PostgreSQL, one schema per shop',
    'SQLite locked the whole shop while the nightly report ran.',
    {
      name: 'postgres',
      evidence: 'said',
      reason: 'the nightly report locked all writes for minutes',
      files: ['src/db/client.ts', 'migrations/001_orders.sql'],
    },
  ],
  [
    2,
    40,
    API,
    'issue',
    'Search ignores the accents in author names',
    '`unaccent` is not installed in the test database.',
    { state: 'open' },
  ],
  [
    1,
    12,
    WEB,
    'feature',
    'The basket survives a reload',
    'It is stored under the visit, not under the tab.',
    { evidence: 'shown' },
  ],
  [
    1,
    55,
    API,
    'bugfix',
    'Webhooks carry an idempotency key, so a refund is booked once',
    'The key is the id of the event; the second one gets the first answer.',
    { name: 'idempotent', evidence: 'shown', files: ['src/webhooks/refund.ts'] },
  ],
  [
    0,
    8,
    API,
    'decision',
    'Prices are integers in cents, never floats',
    'Formatting happens in the browser.',
    { evidence: 'said', reason: 'rounding differed between the invoice and the basket' },
  ],
  [
    0,
    26,
    WEB,
    'discovery',
    '`Intl.NumberFormat` is slow to create: keep one per currency',
    'Creating it per row took 40 ms of a 60 ms render.',
    {},
  ],
  [
    0,
    51,
    API,
    'issue',
    'The export job has no timeout',
    'A hanging printer service keeps the worker busy all night.',
    { state: 'open', evidence: 'said' },
  ],
];

/** The superseded decision and the resolved issue name their successors. */
const ENDS = { sqlite: ['superseded', 'postgres'], refund: ['resolved', 'idempotent'] };

/** @param {Date} now @returns {import('../src/core/index.ts').Memory[]} */
export function inventedMemories(now) {
  const made = WORK.map(([daysAgo, minutes, project, kind, title, body, more], i) => {
    const day = Math.floor(now.getTime() / DAY_MS) - daysAgo;
    const at = new Date(day * DAY_MS + (8 * 60 + minutes) * 60_000).toISOString();
    const { name, ...fields } = more;
    const turn = `invented-turn-${i}`;
    const memory = {
      id: memoryId(at, turn, kind, 0),
      kind,
      title,
      body,
      facts: [],
      concepts: [],
      files: [],
      project: project.id,
      at,
      state: 'current',
      provenance: {
        agent: 'claude-code',
        session: `invented-${project.name}-${at.slice(0, 10)}`,
        turn,
        messages: [],
        by: 'local',
      },
      ...fields,
    };
    return { name, memory };
  });
  const idOf = (name) => made.find((one) => one.name === name)?.memory.id;
  return made.map(({ name, memory }) => {
    const [state, by] = ENDS[name] ?? [];
    if (state === undefined) return memory;
    const successor = state === 'resolved' ? { resolvedBy: idOf(by) } : { supersededBy: idOf(by) };
    return { ...memory, state, ...successor };
  });
}
