/**
 * What recall does: how often memories were shown and of use, and how sessions with and without it went. Says how many
 * sessions that rests on, and that too few say nothing. Reads only.
 */
import type { StoredTurn } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { recallRecords, type Injected, type RecallRecords } from '../../storage/ledger/index.ts';
import { HELD_OUT } from '../holdout.ts';
import { MEASURES, measuresOf, type Measure } from './session-measures.ts';

/** Below this many sessions a mean is luck. */
const ENOUGH = 30;
/** The newest sessions are measured; more would take long and change little. */
const MOST_SESSIONS = 500;
/** Two standard errors: 95 in 100 such means lie this near. */
const SURE = 1.96;

/** Of memories shown in a session, how many were opened and how many echoed there. One shown in two places counts in both. */
export interface Tally {
  readonly shown: number;
  readonly opened: number;
  readonly echoed: number;
}

export type Group = 'recalled' | 'nothing' | 'heldOut';

export interface Mean {
  readonly mean: number;
  /** Half the width of the interval the true mean lies in, 95 times in 100. */
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
  /** Opened although nobody had shown them: the agent asked for them. */
  readonly askedFor: number;
  /** Sessions something was recalled in, those where nothing was worth it, and those held out; as far as they have turns. */
  readonly groups: Readonly<Record<Group, GroupMeasures>>;
  /** Held out beside all others since then; the only fair comparison. Null while nothing is held out. */
  readonly comparison: {
    readonly since: string;
    readonly withRecall: GroupMeasures;
    readonly without: GroupMeasures;
  } | null;
  readonly warnings: readonly string[];
}

export interface ImpactQuestion {
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
  const isWanted = ({ at, session }: { readonly at: string; readonly session: string }): boolean =>
    at >= since && (project === undefined || index.session(session)?.project === project);
  const records = { moments: all.moments.filter(isWanted), used: all.used.filter(isWanted) };
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
  const shown = new Map<string, Map<string, { session: string; memory: string }>>();
  for (const moment of moments)
    for (const { id } of moment.memories) {
      const key = keyOf(moment, id);
      const under = shown.get(key) ?? new Map();
      under.set(`${moment.session} ${id}`, { session: moment.session, memory: id });
      shown.set(key, under);
    }
  const uses = new Set(used.map(({ session, memory, how }) => `${session} ${memory} ${how}`));
  const rows = [...shown].map(([key, pairs]) => {
    const count = (how: string): number =>
      [...pairs.keys()].filter((pair) => uses.has(`${pair} ${how}`)).length;
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

/** Held out once, held out for good: whatever it got before the setting was changed is not to be told apart. */
function groupOf(moments: readonly Injected[]): Group {
  if (moments.some(({ reason }) => reason === HELD_OUT)) return 'heldOut';
  return moments.some(({ memories }) => memories.length > 0) ? 'recalled' : 'nothing';
}

/** Whoever was not held out belongs to the other side, recalled or not: what was worth recalling is no matter of chance. */
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
  // Every measure is in the list, so the record is whole.
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
      'No session was held out, so nothing can be said about the effect: sessions with and without recall differ for other reasons too. To hold out one in ten: tidemark config set recall.holdout 0.1',
    ];
  const [a, b] = [comparison.withRecall.sessions, comparison.without.sessions];
  if (Math.min(a, b) >= ENOUGH) return [];
  return [
    `${a} sessions with recall and ${b} held out are too few to say anything; wait for ${ENOUGH} of each.`,
  ];
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
