/** Where the rows of the score come from: one entry per benchmark, which runs once as a process and prints JSON. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Mode, Row, Rule } from './_score-page.ts';

const ROOT = join(import.meta.dirname, '..');
const SUITE = join(ROOT, '.tmp', 'suite.json');
const DIST = join(ROOT, 'plugin', 'dist');

/** Data that is not part of the repository. */
export type Data = 'locomo' | 'coding' | 'transcripts' | 'sde';
export type DataPaths = Readonly<Record<Data, string>>;

/** Milliseconds of a bare `curl`, beside the benchmark. */
export interface Curl {
  readonly wall: number;
  readonly cpu: number;
}

/** The JSON of a benchmark. A figure that it does not print any more is no number, and `npm run score` says so. */
// oxlint-disable-next-line no-explicit-any -- a type of each benchmark would repeat what the rows below name
type Printed = any;

export interface Source {
  readonly group: string;
  /** Arguments of Node; none: nothing to run, or not in this mode. */
  readonly command?: (data: DataPaths) => Readonly<Partial<Record<Mode, readonly string[]>>>;
  readonly needs?: Data;
  readonly rows: (printed: Printed, curl: Curl) => readonly Figure[] | Promise<readonly Figure[]>;
  /** Has no times. */
  readonly isTimeless?: true;
}

export type Figure = Omit<Row, 'group'>;

interface Share {
  readonly count: number;
  readonly of: number;
}

/** A shorter time says more about the machine, and no user notices it. */
const SHORTEST_MS = 10;

const share = (name: string, { count, of }: Share, more?: 'better', rule: Rule = 'label'): Figure => ({
  name,
  value: count,
  of,
  unit: '',
  rule,
  ...(more ? { more } : {}),
});
/** A share of which only the ratio is printed. */
const part = (name: string, ratio: number, of: number, more?: 'better', rule?: Rule): Figure =>
  share(name, { count: Number((ratio * of).toFixed(2)), of }, more, rule);
const time = (name: string, ms: number | null, curl: number): Figure => ({
  name,
  value: (ms ?? NaN) / curl,
  unit: '× curl',
  rule: (ms ?? 0) < SHORTEST_MS ? 'shown' : 'time',
  detail: `${ms?.toFixed(ms < 10 ? 1 : 0)} ms`,
});
const plain = (name: string, value: number, unit: string, rule: Rule): Figure => ({
  name,
  value,
  unit,
  rule,
});

const MORE = new Set(['in force, remembered', 'open right', 'kind right', 'title carries the point']);

export const SOURCES: readonly Source[] = [
  {
    group: 'live',
    command: () => ({
      quick: ['bench/live/live.ts', '--json', '--mode', 'recorded', '--projects', 'p-1,p-2'],
      full: ['bench/live/live.ts', '--json', '--mode', 'recorded,uncued,silent'],
    }),
    isTimeless: true,
    rows: (results) =>
      results.flatMap(({ mode, total }: Printed) =>
        Object.entries<Share>(total).map(([measure, one]) =>
          share(`${mode}: ${measure}`, one, MORE.has(measure) ? 'better' : undefined),
        ),
      ),
  },
  {
    group: 'gate',
    command: ({ coding, transcripts }) => ({
      quick: ['bench/gate.ts', '--json', '--every', '12'],
      full: [
        'bench/gate.ts',
        '--json',
        '--every',
        '4',
        ...(coding ? ['--coding', coding] : []),
        ...(transcripts ? ['--transcripts', transcripts] : []),
      ],
    }),
    isTimeless: true,
    rows: ({ rows }) =>
      rows
        .filter(
          ({ part, way, from }: Printed) => part !== 'all' && way !== 'words and meaning' && from !== 'all',
        )
        .flatMap(({ part: name, way, score }: Printed) => {
          const { prompts, withoutRelevant, falseInjections, recall, injected, precision } = score;
          const wanted = prompts - withoutRelevant;
          return [
            share(`${name}, ${way}: false injections`, { count: falseInjections, of: withoutRelevant }),
            part(`${name}, ${way}: recall`, recall, wanted, 'better'),
            part(`${name}, ${way}: precision`, precision, injected, 'better'),
          ];
        }),
  },
  {
    group: 'LoCoMo',
    needs: 'locomo',
    command: ({ locomo }) => ({ full: ['bench/recall.ts', '--json', '--locomo', locomo] }),
    isTimeless: true,
    rows: ({ rows }) => recallRows(rows, 'point'),
  },
  {
    group: 'coding sessions',
    needs: 'coding',
    command: ({ coding }) => {
      const args = ['bench/recall.ts', '--json', '--coding', coding];
      return { quick: args, full: args };
    },
    isTimeless: true,
    rows: ({ rows }) => recallRows(rows, 'label'),
  },
  {
    group: 'sde-bench',
    needs: 'sde',
    command: ({ sde }) => ({ full: ['bench/sde.ts', '--json', '--data', sde] }),
    isTimeless: true,
    rows: ({ rows, silence }) => {
      const all = (name: string): number =>
        Number(rows.find(([one = '']: readonly string[]) => one.includes(name))?.at(-1));
      return [
        { ...plain('reached the agent', all('**reached'), 'tasks', 'label'), more: 'better' as const },
        plain('replaced decision presented as current', all('presented as current'), 'tasks', 'label'),
        ...Object.entries<readonly [number, number]>(silence).map(([of, [count, total]]) =>
          share(`${of}: got something although nothing is relevant`, { count, of: total }),
        ),
      ];
    },
  },
  {
    group: 'secrets',
    command: () => ({ quick: ['bench/secrets.ts', '--json'], full: ['bench/secrets.ts', '--json'] }),
    isTimeless: true,
    rows: ({ issuers, others, alarms, texts, perMegabyte }) => [
      share('issuer formats caught', { count: issuers.caught, of: issuers.planted }, 'better'),
      share('other classes caught', { count: others.caught, of: others.planted }, 'better'),
      share('harmless texts changed', { count: alarms.length, of: texts }),
      plain('false alarms in own files', perMegabyte, 'per MB', 'size'),
    ],
  },
  {
    group: 'hooks',
    command: () => ({
      quick: ['bench/hooks.ts', '--json', '--n', '15', '--up'],
      full: ['bench/hooks.ts', '--json', '--n', '50'],
    }),
    rows: ({ summaries, edits }) => {
      const curl = summaries.find(({ name }: Printed) => name.startsWith('bare `curl`'))?.wallMedian ?? NaN;
      return [...summaries.filter(({ name }: Printed) => /^[A-Z]/.test(name)), ...edits].map(
        ({ name, wallMedian }: Printed) => time(name, wallMedian, curl),
      );
    },
  },
  {
    group: 'one turn in the daemon',
    command: () => ({
      quick: ['bench/turns.ts', '--json', '--n', '12'],
      full: ['bench/turns.ts', '--json', '--n', '50'],
    }),
    rows: ({ cpu, prompt, stop }, curl) => [
      ...cpu.map(({ memories, ms }: Printed) => time(`CPU, ${memories} memories`, ms, curl.cpu)),
      plain('files that a prompt runs', prompt.files, '', 'hundredth'),
      plain('functions that a prompt runs', prompt.functions, '', 'hundredth'),
      plain('files that a Stop with two notes runs', stop.files, '', 'hundredth'),
      plain('functions that a Stop with two notes runs', stop.functions, '', 'hundredth'),
    ],
  },
  {
    group: 'daemon',
    command: () => ({
      quick: ['bench/resources.ts', '--json', '--events', '200', '--idle', '8', '--cold', '5'],
      full: ['bench/resources.ts', '--json'],
    }),
    rows: ({ events, moments, peakMb, cold, idle, cpuSeconds }, curl) => [
      time('cold SessionStart', cold.medianMs, curl.wall),
      time(`CPU per event, ${events} events`, (cpuSeconds * 1000) / events, curl.cpu),
      ...moments.map(({ when, daemon }: Printed) =>
        plain(`RSS ${WHEN[when] ?? when}`, daemon.rssMb, 'MB', 'size'),
      ),
      plain('highest RSS', peakMb, 'MB', 'size'),
      plain(`CPU in ${idle.seconds} idle seconds`, idle.cpuSeconds, 's', 'shown'),
    ],
  },
  {
    group: 'index',
    command: () => ({ full: ['bench/scale.ts', '--json', '--size', '100000'] }),
    rows: ({ rows: [row] }, curl) => [
      time('100,000 memories, CPU to index words', row.wordsCpuSeconds * 1000, curl.cpu),
      time('CPU of a search by words, median', row.words.cpu[0], curl.cpu),
      time('CPU of a search by words and meaning, median', row.both.cpu[0], curl.cpu),
      time('the same, p95', row.both.cpu[1], curl.cpu),
      time('time to load the vectors', row.loadMs, curl.wall),
      plain('disk', row.diskMb, 'MB', 'size'),
      plain('RSS', row.rssMb, 'MB', 'size'),
    ],
  },
  {
    group: 'programs',
    isTimeless: true,
    rows: () => {
      const programs = readdirSync(DIST).filter((name) => name.endsWith('.cjs'));
      const hub = readdirSync(join(DIST, 'hub'));
      const bytes = (names: readonly string[]): number =>
        names.reduce((sum, name) => sum + statSync(join(DIST, name)).size, 0);
      return [
        ...programs.map((name) => plain(name, bytes([name]), 'bytes', 'hundredth')),
        plain('page of the hub', bytes(hub.map((name) => join('hub', name))), 'bytes', 'hundredth'),
      ];
    },
  },
  {
    group: 'code',
    isTimeless: true,
    rows: async () =>
      Object.entries(await budgets()).map(([name, { now, budget }]) => ({
        ...plain(name, now, '', 'budget'),
        budget,
      })),
  },
  {
    group: 'tests',
    isTimeless: true,
    rows: () => {
      if (!existsSync(SUITE)) return [];
      const { seconds, passed, failed, skipped, suites } = JSON.parse(readFileSync(SUITE, 'utf8'));
      return [
        {
          ...plain('the last whole run', seconds, 's', 'shown'),
          detail: `${passed} passed, ${failed} failed, ${skipped} skipped`,
        },
        ...suites.map((suite: Printed) => plain(suite.name, suite.seconds, 's of all files', 'shown')),
      ];
    },
  },
];

/** As `npm run check` counts. */
async function budgets(): Promise<
  Readonly<Record<string, { readonly now: number; readonly budget: number }>>
> {
  const { measureHere } = (await import(new URL('../scripts/budgets.mjs', import.meta.url).href)) as {
    readonly measureHere: () => ReturnType<typeof budgets>;
  };
  return measureHere();
}

const WHEN: Readonly<Record<string, string>> = {
  before: 'after the start',
  after: 'after the events',
  idle: 'at rest',
};

function recallRows(rows: readonly Printed[], rule: Rule): readonly Figure[] {
  return rows
    .filter(({ by }) => by !== 'meaning')
    .flatMap(({ data, by, quality: { queries, recallAt } }: Printed) =>
      ([5, 10] as const).map((depth) =>
        part(`${data}, ${by}: R@${depth}`, recallAt[depth], queries, 'better', rule),
      ),
    );
}
