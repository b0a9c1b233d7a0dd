/**
 * What the index of words is asked for a question. Every row that a list of the index names must be looked at in the table, so
 * long lists are only met with shorter ones, inside the index. Pure.
 */
import type { Frequencies } from '../../../database/index.ts';
import { quoted, titleLexeme, wordLexeme } from './lexemes.ts';

export interface WordQuestion {
  /** The text of a tsquery. */
  readonly query: string;
  readonly weight: number;
}

export interface WordQuestions {
  readonly questions: readonly WordQuestion[];
  /** Rows looked at for each of them. */
  readonly deepest: number;
}

/** What a word in the title counts beside one anywhere: a title is a summary. Finer weights come later, for the best. */
const TITLE_EXTRA = 0.6;
/** So many rows are looked at because of one rare word or several: each is a page of the table. */
const ROWS = 12_000;
/** Places of the index that are compared to meet a common word with rarer ones; beyond that, only titles are. */
const COMPARED = 60_000;
/** A word that is more common than this is looked for in titles, if there is no rarer one. */
const ALONE = 20_000;
/** Of rows that hold only common words: more would tell no more. */
const OF_COMMON = 500;

/** `tokens`: the rarest first. */
export function cheapQuestions(team: string, tokens: readonly string[], known: Frequencies): WordQuestions {
  const weightOf = rarityIn(known);
  const word = (token: string): string => quoted(wordLexeme(team, token));
  const title = (token: string): string => quoted(titleLexeme(team, token));
  const either = (some: readonly string[]): string => `(${some.join(' | ')})`;
  const areCommon = (known.counts.get(tokens[0] ?? '') ?? 0) > ROWS;
  let rows = 0;
  const questions = tokens.flatMap((token, i): readonly WordQuestion[] => {
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
  return { questions, deepest: areCommon ? OF_COMMON : ROWS };
}

/** For when those find too little: the lists themselves, as far as they are affordable. */
export function plainQuestions(team: string, tokens: readonly string[], known: Frequencies): WordQuestions {
  const weightOf = rarityIn(known);
  const questions = tokens.map((token) => ({
    query: quoted(wordLexeme(team, token)),
    weight: weightOf(token),
  }));
  return { questions, deepest: OF_COMMON };
}

function rarityIn({ rows, counts }: Frequencies): (token: string) => number {
  return (token) => Math.log(1 + rows / (counts.get(token) ?? 1));
}
