/**
 * Turns the words of a search into tsqueries that stay cheap. Every row in a posting list costs a read of the table, so
 * long lists are only intersected with shorter ones, inside the index. Pure.
 */
import type { Frequencies } from '../../../database/index.ts';
import { quoted, titleLexeme, wordLexeme } from './lexemes.ts';

interface WordQuery {
  /** The text of a tsquery. */
  readonly query: string;
  readonly weight: number;
}

export interface WordQueries {
  readonly queries: readonly WordQuery[];
  /** Maximum number of rows read per tsquery. */
  readonly maxRows: number;
}

/** Extra weight of a word in the title, which is a summary. Ranking applies finer weights to the best rows. */
const TITLE_EXTRA = 0.6;
/** Rows read for rare words; each is a page of the table. */
const ROWS = 12_000;
/** Index entries compared to intersect a common word with rarer ones; beyond that, only titles are searched. */
const COMPARED = 60_000;
/** A word that is more common than this is searched only in titles, if there is no rarer one. */
const ALONE = 20_000;
/** Rows read if all words are common; more would not improve the result. */
const OF_COMMON = 500;

/** `tokens`: ordered, the rarest first. */
export function cheapQueries(team: string, tokens: readonly string[], known: Frequencies): WordQueries {
  const weightOf = rarityIn(known);
  const word = (token: string): string => quoted(wordLexeme(team, token));
  const title = (token: string): string => quoted(titleLexeme(team, token));
  const either = (some: readonly string[]): string => `(${some.join(' | ')})`;
  const areCommon = (known.counts.get(tokens[0] ?? '') ?? 0) > ROWS;
  let rows = 0;
  const queries = tokens.flatMap((token, i): readonly WordQuery[] => {
    const rarer = tokens.slice(0, i);
    const compared = rows;
    rows += known.counts.get(token) ?? 0;
    const anywhere = { query: word(token), weight: weightOf(token) };
    const titled = { query: title(token), weight: weightOf(token) * TITLE_EXTRA };
    if (rarer.length === 0) return rows <= ALONE ? [anywhere, titled] : [titled];
    if (rows <= ROWS) return [anywhere, titled];
    const inTitles = {
      query: `${titled.query} & ${either(rarer.map(title))}`,
      weight: anywhere.weight + titled.weight,
    };
    if (compared > COMPARED) return [inTitles];
    const beside = [anywhere, titled].map((one) => ({
      ...one,
      query: `${one.query} & ${either(rarer.map(word))}`,
    }));
    return areCommon ? [...beside, inTitles] : beside;
  });
  return { queries, maxRows: areCommon ? OF_COMMON : ROWS };
}

/** The fallback when the cheap queries find too little: whole posting lists up to a limit. */
export function plainQueries(team: string, tokens: readonly string[], known: Frequencies): WordQueries {
  const weightOf = rarityIn(known);
  const queries = tokens.map((token) => ({
    query: quoted(wordLexeme(team, token)),
    weight: weightOf(token),
  }));
  return { queries, maxRows: OF_COMMON };
}

function rarityIn({ rows, counts }: Frequencies): (token: string) => number {
  return (token) => Math.log(1 + rows / (counts.get(token) ?? 1));
}
