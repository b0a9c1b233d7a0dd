/**
 * Measures recall: how often memories were injected and used, and sessions with and without it. Warns when there are too
 * few sessions for a statement. Only reads.
 */
import type { StoredTurn } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { recallRecords, type Injected, type RecallRecords } from '../../storage/ledger/index.ts';
import { HELD_OUT } from '../holdout.ts';
import { MEASURES, measuresOf, type Measure } from './session-measures.ts';

/** With fewer sessions a mean is chance. */
const ENOUGH = 30;
/** The newest sessions are measured; more would take long and change little. */
const MOST_SESSIONS = 500;
/** Standard errors of a 95 % confidence interval. */
const SURE = 1.96;

/** Memories injected into sessions, and those opened and echoed there. One injected in two places counts in both. */
export interface Tally {
  readonly shown: number;
  readonly opened: number;
  readonly echoed: number;
}

export type Group = 'recalled' | 'nothing' | 'heldOut';

interface Mean {
  readonly mean: number;
  /** Half the width of the 95 % confidence interval. */
  readonly plusMinus: number;
}

export interface GroupMeasures {
  readonly sessions: number;
  readonly measures: Readonly<Record<Measure, Mean>>;
}

export interface Impact {
  readonly since: string | null;
  readonly byPlace: Readonly<Record<string, Tally>>;
  readonly byKind: Readonly<Record<string, Tally>>;
  /** Opened without being injected: the agent asked for them. */
  readonly askedFor: number;
  /** Sessions that got memories or a past session, sessions that got neither, and held-out ones, if they have turns. */
  readonly groups: Readonly<Record<Group, GroupMeasures>>;
  /** Held-out sessions compared with all others of that time, the only fair comparison. Null if none is held out. */
  readonly comparison: {
    readonly since: string;
    readonly withRecall: GroupMeasures;
    readonly without: GroupMeasures;
  } | null;
  readonly warnings: readonly string[];
}

interface ImpactQuestion {
  readonly since?: string;
  readonly project?: string;
}

export async function impact(
  index: MemoryIndex,
  ledger: string,
  turnsOf: (session: string) => Promise<readonly StoredTurn[]>,
  { since = '', project }: ImpactQuestion,
): Promise<Impact> {
  const all = await recallRecords(ledger, since);
  const isSelected = ({ at, session }: { readonly at: string; readonly session: string }): boolean =>
    at >= since && (project === undefined || index.session(session)?.project === project);
  const records = { moments: all.moments.filter(isSelected), used: all.used.filter(isSelected) };
  const kindOf = (id: string): string => index.memory(id)?.kind ?? 'forgotten';
  const sessions = await measured(records.moments, turnsOf);
  const comparison = compare(sessions);
  return {
    since: since || null,
    byPlace: tallies(records, ({ where }) => where),
    byKind: tallies(records, (_, id) => kindOf(id)),
    askedFor: askedFor(records),
    groups: {
      recalled: meansOf(sessions.filter(({ group }) => group === 'recalled')),
      nothing: meansOf(sessions.filter(({ group }) => group === 'nothing')),
      heldOut: meansOf(sessions.filter(({ group }) => group === 'heldOut')),
    },
    comparison,
    warnings: warningsFor(comparison),
  };
}

function tallies(
  { moments, used }: RecallRecords,
  keyOf: (moment: Injected, id: string) => string,
): Readonly<Record<string, Tally>> {
  const shown = new Map<string, Set<string>>();
  for (const moment of moments)
    for (const { id } of moment.memories) {
      const key = keyOf(moment, id);
      shown.set(key, (shown.get(key) ?? new Set()).add(`${moment.session} ${id}`));
    }
  const uses = new Set(used.map(({ session, memory, how }) => `${session} ${memory} ${how}`));
  const rows = [...shown].map(([key, pairs]) => {
    const count = (how: string): number => [...pairs].filter((pair) => uses.has(`${pair} ${how}`)).length;
    return [key, { shown: pairs.size, opened: count('opened'), echoed: count('echoed') }] as const;
  });
  return Object.fromEntries(rows.toSorted((a, b) => b[1].shown - a[1].shown || a[0].localeCompare(b[0])));
}

function askedFor({ moments, used }: RecallRecords): number {
  const shown = new Set(
    moments.flatMap(({ session, memories }) => memories.map(({ id }) => `${session} ${id}`)),
  );
  return used.filter(({ session, memory, how }) => how === 'opened' && !shown.has(`${session} ${memory}`))
    .length;
}

interface MeasuredSession {
  readonly group: Group;
  readonly at: string;
  readonly measures: Readonly<Record<Measure, number>>;
}

async function measured(
  moments: readonly Injected[],
  turnsOf: (session: string) => Promise<readonly StoredTurn[]>,
): Promise<readonly MeasuredSession[]> {
  const bySession = [...Map.groupBy(moments, ({ session }) => session)].slice(-MOST_SESSIONS);
  const found: MeasuredSession[] = [];
  for (const [session, some] of bySession) {
    const turns = session === '' ? [] : await turnsOf(session);
    if (turns.length > 0)
      found.push({ group: groupOf(some), at: some[0]?.at ?? '', measures: measuresOf(turns) });
  }
  return found;
}

/** A session that was ever held out counts as held out, even if the setting changed meanwhile. */
function groupOf(moments: readonly Injected[]): Group {
  if (moments.some(({ reason }) => reason === HELD_OUT)) return 'heldOut';
  const isRecalled = moments.some(({ memories, conversation }) => memories.length > 0 || conversation);
  return isRecalled ? 'recalled' : 'nothing';
}

/** Compares with all other sessions, recalled or not, because whether something is recalled is no random choice. */
function compare(sessions: readonly MeasuredSession[]): Impact['comparison'] {
  const without = sessions.filter(({ group }) => group === 'heldOut');
  const since = without.map(({ at }) => at).toSorted()[0];
  if (since === undefined) return null;
  const others = sessions.filter(({ group, at }) => group !== 'heldOut' && at >= since);
  return { since, withRecall: meansOf(others), without: meansOf(without) };
}

function meansOf(sessions: readonly MeasuredSession[]): GroupMeasures {
  const means = MEASURES.map(
    (name) => [name, meanOf(sessions.map(({ measures }) => measures[name]))] as const,
  );
  // MEASURES lists every measure, so the record is complete.
  return { sessions: sessions.length, measures: Object.fromEntries(means) as Record<Measure, Mean> };
}

function meanOf(values: readonly number[]): Mean {
  if (values.length === 0) return { mean: 0, plusMinus: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0;
  return { mean: rounded(mean), plusMinus: rounded((SURE * deviation) / Math.sqrt(values.length)) };
}

function warningsFor(comparison: Impact['comparison']): readonly string[] {
  if (!comparison)
    return [
      'No session was held out, so the effect cannot be measured: sessions with and without recall differ for other reasons too. To hold out one in ten: tidemark config set recall.holdout 0.1',
    ];
  const [a, b] = [comparison.withRecall.sessions, comparison.without.sessions];
  if (Math.min(a, b) >= ENOUGH) return [];
  return [
    `${a} sessions with recall and ${b} held out are too few for a result; wait for ${ENOUGH} of each.`,
  ];
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
