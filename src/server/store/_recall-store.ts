/**
 * The team's database as a store that recall can rank: the same questions as the embedded index, answered from what the
 * caller may read. Ranks nothing: weights are recall's.
 */
import {
  BESIDE_THE_BEST,
  WITH_NEIGHBOURS,
  worthAsking,
  type Candidate,
  type Frequencies,
  type MemoryFilter,
  type MemoryListing,
  type MemoryQuestion,
} from '../../index/index.ts';
import { SOURCE_MAKER, type Memory, type Project } from '../../model/index.ts';
import type { MemoryStore } from '../../recall/index.ts';
import { ENTRY_COLUMNS, memoryOfRow } from './_entries.ts';
import { conditions, matchesOf } from './_filters.ts';
import { fileLexeme, quoted, titleLexeme, wordLexeme } from './_lexemes.ts';
import { neighboursOf, type Neighbours } from './_neighbours.ts';
import { cosinesOf, nearestOf } from './_nearest.ts';
import { textFacts } from './_text-facts.ts';
import { list, number, text } from './_values.ts';
import type { VectorMode } from './_pgvector.ts';
import type { Work } from './work.ts';

/** What a word in the title counts beside one anywhere: a title is a summary. Finer weights come later, for the best. */
const TITLE_EXTRA = 0.6;
/** So many rows are looked at for one word: past that, it tells nothing any more. */
const DEEPEST = 10_000;
/** And so many for all words of a question, the rarest first: each is a page of the table that must be read. */
const MOST_ROWS = 30_000;
/** Even when all are common, the rarest few are asked for. */
const KEEP_WORDS = 3;
/** Of files with one name: further down nobody looks. */
const MOST_OF_A_FILE = 2000;
const DEFAULT_LIMIT = 100;

/** For one question: how common its words are is asked once. */
export function recallStore(work: Work, vectors: VectorMode): MemoryStore {
  let known: Frequencies = { rows: 0, counts: new Map() };
  const memoryFrequencies = async (tokens: Iterable<string>): Promise<Frequencies> => {
    const asked = [...new Set(tokens)];
    if (!asked.every((token) => known.counts.has(token))) known = await frequencies(work, asked);
    return { rows: known.rows, counts: new Map(asked.map((token) => [token, known.counts.get(token) ?? 0])) };
  };
  return {
    memoryFrequencies,
    candidates: async (question) =>
      candidates(work, vectors, question, await memoryFrequencies(question.tokens)),
    memoriesAt: (rows) => memoriesAt(work, rows),
    memoriesBy: (listing) => memoriesBy(work, listing),
    projects: () => projects(work),
  };
}

async function frequencies(work: Work, tokens: readonly string[]): Promise<Frequencies> {
  const rows = await work.rows(
    `SELECT t.term, t.rows, c.memories FROM tidemark.team_counter c
     LEFT JOIN tidemark.term t ON t.team_id = c.team_id AND t.term = ANY ($2) AND t.rows > 0 WHERE c.team_id = $1`,
    [work.team, tokens],
  );
  const known = new Map(
    rows.flatMap((row) => (row['term'] === null ? [] : [[text(row, 'term'), number(row, 'rows')] as const])),
  );
  return {
    rows: rows[0] ? number(rows[0], 'memories') : 0,
    counts: new Map(tokens.map((token) => [token, known.get(token) ?? 0])),
  };
}

async function candidates(
  work: Work,
  vectors: VectorMode,
  question: MemoryQuestion,
  common: Frequencies,
): Promise<readonly Candidate[]> {
  const { tokens, filters, limit, reach, weights, vector, nearest = limit } = question;
  const scores = await byWords(work, common, filters, limit);
  const best = [...scores].toSorted((a, b) => b[1] - a[1]).map(([row]) => row);
  const near = vector ? await nearestOf(work, vectors, vector, filters, nearest) : [];

  const top = await neighboursOf(work, best.slice(0, WITH_NEIGHBOURS), reach);
  const beside = best.slice(0, BESIDE_THE_BEST).flatMap((row) => top.of(row, 1));
  const rows = [...new Set([...best, ...near, ...(await inScope(work, beside, filters))])];
  const around = await top.andOf(rows);
  const facts = await textFacts(work, [...new Set([...rows, ...rows.flatMap((row) => around.of(row))])], {
    tokens,
    weights,
  });
  const cosines =
    vector && vectors !== 'none' ? await cosinesOf(work, vector, rows) : new Map<number, number>();
  return rows.map((row) => ({
    row,
    bm25: scores.get(row) ?? 0,
    ...facts(row),
    near: nearFacts(around, row, facts),
    ...(cosines.has(row) ? { cosine: cosines.get(row) ?? 0 } : {}),
  }));
}

function nearFacts(
  around: Neighbours,
  row: number,
  facts: (row: number) => Pick<Candidate, 'counts' | 'length'>,
): Candidate['near'] {
  return around.at(row).map(({ row: other, distance }) => ({ distance, counts: facts(other).counts }));
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

async function inScope(
  work: Work,
  rows: readonly number[],
  filters: readonly MemoryFilter[],
): Promise<readonly number[]> {
  if (rows.length === 0) return [];
  const values: unknown[] = [work.team, [...new Set(rows)]];
  const scopes = filters.map((filter) => conditions(filter, values));
  if (scopes.includes('')) return rows;
  const found = await work.rows(
    `SELECT m.number FROM tidemark.memory m WHERE m.team_id = $1 AND m.number = ANY ($2::bigint[])
     AND (${scopes.map((scope) => `(${scope})`).join(' OR ')})`,
    values,
  );
  return found.map((row) => number(row, 'number'));
}

async function memoriesAt(work: Work, rows: readonly number[]): Promise<ReadonlyMap<number, Memory>> {
  const found = await work.rows(
    `SELECT number, ${ENTRY_COLUMNS} FROM tidemark.memory WHERE team_id = $1 AND number = ANY ($2::bigint[])`,
    [work.team, rows],
  );
  return new Map(found.map((row) => [number(row, 'number'), memoryOfRow(row)]));
}

async function memoriesBy(work: Work, listing: MemoryListing): Promise<readonly Memory[]> {
  const { file, after, limit = DEFAULT_LIMIT, offset = 0 } = listing;
  const [direction, beyond] = listing.order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
  const values: unknown[] = [work.team, limit, offset, SOURCE_MAKER];
  const clauses = [conditions(listing, values)];
  if (file !== undefined) {
    const questions = [{ query: quoted(fileLexeme(work.team, file)), weight: 1 }];
    const named = await matchesOf(work, listing, { questions, deepest: DEEPEST, most: MOST_OF_A_FILE });
    clauses.push(`m.number = ANY ($${values.push(named.map(({ row }) => row))}::bigint[])`);
  }
  if (after) clauses.push(`(m.at, m.id) ${beyond} ($${values.push(after.at)}, $${values.push(after.id)})`);
  const where = clauses.filter(Boolean).map((clause) => ` AND ${clause}`);
  const found = await work.rows(
    `SELECT ${ENTRY_COLUMNS} FROM tidemark.memory m WHERE m.team_id = $1 AND m.made_by <> $4${where.join('')}
     ORDER BY m.at ${direction}, m.id ${direction} LIMIT $2 OFFSET $3`,
    values,
  );
  return found.map(memoryOfRow);
}

async function projects(work: Work): Promise<readonly Project[]> {
  const rows = await work.rows(
    `SELECT p.id, p.name, ARRAY(SELECT key FROM tidemark.project_key k
       WHERE k.team_id = p.team_id AND k.project_id = p.id) AS keys FROM tidemark.project p WHERE p.team_id = $1`,
    [work.team],
  );
  return rows.map((row) => ({
    id: text(row, 'id'),
    name: text(row, 'name'),
    keys: list(row, 'keys'),
    paths: [],
  }));
}
