/**
 * Half a year of a simulated user's work, written as files before the real daemon starts: three projects of invented
 * memories around today, and the bundled sample with its full conversations. Nothing in it is random.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryId, type Memory, type MemoryKind, type Places } from '../../src/core/index.ts';
import { Journal } from '../../src/storage/journal/index.ts';
import type { Machine } from './machine.ts';

export interface Seeded {
  readonly memories: readonly Memory[];
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

const NOTHING: Seeded = { memories: [], projects: [] };
const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample', 'projects');
const DAY_MS = 24 * 60 * 60_000;
const DAYS = 176;
/** More than the journal has. */
const FIRST_WAITING = 265;

const PROJECTS = [
  { id: 'tide-tables-3fk9x', name: 'tide-tables', share: 3 },
  { id: 'lighthouse-ui-8mw2c', name: 'lighthouse-ui', share: 2 },
  { id: 'buoy-firmware-5dq7r', name: 'buoy-firmware', share: 1 },
] as const;

/** Kind, title, body, optional reason. `{}` is replaced by the subject. */
const SAID: readonly (readonly [MemoryKind, string, string, string?])[] = [
  [
    'feature',
    '{} can be exported as CSV',
    'One route streams it row by row, so that a year of data needs no memory.',
  ],
  [
    'bugfix',
    '{} no longer shows times an hour late in summer',
    'Times were formatted in the zone of the server. They carry their own zone now.',
  ],
  [
    'decision',
    'Keep {} in one table, partitioned by month',
    'Queries never span more than two months, and old months are dropped whole.',
    'dropping a partition is instant, deleting rows locked the table for minutes',
  ],
  [
    'discovery',
    '{} is read twice at start-up',
    'The loader runs once for the health check and once for the first request.',
  ],
  ['refactor', 'Parsing of {} has a module of its own', 'It is pure now; the tests need no server.'],
  [
    'pattern',
    'Every change to {} goes through its queue',
    'Nothing writes beside it, so the order of events is the order of rows.',
  ],
  [
    'issue',
    '{} is not cleaned up when a station is removed',
    'Its rows stay behind. Left for later: decide whether to keep them for the archive.',
  ],
  [
    'dead_end',
    'Caching {} in the browser',
    'The service worker kept serving old tides after a correction. Taken out again.',
  ],
  ['feature', '{} has a page of its own', 'With a chart of the last day and the next two.'],
  [
    'bugfix',
    'Importing {} survives a missing column',
    'Two stations leave the column out at neap tide. It is optional now.',
  ],
  [
    'decision',
    'Validate {} at the edge, trust it inside',
    'One schema at the route; no checks further in.',
    'the same check in four places had drifted apart',
  ],
  ['preference', 'Write the failing test for {} first', 'Asked for whenever something about it is fixed.'],
];
const ABOUT = [
  'the station list',
  'the constants file',
  'the forecast cache',
  'the alarm log',
  'the chart renderer',
  'the map layer',
  'the firmware manifest',
  'the battery telemetry',
  'the sign-in flow',
  'the translation table',
  'the nightly report',
  'the retry queue',
];

/** Each subject is different, so that no memories are merged. */
const PLACES = [
  'Faro',
  'Brest',
  'Cork',
  'Oban',
  'Vigo',
  'Leith',
  'Dover',
  'Bergen',
  'Galway',
  'Cadiz',
  'Malin',
  'Lagos',
  'Sines',
  'Ushant',
  'Wick',
  'Aveiro',
  'Largs',
  'Cascais',
  'Bilbao',
  'Roscoff',
  'Nazare',
  'Lerwick',
  'Dingle',
];

/** `extra`: further invented work, newer than the rest. */
export async function seed(machine: Machine, now: Date, extra: Seeded = NOTHING): Promise<Seeded> {
  const memories = [...madeUp(now), ...extra.memories];
  const projects = [...PROJECTS, ...extra.projects];
  mkdirSync(machine.places.home, { recursive: true, mode: 0o700 });
  const journal = new Journal(machine.places.journal);
  await journal.put(memories, headsOf(memories));
  await journal.close();
  writeLedger(machine.places, { memories, projects }, now);
  cpSync(SAMPLE, join(machine.config, 'projects'), { recursive: true });
  await machine.up();
  await machine.call('import.history', { sources: machine.sources, finished: true });
  await machine.drained();
  await change(machine, memories);
  return { memories, projects };
}

/** Changes that the user made: a replaced decision, a resolved issue, an edited text. */
async function change(machine: Machine, memories: readonly Memory[]): Promise<void> {
  const old = memories.slice(0, 60);
  const [decision, issue] = [
    old.find(({ kind }) => kind === 'decision'),
    old.find(({ kind, state }) => kind === 'issue' && state === 'open'),
  ];
  const later = old.findLast(({ kind, project }) => kind === 'decision' && project === decision?.project);
  const pattern = old.find(({ kind }) => kind === 'pattern');
  if (!decision || !issue || !later || !pattern) throw new Error('the invented memories lack a kind');
  await machine.call('supersede', { old: decision.id, by: later.id });
  await machine.call('settle', { ids: [issue.id], done: true });
  await machine.call('edit', {
    id: pattern.id,
    patch: { title: 'Every change goes through `queue.push()`' },
  });
}

/** More on working days, in bursts, fewer long ago, as in real work. */
function madeUp(now: Date): readonly Memory[] {
  const memories: Memory[] = [];
  for (let day = DAYS; day >= 0; day--) {
    const date = new Date(now.getTime() - day * DAY_MS);
    const isWeekend = date.getUTCDay() % 6 === 0;
    const wave = Math.sin(day / 5) + Math.sin(day / 17) + (DAYS - day) / DAYS;
    const count = day === 0 ? 3 : Math.max(0, Math.round(wave * (isWeekend ? 0.4 : 2)));
    for (let i = 0; i < count; i++) memories.push(memoryOf(memories.length, i, date));
  }
  return memories;
}

function memoryOf(n: number, ofDay: number, date: Date): Memory {
  const [kind, title, body, reason] = SAID[(n * 5 + Math.floor(n / 12)) % SAID.length] ?? SAID[0]!;
  const place = PLACES[n % PLACES.length] ?? '';
  const thing = ABOUT[(n * 7 + Math.floor(n / SAID.length)) % ABOUT.length] ?? '';
  const about = `${thing} of ${place}`;
  const project = PROJECTS.flatMap((one) => Array<typeof one>(one.share).fill(one))[n % 6] ?? PROJECTS[0];
  const at = new Date(
    Math.floor(date.getTime() / DAY_MS) * DAY_MS + (7 * 60 + ofDay * 37 + (n % 23)) * 60_000,
  );
  const named = title.replace('{}', about);
  const turn = `made-up-turn-${n}`;
  return {
    id: memoryId(at.toISOString(), turn, kind, 0),
    kind,
    title: named.charAt(0).toUpperCase() + named.slice(1),
    body,
    ...(reason === undefined ? {} : { reason }),
    facts: n % 3 === 0 ? ['`npm test` failed, then passed after the change'] : [],
    concepts: [...thing.split(' ').slice(1), place],
    files: [`src/${place.toLowerCase()}/${thing.split(' ').slice(1).join('-')}.ts`],
    project: project.id,
    at: at.toISOString(),
    state: kind === 'issue' ? (n % 2 === 0 ? 'open' : 'resolved') : 'current',
    provenance: {
      agent: 'claude-code',
      session: sessionOf(project.name, at),
      turn,
      messages: [],
      by: 'local',
    },
  };
}

function sessionOf(project: string, at: Date): string {
  return `made-up-${project}-${at.toISOString().slice(0, 10)}`;
}

function headsOf(memories: readonly Memory[]) {
  return sessionsIn(memories).map(({ id, own, first }) => ({
    id,
    agent: 'claude-code',
    startedAt: first.at,
    title: first.title,
    status: 'completed' as const,
    project: first.project,
    summary: {
      request: `Work on ${first.concepts.join(' ')}.`,
      investigated: first.body,
      learned: '',
      completed: own.map(({ title }) => title).join('; '),
      next_steps: '',
      files_read: '',
      files_edited: first.files.join(', '),
      notes: '',
    },
  }));
}

function sessionsIn(memories: readonly Memory[]) {
  return [...Map.groupBy(memories, ({ provenance }) => provenance.session)].flatMap(([id, own]) =>
    own[0] ? [{ id, own, first: own[0] }] : [],
  );
}

/** Data that the journal does not contain: projects, sessions, recalls, the review inbox. */
function writeLedger(places: Places, { memories, projects }: Seeded, now: Date): void {
  const at = (daysAgo: number, minutes = 0) =>
    new Date(now.getTime() - daysAgo * DAY_MS + minutes * 60_000).toISOString();
  const sessions = sessionsIn(memories);
  const records: { readonly kind: string; readonly at: string }[] = [
    ...projects.map(({ id, name }) => ({
      kind: 'project',
      at: at(DAYS),
      project: { id, name, keys: [`path:/work-of/${name}`], paths: [`/work-of/${name}`] },
    })),
    ...sessions.flatMap(({ id, own, first }) => [
      {
        kind: 'session',
        at: first.at,
        session: id,
        change: 'started',
        project: first.project,
        agent: 'claude-code',
      },
      { kind: 'session', at: first.at, session: id, change: 'titled', title: first.title },
      { kind: 'session', at: own.at(-1)?.at ?? first.at, session: id, change: 'ended', status: 'completed' },
    ]),
    ...recallsOf(sessions.slice(-12)),
    ...[0, 1, 2].map((i) => ({
      kind: 'waiting',
      at: at(0, -30 + i),
      memory: memoryOf(FIRST_WAITING + i, i, now),
    })),
  ];
  mkdirSync(places.ledger, { recursive: true, mode: 0o700 });
  for (const [month, own] of Map.groupBy(
    records.toSorted((a, b) => a.at.localeCompare(b.at)),
    (record) => record.at.slice(0, 7),
  )) {
    const lines = own.map((record) => `${JSON.stringify(record)}\n`);
    writeFileSync(join(places.ledger, `${month}.jsonl`), lines.join(''), { mode: 0o600 });
  }
}

function recallsOf(sessions: ReturnType<typeof sessionsIn>) {
  return sessions.flatMap(({ id, first }, i) => {
    const before = sessions[i - 1];
    if (!before) return [];
    const memories = before.own
      .slice(0, 3)
      .map(({ id: memory }, k) => ({ id: memory, score: 0.86 - 0.14 * k }));
    const shared = { at: first.at, session: id };
    return [
      { kind: 'injected', ...shared, where: i % 2 === 0 ? 'brief' : 'prompt', memories, considered: 40 },
      ...(i % 3 === 0 ? [{ kind: 'opened', ...shared, memory: before.first.id }] : []),
    ];
  });
}
