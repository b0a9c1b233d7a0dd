/**
 * Says how sure an end must be. A memory of a long history is compared with hundreds of statements, so among many memories a
 * statement that seems to end one is mostly about another matter. Pure.
 */
import type { Memory } from '../../core/index.ts';
import type { DistillInput } from '../distiller.ts';
import { titleFit } from '../title-fit.ts';
import { THRESHOLDS } from './thresholds.ts';

interface Ended {
  readonly memory: Memory;
  /** The statement. */
  readonly said: string;
  /** The speaker of the sentence of a new memory, or a sentence that became none. */
  readonly by: 'user' | 'agent' | 'sentence';
}

/** Returns the probability that an end needs, for the one that it needs among few memories. */
export function amongMany({ related, turn }: DistillInput): (from: number, ended: Ended) => number {
  const { few, most, session, later, unnamed } = THRESHOLDS.crowd;
  const crowd = Math.min(1, Math.max(0, (related.length - few) / (most - few)));
  if (crowd === 0) return (from) => from;
  const isNamedBest = named(related);
  return (from, { memory, said, by }) => {
    const odds = memory.provenance.session === turn.session ? session : later;
    const surer = memory.kind === 'issue' ? odds.issue : odds[by];
    const more = crowd * (surer + (isNamedBest(said, memory) ? 0 : unnamed));
    return 1 / (1 + ((1 - from) / from) * Math.exp(-more));
  };
}

/** Returns a check whether a statement names the title of a memory better than that of others. */
function named(related: readonly Memory[]): (statement: string, memory: Memory) => boolean {
  const fitTo = titleFit(related);
  const known = new Map<string, ReadonlyMap<Memory, number>>();
  const fits = (statement: string): ReadonlyMap<Memory, number> => {
    const fit = fitTo(statement);
    const found = new Map(related.map((memory) => [memory, fit(memory)]));
    known.set(statement, found);
    return found;
  };
  return (statement, memory) => {
    const all = known.get(statement) ?? fits(statement);
    const own = all.get(memory) ?? 0;
    return own > 0 && [...all.values()].filter((fit) => fit >= own).length === 1;
  };
}
