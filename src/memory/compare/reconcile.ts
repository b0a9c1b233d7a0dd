/**
 * What a set of memories comes to: which say the same, which was taken back by which, which issue is resolved by what.
 * A function of the set alone, looked at in the order of time and turn: however they arrived, the result is the same.
 */
import type { Memory, MemoryState } from '../../core/index.ts';
import { contradicts } from './contradiction.ts';
import { resolves } from './resolution.ts';
import { isSame } from './same.ts';
import type { Statement } from './statement.ts';
import { MOST_ALSO } from './thresholds.ts';

/** One memory as it was distilled or written, with what a person decided about it. */
export interface Source {
  readonly statement: Statement;
  /** A person wrote it or changed it: it stays an entry of its own. */
  readonly byHand: boolean;
  /** A person set its state: it keeps it, and what is said later is said anew. */
  readonly held: boolean;
  /** Where a person's word has put it: it says what that one says. */
  readonly into?: string;
  /** It stands in the file of another machine: it is looked at, and left to that machine. */
  readonly elsewhere?: boolean;
}

export interface Folded {
  /** As it is to stand in the journal. */
  readonly memory: Memory;
  /** What it stands for besides itself, oldest first. */
  readonly merged: readonly Memory[];
}

interface Node {
  readonly members: readonly Source[];
  readonly rep: Source;
  readonly last: Source;
}

export function reconcile(sources: readonly Source[]): readonly Folded[] {
  const sorted = sources.toSorted(bySaid);
  const nodes = nodesOf(sorted);
  const fates = new Map(nodes.map((node) => [node, fateOf(node, nodes)]));
  return nodes.map((node) => {
    const { rep, members } = node;
    const fate = fates.get(node);
    const replaced = nodes
      .filter((other) => fates.get(other)?.supersededBy === idOf(rep))
      .map(({ rep: old }) => idOf(old));
    return {
      memory: withFate(rep.statement.memory, members, { ...fate, supersedes: replaced }),
      merged: members.filter((member) => member !== rep).map(({ statement }) => statement.memory),
    };
  });
}

/** Is there anything between the two that the fold has to know? */
export function areRelated(a: Source, b: Source): 'same' | 'linked' | undefined {
  const [first, second] = [a, b].toSorted(bySaid) as [Source, Source]; // two in, two out
  if (first.into === idOf(second) || second.into === idOf(first)) return 'same';
  if (mayMerge(first, second)) return 'same';
  if (contradicts(first.statement, second.statement) || resolves(second.statement, first.statement))
    return 'linked';
  return undefined;
}

function mayMerge(a: Source, b: Source): boolean {
  if (isHeldDown(a) || isHeldDown(b) || a.into !== undefined || b.into !== undefined) return false;
  if (a.elsewhere || b.elsewhere) return false;
  return !contradicts(a.statement, b.statement) && isSame(a.statement, b.statement);
}

/** Resolved or superseded by a person's word: that was about what had been said until then. */
function isHeldDown({ held, statement }: Source): boolean {
  return held && (statement.memory.state === 'resolved' || statement.memory.state === 'superseded');
}

function nodesOf(sorted: readonly Source[]): readonly Node[] {
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
    const members = group.toSorted(bySaid);
    const rep = members.find(({ into }) => into === undefined) ?? members[0];
    const own = members.filter((member) => member !== rep && member.byHand && member.into === undefined);
    return rep
      ? [
          nodeOf(
            rep,
            members.filter((member) => !own.includes(member)),
          ),
          ...own.map((one) => nodeOf(one, [one])),
        ]
      : [];
  });
}

function nodeOf(rep: Source, members: readonly Source[]): Node {
  return { rep, members, last: members.at(-1) ?? rep };
}

interface Fate {
  readonly state: MemoryState;
  readonly supersededBy?: string;
  readonly resolvedBy?: string;
}

/** The last word counts: what was said again after it was taken back stands again. */
function fateOf(node: Node, nodes: readonly Node[]): Fate {
  const { memory } = node.rep.statement;
  if (node.rep.held) {
    const { state, supersededBy, resolvedBy } = memory;
    return { state, ...(supersededBy ? { supersededBy } : {}), ...(resolvedBy ? { resolvedBy } : {}) };
  }
  const rival = nodes
    .filter((other) => other !== node && bySaid(other.last, node.last) > 0 && areAtOdds(node, other))
    .toSorted((a, b) => bySaid(a.last, b.last))
    .at(-1);
  if (rival) return { state: 'superseded', supersededBy: idOf(rival.rep) };
  if (memory.kind !== 'issue') return { state: 'current' };
  const fix = nodes
    .filter((other) => other !== node)
    .flatMap((other) => other.members.map((member) => ({ member, rep: other.rep })))
    .filter(
      ({ member }) =>
        bySaid(member, node.last) > 0 &&
        node.members.some((issue) => resolves(member.statement, issue.statement)),
    )
    .toSorted((a, b) => bySaid(a.member, b.member))[0];
  if (fix) return { state: 'resolved', resolvedBy: idOf(fix.rep) };
  const said = node.last.statement.memory;
  return { state: said.state === 'resolved' && said.resolvedBy === undefined ? 'resolved' : 'open' };
}

function areAtOdds(a: Node, b: Node): boolean {
  return a.members.some((one) =>
    b.members.some((other) => {
      const [first, second] = bySaid(one, other) < 0 ? [one, other] : [other, one];
      return contradicts(first.statement, second.statement);
    }),
  );
}

function withFate(
  memory: Memory,
  members: readonly Source[],
  fate: Partial<Fate> & { readonly supersedes: readonly string[] },
): Memory {
  const { supersedes: _, supersededBy: __, resolvedBy: ___, seen: ____, ...bare } = memory;
  const { also: _____, ...provenance } = memory.provenance;
  const turns = [...new Set(members.map(({ statement }) => statement.memory.provenance.turn))];
  const also = turns.filter((turn) => turn !== provenance.turn).slice(-MOST_ALSO);
  const { supersedes, ...rest } = fate;
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

/** By time, then by turn, then by id. */
function bySaid(a: Source, b: Source): number {
  const [x, y] = [a.statement.memory, b.statement.memory];
  return compare(x.at, y.at) || compare(x.provenance.turn, y.provenance.turn) || compare(x.id, y.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
