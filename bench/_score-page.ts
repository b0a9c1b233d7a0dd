/** The figures of a score: when one is worse than the committed one, and how they are printed. Pure. */

/**
 * When a figure is worse.
 * - `label`: more than one of the counted labels.
 * - `point`: more than one point of a hundred.
 * - `time`: more than a fifth, as a ratio to `curl` in the same run. `size`: more than a fifth.
 * - `budget`: above its budget and above the committed figure. `hundredth`: more than a hundredth.
 * - `shown`: never.
 */
export type Rule = 'label' | 'point' | 'time' | 'size' | 'budget' | 'hundredth' | 'shown';

export interface Row {
  readonly group: string;
  readonly name: string;
  /** A time is a multiple of `curl`. */
  readonly value: number;
  /** The value counts so many of these. */
  readonly of?: number;
  readonly unit: string;
  readonly more?: 'better';
  readonly rule: Rule;
  readonly budget?: number;
  /** Milliseconds behind a ratio, and the like. */
  readonly detail?: string;
  /** The commit, where the row was not measured with the others. */
  readonly from?: string;
}

export interface Figures {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly rows: readonly Row[];
}

export type Mode = 'quick' | 'full';
/** docs/score.json. A quick run measures parts of the data, so its figures are compared only with those of quick runs. */
export type Committed = Readonly<Partial<Record<Mode, Figures>>>;

export interface Compared {
  readonly now: Row | undefined;
  readonly before: Row | undefined;
  readonly verdict: '' | 'better' | 'worse' | 'new' | 'gone' | 'not measured';
}

const FIFTH = 1.2;
const HUNDREDTH = 1.01;

/** How much worse the rule allows a row to be. */
export function isWorse(now: Row, before: Row): boolean {
  return isBeyond(now, before, now.more === 'better' ? -1 : 1);
}

function isBeyond(now: Row, before: Row, sign: 1 | -1): boolean {
  const change = sign * (share(now) - share(before));
  const factor = sign === 1 ? now.value / before.value : before.value / now.value;
  switch (now.rule) {
    case 'label':
      return change * (before.of ?? 1) > 1.001; // a share of a count is not exact
    case 'point':
      return change > 0.01;
    case 'time':
    case 'size':
      return factor > FIFTH;
    case 'hundredth':
      return factor > HUNDREDTH;
    case 'budget':
      return sign === 1 ? now.value > Math.max(before.value, now.budget ?? 0) : now.value < before.value;
    case 'shown':
      return false;
  }
}

function share({ value, of }: Row): number {
  return of === undefined ? value : of === 0 ? 0 : value / of;
}

/** Pairs every row with the committed one. `measured` names the groups that were measured. */
export function compared(
  rows: readonly Row[],
  committed: readonly Row[],
  measured: ReadonlySet<string>,
): readonly Compared[] {
  const key = ({ group, name }: Row): string => `${group}\n${name}`;
  const old = new Map(committed.map((row) => [key(row), row]));
  const known = new Set(rows.map(key));
  const lost = committed.filter((row) => !known.has(key(row)));
  return [
    ...rows.map((now): Compared => {
      const before = old.get(key(now));
      if (before === undefined) return { now, before, verdict: 'new' };
      const isBetter = isBeyond(now, before, now.more === 'better' ? 1 : -1);
      return { now, before, verdict: isWorse(now, before) ? 'worse' : isBetter ? 'better' : '' };
    }),
    ...lost.map((before): Compared => {
      return { now: undefined, before, verdict: measured.has(before.group) ? 'gone' : 'not measured' };
    }),
  ];
}

/** Returns one table per group. */
export function tables(all: readonly Compared[]): string {
  return [...Map.groupBy(all, ({ now, before }) => (now ?? before)?.group ?? '')]
    .map(([group, rows]) => {
      const lines = rows.map(({ now, before, verdict }) => {
        const cells = [
          (now ?? before)?.name,
          now ? figure(now) : '–',
          before ? figure(before) : '–',
          verdict,
        ];
        return `| ${cells.join(' | ')} |`;
      });
      return [`## ${group}`, '| | now | committed | |', '|---|---|---|---|', ...lines].join('\n');
    })
    .join('\n\n');
}

/** Returns docs/score.md. */
export function page(committed: Committed): string {
  const { full, quick } = committed;
  const rows = [...(full?.rows ?? []), ...(quick?.rows ?? [])];
  const cell = (figures: Figures | undefined, { group, name }: Row): string => {
    const row = figures?.rows.find((one) => one.group === group && one.name === name);
    return row ? figure(row) + (row.from === undefined ? '' : ` (at ${row.from})`) : '–';
  };
  const groups = [...Map.groupBy(rows, ({ group }) => group)].map(([group, all]) => {
    const names = [...new Map(all.map((row) => [row.name, row])).values()];
    const lines = names.map((row) => `| ${row.name} | ${cell(full, row)} | ${cell(quick, row)} |`);
    return [`## ${group}`, '| | full run | quick run |', '|---|---|---|', ...lines].join('\n');
  });
  const runs = Object.entries(committed).map(
    ([mode, { commit, date, machine }]) => `- ${mode}: commit ${commit}, ${date}, ${machine}`,
  );
  return `${[
    '# Score',
    'Written by `npm run score -- --write`; what the rows mean is in [bench/README.md](../bench/README.md#score). A quick run measures parts of the data, so compare it only with quick runs. Times are multiples of a bare `curl` to a Unix socket in the same run.',
    runs.join('\n'),
    ...groups,
  ].join('\n\n')}\n`;
}

function figure({ value, of, unit, budget, detail }: Row): string {
  const number =
    value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(2);
  const text =
    of === undefined
      ? `${number} ${unit}`.trim()
      : `${Number.isInteger(value) ? value : value.toFixed(1)} of ${of} (${(value / Math.max(1, of)).toFixed(2)})`;
  const more = [detail, ...(budget === undefined ? [] : [`budget ${budget.toLocaleString('en')}`])].filter(
    Boolean,
  );
  return more.length === 0 ? text : `${text}, ${more.join(', ')}`;
}
