/**
 * Decides whether a text contains a decision, without anyone reading it: by the words of the policy that the benchmark's
 * authors wrote for the task. Also plain BM25, to compare with. Pure.
 */
import { tokensOf, words } from '../src/database/index.ts';
import type { SdeTask, SdeTurn } from './_sde-data.ts';

/** A text states a decision if it has this share of the policy's words that the deciding turn has, by their weight. */
const STATED = 0.75;
/** A replaced decision counts as stated earlier than the one in force: in doubt against us. */
const REPLACED = 0.5;

/** A part of an injected text, and the session it comes from. */
export interface Block {
  readonly session: string;
  readonly text: string;
  /** It has a note of what a later session said. */
  readonly isMarked?: boolean;
}

/** The rarity of tokens among all turns. */
export type Weights = (token: string) => number;

export function weightsIn(texts: readonly string[]): Weights {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const token of new Set(tokensIn(text))) counts.set(token, (counts.get(token) ?? 0) + 1);
  return (token) => Math.log(1 + texts.length / (counts.get(token) ?? 0.5));
}

export function turnText({ prompt, answer }: SdeTurn): string {
  return `${prompt}\n${answer}`;
}

/** The turn with the most of the policy; the last of equal ones. */
export function decidingTurn(turns: readonly SdeTurn[], policy: string, weights: Weights): number {
  const shares = turns.map((turn) => shareOf(policy, turnText(turn), weights));
  return shares.lastIndexOf(Math.max(...shares));
}

/** Whether the blocks of a chat together state what its deciding turn states. */
export function states(
  blocks: readonly Block[],
  { session, turns }: SdeTask['chats'][number],
  policy: string,
  weights: Weights,
  share = STATED,
): boolean {
  const text = blocks.flatMap((block) => (block.session === session ? [block.text] : [])).join('\n');
  const deciding = turns[decidingTurn(turns, policy, weights)];
  if (text === '' || deciding === undefined) return false;
  return shareOf(policy, text, weights) >= share * shareOf(policy, turnText(deciding), weights);
}

/** Whether a decision in force is in the blocks, and whether one that was replaced is presented as current. */
export function judge(
  { chats, policy }: SdeTask,
  blocks: readonly Block[],
  weights: Weights,
): { readonly reached: boolean; readonly replaced: boolean } {
  const inForce = chats.at(-1);
  return {
    reached: inForce !== undefined && states(blocks, inForce, policy, weights),
    replaced: chats.slice(0, -1).some((chat) => states(blocks, chat, policy, weights, REPLACED)),
  };
}

/**
 * Splits an injected text at headings and, in a list, at items. A note of what a later session said is a block of its own.
 * `sessionIn` returns the session that a part names.
 */
export function blocksIn(
  text: string,
  at: 'headings' | 'items',
  sessionIn: (part: string) => string | undefined,
): readonly Block[] {
  return text.split(at === 'items' ? /\n(?=#+ |- )/ : /\n(?=#+ )/).flatMap((part) => {
    const { own = [], notes = [] } = Object.groupBy(part.split('\n'), (line) =>
      LATER.test(line) ? 'notes' : 'own',
    );
    const isMarked = notes.length > 0;
    return [
      { text: own.join('\n'), isMarked },
      ...notes.map((line) => ({ text: line, isMarked: false })),
    ].flatMap((block) => {
      const session = sessionIn(block.text);
      return session === undefined ? [] : [{ session, ...block }];
    });
  });
}

const LATER = /^Note: (?:later about the same|changed later), /;

/** Returns the session of the id that comes first in a text; `owners` has the ids of sessions and the short ids of memories. */
export function firstOwner(owners: ReadonlyMap<string, string>): (text: string) => string | undefined {
  return (text) => {
    for (const [name] of text.matchAll(/[\w-]{6,}/g)) {
      const session = owners.get(name);
      if (session !== undefined) return session;
    }
    return undefined;
  };
}

const BM25 = { k1: 1.2, b: 0.75 } as const;

/** Ranks texts by plain BM25: their places, best first. */
export function bm25(query: string, texts: readonly string[], weights: Weights): readonly number[] {
  const asked = new Set(tokensIn(query));
  const documents = texts.map(tokensIn);
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const scores = documents.map((tokens) => {
    const counts = new Map<string, number>();
    for (const token of tokens) if (asked.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
    const length = BM25.k1 * (1 - BM25.b + (BM25.b * tokens.length) / average);
    return [...counts].reduce(
      (sum, [token, count]) => sum + (weights(token) * count * (BM25.k1 + 1)) / (count + length),
      0,
    );
  });
  return scores.map((_, i) => i).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
}

function shareOf(policy: string, text: string, weights: Weights): number {
  const found = new Set(tokensIn(text));
  const asked = [...new Set(tokensIn(policy))];
  const sum = (tokens: readonly string[]) => tokens.reduce((total, token) => total + weights(token), 0);
  return sum(asked.filter((token) => found.has(token))) / Math.max(1e-9, sum(asked));
}

function tokensIn(text: string): readonly string[] {
  return words(text).flatMap(tokensOf);
}
