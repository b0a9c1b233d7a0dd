/** Groups the chosen sentences of a turn: those of one matter become one memory. Pure. */
import { type MemoryKind, RULE_KINDS, WORK_KINDS } from '../../core/index.ts';
import { topicsOf } from '../rules/title.ts';
import { POINTING } from '../rules/talk.ts';
import type { Scored } from './_choose.ts';
import { THRESHOLDS } from './thresholds.ts';

export interface Group {
  /** In the order of the turn. */
  readonly members: readonly Scored[];
  readonly kind: MemoryKind;
}

/** Whether a turn changed a file, and whether it did more than read. */
export interface Work {
  readonly edited: boolean;
  readonly acted: boolean;
}

/** Symptom, cause, fix and test. */
const MATTER: readonly MemoryKind[] = [...WORK_KINDS, 'discovery', 'issue'];
/** Sentences this near tell one story. */
const NEAR = 2;

export function groupsOf(chosen: readonly Scored[], work: Work): readonly Group[] {
  const groups: Scored[][] = [];
  for (const one of chosen) {
    const group = groups.findLast((members) => members.some((member) => isOneMatter(member, one)));
    if (group) group.push(one);
    else groups.push([one]);
  }
  return merged(groups.map((members) => ({ members, kind: kindOf(members, work) })));
}

/** A weak group of a turn with a better one is part of what that one tells. It does not change its kind. */
function merged(groups: readonly Group[]): readonly Group[] {
  const kept: { members: Scored[]; kind: MemoryKind }[] = [];
  for (const { members, kind } of groups.toSorted((a, b) => best(b.members) - best(a.members))) {
    const near = kept.find(
      (one) =>
        !isLeft(one.members) &&
        one.members.some(({ unit }) => members.some((own) => own.unit.who === unit.who)),
    );
    const { same, other, rule } = THRESHOLDS.second;
    const from = near ? (isRule(members) && isRule(near.members) ? rule : same) : other;
    if (kept.length === 0 || best(members) >= from || isLeft(members))
      kept.push({ members: [...members], kind });
    else if (near) near.members.push(...members);
  }
  return kept.map(({ members, kind }) => ({ members: members.toSorted((a, b) => a.at - b.at), kind }));
}

/** Tells whether the agent left it open: then it is not part of the work of the turn. */
export function isLeft(members: readonly Scored[]): boolean {
  return members.some((one) => one.isLeft);
}

/** Two rules of the user are two memories. */
function isRule(members: readonly Scored[]): boolean {
  return members.every(({ unit, kind }) => unit.who === 'user' && RULE_KINDS.includes(kind));
}

/** The model's highest probability that one of them is worth keeping. */
export function best(members: readonly Scored[]): number {
  return Math.max(...members.map(({ keep }) => keep));
}

/** `a` comes before `b`. */
function isOneMatter(a: Scored, b: Scored): boolean {
  if (a.isLeft !== b.isLeft) return false;
  if (a.unit.who !== b.unit.who) return isSaidAndDone(a, b);
  const near = b.at - a.at <= NEAR;
  if (near && b.at - a.at === 1 && POINTING.test(b.unit.text)) return true;
  if (a.unit.who === 'user') return near && a.kind === b.kind && sharedTopics(a, b) >= 2;
  if (a.kind === b.kind)
    return near ? WORK_KINDS.includes(a.kind) || sharedTopics(a, b) >= 1 : sharedTopics(a, b) >= 2;
  const isStory =
    MATTER.includes(a.kind) && MATTER.includes(b.kind) && a.kind !== 'issue' && b.kind !== 'issue';
  return isStory && (near || sharedTopics(a, b) >= 2);
}

/** Whether the agent's sentence is about what the user said or reported. */
function isSaidAndDone({ kind, unit: said }: Scored, { kind: done, unit: report }: Scored): boolean {
  if (kind === 'issue') return MATTER.includes(done);
  if (kind === 'decision')
    return (
      done === 'decision' ||
      ((done === 'feature' || done === 'refactor' || done === 'pattern') &&
        (topicsOf(said.text).size <= 3 || shared(said.text, report.text) >= 1))
    );
  if (RULE_KINDS.includes(kind)) return RULE_KINDS.includes(done) && shared(said.text, report.text) >= 1;
  if (WORK_KINDS.includes(kind)) return WORK_KINDS.includes(done);
  return kind === done && shared(said.text, report.text) >= 1;
}

function sharedTopics(a: Scored, b: Scored): number {
  return shared(a.unit.text, b.unit.text);
}

export function shared(a: string, b: string): number {
  const words = topicsOf(b.replace(/[`*]/g, ' '));
  return [...topicsOf(a.replace(/[`*]/g, ' '))].filter((word) => words.has(word)).length;
}

/** The report of a fault says less about the kind than what the agent found. */
const REPORTED = 0.6;

/** A group is a dead end only if that is likelier than all other kinds together. */
const DEAD_END = 0.5;

/** A user's choice stays a decision if the agent reports the work; a fault that was fixed at once is a bugfix. */
function kindOf(members: readonly Scored[], { edited, acted }: Work): MemoryKind {
  const [said] = members.filter(({ unit }) => unit.who === 'user').toSorted((a, b) => b.keep - a.keep);
  if (said && RULE_KINDS.includes(said.kind)) return said.kind;
  const sums = new Map<MemoryKind, number>();
  // A weaker rule of the user is a remark about the fault.
  const others = members.filter(({ unit, kind }) => unit.who === 'assistant' || !RULE_KINDS.includes(kind));
  for (const { keep, kinds, unit } of others)
    for (const [kind, share] of Object.entries(kinds) as [MemoryKind, number][])
      sums.set(
        kind,
        (sums.get(kind) ?? 0) + share * keep * (unit.who === 'user' && kind === 'issue' ? REPORTED : 1),
      );
  // A cause that was found reads like something that was tried.
  const all = [...sums.values()].reduce((sum, one) => sum + one, 0);
  if ((sums.get('dead_end') ?? 0) < all * DEAD_END) sums.set('dead_end', 0);
  if (edited && members.some(({ kind }) => kind === 'bugfix')) sums.set('issue', 0);
  if (!acted) found(sums);
  return [...sums].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'discovery';
}

/** An agent that only read has found the cause, and proposes a fix. */
function found(sums: Map<MemoryKind, number>): void {
  for (const kind of WORK_KINDS) {
    sums.set('discovery', (sums.get('discovery') ?? 0) + (sums.get(kind) ?? 0));
    sums.set(kind, 0);
  }
}
