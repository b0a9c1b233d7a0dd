/** Candidates for a question out of the team's database: the best by words, by meaning, and those beside the best. */
import {
  worthAsking,
  type Candidate,
  type Frequencies,
  type MemoryFilter,
  type MemoryQuestion,
} from '../../index/index.ts';
import { conditions, matchesOf, projectIds } from './_filters.ts';
import { quoted, titleLexeme, wordLexeme } from './_lexemes.ts';
import { cosinesOf, nearestOf } from './_nearest.ts';
import type { VectorMode } from './_pgvector.ts';
import { surroundingsOf, type Surroundings } from './_surroundings.ts';
import { number } from './_values.ts';
import type { Work } from './work.ts';

/** What a word in the title counts beside one anywhere: a title is a summary. Finer weights come later, for the best. */
const TITLE_EXTRA = 0.6;
/** So many rows are looked at for one word: past that, it tells nothing any more. */
export const DEEPEST = 10_000;
/** And so many for all words of a question, the rarest first: each is a page of the table that must be read. */
const MOST_ROWS = 30_000;
/** Even when all are common, the rarest few are asked for. */
const KEEP_WORDS = 3;

export async function candidatesOf(
  work: Work,
  vectors: VectorMode,
  question: MemoryQuestion,
  common: Frequencies,
): Promise<readonly Candidate[]> {
  const { filters, limit, nearest = limit } = question;
  const vector = vectors === 'none' ? undefined : question.vector;
  const scores = await byWords(work, common, filters, limit);
  const best = [...scores].toSorted((a, b) => b[1] - a[1]).map(([row]) => row);
  const near = vector ? await nearestOf(work, vectors, vector, filters, nearest) : [];
  const around = await surroundingsOf(work, { best, also: near }, question);
  const rows = [...new Set([...best, ...near, ...(await inScope(work, around, filters))])];
  const cosines = vector ? await cosinesOf(work, vector, rows) : new Map<number, number>();
  return rows.flatMap((row) => {
    const found = around.of(row);
    if (!found) return [];
    const cosine = cosines.get(row);
    const { counts, length } = found;
    const bm25 = scores.get(row) ?? 0;
    return { row, bm25, counts, length, near: found.near, ...(cosine === undefined ? {} : { cosine }) };
  });
}

/** The best by words in each scope. */
async function byWords(
  work: Work,
  known: Frequencies,
  filters: readonly MemoryFilter[],
  limit: number,
): Promise<ReadonlyMap<number, number>> {
  const asked = affordable(worthAsking(known), known);
  if (asked.length === 0) return new Map();
  const questions = asked.flatMap((token) => {
    const rarity = Math.log(1 + known.rows / (known.counts.get(token) ?? 1));
    return [
      { query: quoted(wordLexeme(work.team, token)), weight: rarity },
      { query: quoted(titleLexeme(work.team, token)), weight: rarity * TITLE_EXTRA },
    ];
  });
  // Where a word is too common to look at all that hold it, those that hold every word are looked at first.
  const all = asked.map((token) => quoted(wordLexeme(work.team, token))).join(' & ');
  const weight = questions.reduce((sum, one) => sum + one.weight, 0);
  const tooCommon = asked.length > 1 && asked.some((token) => (known.counts.get(token) ?? 0) > DEEPEST);
  const every = tooCommon ? [{ query: all, weight }] : [];
  const scores = new Map<number, number>();
  for (const filter of filters) {
    const wanted = { questions: [...every, ...questions], deepest: DEEPEST, most: limit };
    for (const { row, score } of await matchesOf(work, filter, wanted)) scores.set(row, score);
  }
  return scores;
}

function affordable(tokens: readonly string[], { counts }: Frequencies): readonly string[] {
  let rows = 0;
  return tokens.filter((token, i) => {
    rows += Math.min(DEEPEST, counts.get(token) ?? 0);
    return i < KEEP_WORDS || rows <= MOST_ROWS;
  });
}

/** Those beside the best that one of the filters lets through. */
async function inScope(
  work: Work,
  { of, beside }: Surroundings,
  filters: readonly MemoryFilter[],
): Promise<readonly number[]> {
  const projects = filters.flatMap(({ project, ...rest }) =>
    Object.keys(rest).length > 0 ? [] : [project === undefined ? undefined : projectIds(project)],
  );
  // Which project they are of is known; what else may be asked for is not.
  const through = beside.filter((row) => projects.some((ids) => ids?.includes(of(row)?.project ?? '') ?? true));
  if (projects.length === filters.length || through.length === beside.length) return through;
  const values: unknown[] = [work.team, beside];
  const scopes = filters.map((filter) => conditions(filter, values));
  const found = await work.rows(
    `SELECT m.number FROM tidemark.memory m WHERE m.team_id = $1 AND m.number = ANY ($2::bigint[])
     AND (${scopes.map((scope) => `(${scope || 'true'})`).join(' OR ')})`,
    values,
  );
  return found.map((row) => number(row, 'number'));
}
