/** The results of the server benchmark as one Markdown table: a row per figure, a column per arrangement. */
import type { Sizes } from './_team-database.ts';
import type { Deed } from './_team-load.ts';
import type { Arrangement, Memory, Phase } from './_team-site.ts';

export interface Result {
  readonly about: {
    readonly commit: string;
    readonly seed: number;
    readonly sizes: Sizes;
    readonly seconds: number;
    readonly withModel: boolean;
    readonly arrangement: Arrangement;
  };
  readonly loadBefore: number;
  /** Why this arrangement could not be measured. */
  readonly failure?: string;
  readonly hash?: string;
  readonly phases?: readonly Phase[];
  /** In MB. */
  readonly memory?: Memory;
  readonly diskMb?: number;
  readonly largest?: readonly { readonly name: string; readonly mb: number }[];
  readonly filledInSeconds?: number;
  readonly vectorSeconds?: number;
}

type Row = readonly [string, (result: Result) => string];

const NONE = '–';
const SEARCHES: readonly (readonly [string, string, Deed])[] = [
  ['search, one client, big team', 'search alone, big team', 'search'],
  ['search, one client, one of its projects', 'search alone, one project', 'search one project'],
  ['search, one client, teams of middle size', 'search alone, small teams', 'search'],
  ['push of 5, one client', 'push alone', 'push'],
  ['pull, one client', 'pull alone', 'pull'],
  ['search, few clients', 'search', 'search'],
];
const MIXED: readonly Deed[] = ['search', 'push', 'pull', 'read'];

export function tableOf(results: readonly Result[]): string {
  const [first] = results;
  if (!first) return '';
  const { commit, seed, sizes, seconds, withModel } = first.about;
  const rows: readonly Row[] = [
    ['load before', ({ loadBefore }) => loadBefore.toFixed(1)],
    ...SEARCHES.map(([what, phase, deed]): Row => [
      `${what}, p50 / p95 ms`,
      inPhase(phase, (found) => times(found, deed)),
    ]),
    ['the same, per second', inPhase('search', ({ perSecond }) => perSecond.toFixed(1))],
    ['vectors of queries in time, one client, big team', inPhase('search alone, big team', inTime)],
    ['vectors of queries in time, few clients', inPhase('search', inTime)],
    ...mixed('mixed, few', 'few clients'),
    ...mixed('mixed, all', 'all clients'),
    ['errors', errorsOf],
    ...SEARCHES.map(([what, phase]): Row => [
      `CPU of ${what}, ms: server, PostgreSQL, PgBouncer`,
      inPhase(phase, cpu),
    ]),
    ['CPU of a request of the mixed load, few clients, ms', inPhase('mixed, few', cpu)],
    ['CPU of a request of the mixed load, all clients, ms', inPhase('mixed, all', cpu)],
    ['log of changes per pushed entry, KB', inPhase('push alone', wal)],
    [
      'memory, MB: servers, PostgreSQL, PgBouncer',
      ({ memory }) =>
        memory ? [memory.servers, memory.postgres, memory.pgbouncer].map(Math.round).join(', ') : NONE,
    ],
    ['disk, MB', ({ diskMb }) => String(Math.round(diskMb ?? Number.NaN))],
    [
      'filled in s; vector index in s',
      (one) => `${one.filledInSeconds ?? NONE}; ${one.vectorSeconds ?? NONE}`,
    ],
  ];
  const lines = [
    `commit ${commit} · ${sizes.memories} memories in ${sizes.teams} teams (one of ${sizes.big}, the others 1/n) · ${sizes.clients} clients, few: 20 · ${seconds} s per phase · model ${withModel ? 'on' : 'off'} · synthetic, seed ${seed}, hash ${first.hash ?? NONE}`,
    '',
    `| what | ${results.map(({ about }) => nameOf(about.arrangement)).join(' | ')} |`,
    `|---|${results.map(() => '---|').join('')}`,
    ...rows.map(
      ([what, of]) => `| ${what} | ${results.map((one) => (one.failure ? 'failed' : of(one))).join(' | ')} |`,
    ),
    '',
    ...results.flatMap(({ about, failure }) => (failure ? [`${nameOf(about.arrangement)}: ${failure}`] : [])),
    ...results
      .filter(({ about }) => about.arrangement.instances === 1 && !about.arrangement.pgbouncer)
      .map(largest),
  ];
  return lines.join('\n');
}

function nameOf({ instances, pgbouncer, pgvector }: Arrangement): string {
  const named = [`${instances} ${instances === 1 ? 'server' : 'servers'}`];
  if (pgbouncer) named.push('PgBouncer');
  if (pgvector) named.push('pgvector');
  return named.join(', ');
}

function inTime({ vectorsInTime }: Phase): string {
  return vectorsInTime === undefined ? NONE : `${Math.round(vectorsInTime * 100)} %`;
}

function mixed(phase: string, who: string): readonly Row[] {
  return [
    [`mixed load, ${who}, requests per second`, inPhase(phase, ({ perSecond }) => perSecond.toFixed(1))],
    ...MIXED.map((deed): Row => [
      `mixed load, ${who}, ${deed}, p50 / p95 ms`,
      inPhase(phase, (found) => times(found, deed)),
    ]),
  ];
}

function inPhase(name: string, of: (phase: Phase) => string): (result: Result) => string {
  return ({ phases = [] }) => {
    const found = phases.find((phase) => phase.name === name);
    return found ? of(found) : NONE;
  };
}

function times({ times: all }: Phase, deed: Deed): string {
  const found = all[deed];
  return found ? `${found.p50.toFixed(1)} / ${found.p95.toFixed(1)}` : NONE;
}

function cpu({ cpu: { servers, postgres, pgbouncer } }: Phase): string {
  return [servers, postgres, pgbouncer].map((ms) => ms.toFixed(1)).join(', ');
}

function wal({ walPerEntry }: Phase): string {
  return walPerEntry === undefined ? NONE : (walPerEntry / 1024).toFixed(1);
}

function errorsOf({ phases = [] }: Result): string {
  const counts = new Map<string, number>();
  for (const { errors } of phases)
    for (const [what, n] of Object.entries(errors)) counts.set(what, (counts.get(what) ?? 0) + n);
  return counts.size === 0 ? '0' : [...counts].map(([what, n]) => `${n} × ${what}`).join(', ');
}

function largest({ about, largest: all = [] }: Result): string {
  const { sizes, arrangement } = about;
  const shown = all.map(({ name, mb }) => `${name} ${Math.round((mb * 1024 * 1024) / sizes.memories)}`);
  return `\nBytes per memory, ${nameOf(arrangement)}: ${shown.join(', ')}.`;
}
