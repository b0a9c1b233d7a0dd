/**
 * Decides for a set of memories which say the same, which supersede others, and which issues are resolved. The result depends
 * only on the set, in the order of time and turn; the order of arrival does not matter. Pure.
 */
import { given, type Ended, type Memory, type MemoryState } from '../../core/index.ts';
import { contradicts, replaces } from './contradiction.ts';
import { resolves } from './resolution.ts';
import { isSame } from './same.ts';
import type { Statement } from './statement.ts';
import { MOST_ALSO } from './thresholds.ts';

/** One memory as it was distilled or written, with the decisions of the user about it. */
export interface Source {
  readonly statement: Statement;
  /** The user wrote or edited it: it stays a separate entry. */
  readonly byHand: boolean;
  /** The user set its state: it keeps this state, and the same statement of a later turn becomes a new entry. */
  readonly pinned: boolean;
  /** Id of the entry the user merged it into. */
  readonly into?: string;
  /** It is in the journal file of another machine: it is compared, but only that machine changes it. */
  readonly elsewhere?: boolean;
}

export interface Reconciled {
  /** The entry as the journal should have it. */
  readonly memory: Memory;
  /** The memories merged into it, oldest first. */
  readonly merged: readonly Memory[];
}

/** Memories that say the same. */
interface Group {
  /** The member that becomes the entry. */
  readonly entry: Source;
  readonly members: readonly Source[];
  readonly last: Source;
}

export function reconcile(sources: readonly Source[]): readonly Reconciled[] {
  const groups = groupsOf(sources.toSorted(byTime));
  const outcomes = new Map(groups.map((group) => [group, outcomeOf(group, groups)]));
  return groups.map((group) => {
    const { entry, members } = group;
    const supersedes = groups
      .filter((other) => outcomes.get(other)?.supersededBy === idOf(entry))
      .map((other) => idOf(other.entry));
    return {
      memory: withOutcome(entry.statement.memory, members, { ...outcomes.get(group), supersedes }),
      merged: members.filter((member) => member !== entry).map(({ statement }) => statement.memory),
    };
  });
}

/** Returns `same` if the two say the same, `linked` if one contradicts or resolves the other. */
export function areRelated(a: Source, b: Source): 'same' | 'linked' | undefined {
  const [first, second] = byTime(a, b) <= 0 ? [a, b] : [b, a];
  if (first.into === idOf(second) || second.into === idOf(first)) return 'same';
  if (mayMerge(first, second)) return 'same';
  if (endedOf(first)?.by === idOf(second) || endedOf(second)?.by === idOf(first)) return 'linked';
  const isLinked =
    contradicts(first.statement, second.statement) || resolves(second.statement, first.statement);
  return isLinked ? 'linked' : undefined;
}

function mayMerge(a: Source, b: Source): boolean {
  if (isClosedByUser(a) || isClosedByUser(b) || a.into !== undefined || b.into !== undefined) return false;
  if (a.elsewhere || b.elsewhere || isOverBefore(a, b) || isOverBefore(b, a)) return false;
  return isSame(a.statement, b.statement) && !contradicts(a.statement, b.statement);
}

/** The user resolved or superseded it: that decision covers only what was said until then. */
function isClosedByUser({ pinned, statement }: Source): boolean {
  return pinned && (statement.memory.state === 'resolved' || statement.memory.state === 'superseded');
}

/** A turn ended it before or while the other was stated: the other is a new entry. */
function isOverBefore(source: Source, other: Source): boolean {
  const ended = endedOf(source);
  return ended !== undefined && other.statement.memory.at >= ended.at;
}

function endedOf({ statement }: Source): Ended | undefined {
  return statement.memory.ended;
}

function groupsOf(sorted: readonly Source[]): readonly Group[] {
  const groupOf = new Map<Source, Source[]>(sorted.map((source) => [source, [source]]));
  for (const [i, a] of sorted.entries()) {
    for (const b of sorted.slice(i + 1)) {
      const [one, other] = [groupOf.get(a), groupOf.get(b)];
      if (!one || !other || one === other || areRelated(a, b) !== 'same') continue;
      one.push(...other);
      for (const member of other) groupOf.set(member, one);
    }
  }
  return [...new Set(groupOf.values())].flatMap((group) => {
    const members = group.toSorted(byTime);
    const entry = members.find(({ into }) => into === undefined) ?? members[0];
    if (!entry) return [];
    const separate = members.filter((one) => one !== entry && one.byHand && one.into === undefined);
    const merged = members.filter((member) => !separate.includes(member));
    return [
      { entry, members: merged, last: merged.at(-1) ?? entry },
      ...separate.map((one) => ({ entry: one, members: [one], last: one })),
    ];
  });
}

interface Outcome {
  readonly state: MemoryState;
  readonly supersededBy?: string;
  readonly resolvedBy?: string;
}

/** The latest statement counts: a memory that was said again after it was contradicted is current again. */
function outcomeOf(group: Group, groups: readonly Group[]): Outcome {
  const { memory } = group.entry.statement;
  if (group.entry.pinned) {
    const { state, supersededBy, resolvedBy } = memory;
    return { state, ...(supersededBy ? { supersededBy } : {}), ...(resolvedBy ? { resolvedBy } : {}) };
  }
  const others = groups.filter((other) => other !== group);
  const ended = group.members
    .flatMap((member) => endedOf(member) ?? [])
    .findLast(({ at }) => at >= group.last.statement.memory.at);
  if (ended) return endedOutcome(memory, ended, others);
  const rival = others
    .filter((other) => byTime(other.last, group.last) > 0 && somePair(group, other, replaces))
    .toSorted((a, b) => byTime(a.last, b.last))
    .at(-1);
  if (rival) return { state: 'superseded', supersededBy: idOf(rival.entry) };
  if (memory.kind !== 'issue') return { state: 'current' };
  const fix = others
    .flatMap((other) => other.members.map((member) => ({ member, entry: other.entry })))
    .filter(
      ({ member }) =>
        byTime(member, group.last) > 0 &&
        group.members.some((issue) => resolves(member.statement, issue.statement)),
    )
    .toSorted((a, b) => byTime(a.member, b.member))[0];
  if (fix) return { state: 'resolved', resolvedBy: idOf(fix.entry) };
  const latest = group.last.statement.memory;
  return { state: latest.state === 'resolved' && latest.resolvedBy === undefined ? 'resolved' : 'open' };
}

/** An issue is resolved, unless a better description of it took its place. */
function endedOutcome(memory: Memory, { by }: Ended, others: readonly Group[]): Outcome {
  const successor = others.find(({ members }) => members.some((member) => idOf(member) === by));
  const id = successor ? idOf(successor.entry) : by;
  if (memory.kind === 'issue' && successor?.entry.statement.memory.kind !== 'issue')
    return { state: 'resolved', ...given({ resolvedBy: id }) };
  return { state: 'superseded', ...given({ supersededBy: id }) };
}

/** Compares the members of two groups, the earlier one of each pair first. */
function somePair(a: Group, b: Group, check: (earlier: Statement, later: Statement) => boolean): boolean {
  return a.members.some((one) =>
    b.members.some((other) => {
      const [first, second] = byTime(one, other) < 0 ? [one, other] : [other, one];
      return check(first.statement, second.statement);
    }),
  );
}

function withOutcome(
  memory: Memory,
  members: readonly Source[],
  outcome: Partial<Outcome> & Required<Pick<Memory, 'supersedes'>>,
): Memory {
  const { supersedes: _, supersededBy: __, resolvedBy: ___, seen: ____, ...bare } = memory;
  const { also: _____, ...provenance } = memory.provenance;
  const turns = [...new Set(members.map(({ statement }) => statement.memory.provenance.turn))];
  const also = turns.filter((turn) => turn !== provenance.turn).slice(-MOST_ALSO);
  const { supersedes, ...rest } = outcome;
  return {
    ...bare,
    ...rest,
    ...(supersedes.length > 0 ? { supersedes } : {}),
    ...(turns.length > 1 ? { seen: turns.length } : {}),
    provenance: also.length > 0 ? { ...provenance, also } : provenance,
  };
}

function idOf({ statement }: Source): string {
  return statement.memory.id;
}

/** Orders by time, then by turn, then by id. */
function byTime(a: Source, b: Source): number {
  const [x, y] = [a.statement.memory, b.statement.memory];
  return compare(x.at, y.at) || compare(x.provenance.turn, y.provenance.turn) || compare(x.id, y.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
