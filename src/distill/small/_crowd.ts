/**
 * Says how sure an end must be. A memory of a long history is compared with hundreds of statements, so among many memories a
 * statement that seems to end one is mostly about another matter. Pure.
 */
import type { Memory } from '../../core/index.ts';
import { titleWords } from '../../database/index.ts';
import type { DistillInput } from '../distiller.ts';
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

/** Returns a check whether a statement names the title of a memory better than that of others, by the rarity of the words. */
function named(related: readonly Memory[]): (statement: string, memory: Memory) => boolean {
  const titles = new Map(related.map(({ id, title }) => [id, [...new Set(titleWords(title))]]));
  const counts = new Map<string, number>();
  for (const word of [...titles.values()].flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarity = (word: string): number => Math.log(1 + related.length / (counts.get(word) ?? 1));
  const known = new Map<string, ReadonlyMap<string, number>>();
  const fits = (statement: string): ReadonlyMap<string, number> => {
    const said = new Set(titleWords(statement));
    const fit = (words: readonly string[]): number =>
      words.reduce((sum, word) => sum + (said.has(word) ? rarity(word) : 0), 0) /
      Math.sqrt(Math.max(SHORT_TITLE, words.length));
    const found = known.get(statement) ?? new Map([...titles].map(([id, words]) => [id, fit(words)]));
    known.set(statement, found);
    return found;
  };
  return (statement, { id }) => {
    const all = fits(statement);
    const own = all.get(id) ?? 0;
    return own > 0 && [...all.values()].filter((fit) => fit >= own).length === 1;
  };
}

/** Words of a title below which it does not get easier to name. */
const SHORT_TITLE = 4;
