/** Searches the memories the caller may read, with the same ranking as on the user's machine. Ranking is in recall. */
import { given, SOURCE_MAKER, type Memory, type Project } from '../../../core/index.ts';
import type { Frequencies, MemoryListing } from '../../../database/index.ts';
import {
  searchStore,
  type Hit,
  type MemoryStore,
  type SearchOptions,
  type SearchResult,
} from '../../../recall/index.ts';
import { browseRows } from '../browse.ts';
import { memoryOfRow, READ_COLUMNS } from '../entries.ts';
import { list, number, text } from '../values.ts';
import type { Row, Work } from '../work.ts';
import { candidatesOf } from './candidates.ts';
import type { VectorMode } from './pgvector.ts';

const DEFAULT_LIMIT = 100;

interface Author {
  readonly id: string;
  readonly name: string;
}

const NO_AUTHOR: Author = { id: '', name: '' };
const AUTHOR = `coalesce((SELECT w.name FROM tidemark.member w
  WHERE w.team_id = $1 AND w.id = author_id), '') AS author_name`;

export interface TeamHit extends Hit {
  readonly author: Author;
}

interface TeamSearchResult extends Omit<SearchResult, 'hits'> {
  readonly hits: readonly TeamHit[];
}

/**
 * `project` of the options is the id of a shared project, `vector` comes from the store. Run it in a read-only transaction.
 */
export async function searchMemories(
  work: Work,
  mode: VectorMode,
  query: string,
  options: SearchOptions,
): Promise<TeamSearchResult> {
  const authors = new Map<Memory, Author>();
  const found = await searchStore(recallStore(work, mode, authors), query, options);
  const hits = found.hits.map((hit) => ({ ...hit, author: authors.get(hit.memory) ?? NO_AUTHOR }));
  return { ...found, hits };
}

/**
 * The team's database as a store that recall can rank, for one search. Answers the same questions as the local index,
 * from what the caller may read, and collects the authors.
 */
function recallStore(work: Work, vectors: VectorMode, authors: Map<Memory, Author>): MemoryStore {
  const memoryAt = (row: Row): Memory => {
    const memory = memoryOfRow(row);
    authors.set(memory, { id: text(row, 'author_id'), name: text(row, 'author_name') });
    return memory;
  };
  /** Cached, because recall asks for the same words again. */
  let known: Frequencies = { rows: 0, counts: new Map() };
  const memoryFrequencies = async (tokens: Iterable<string>): Promise<Frequencies> => {
    const asked = [...new Set(tokens)];
    if (!asked.every((token) => known.counts.has(token))) known = await frequencies(work, asked);
    return { rows: known.rows, counts: new Map(asked.map((token) => [token, known.counts.get(token) ?? 0])) };
  };
  return {
    memoryFrequencies,
    candidates: async (question) =>
      candidatesOf(work, vectors, question, await memoryFrequencies(question.tokens)),
    memoriesAt: async (rows) =>
      new Map((await rowsAt(work, rows)).map((row) => [number(row, 'number'), memoryAt(row)])),
    memoriesBy: async (listing) => (await rowsBy(work, listing)).map(memoryAt),
    projects: () => projects(work),
  };
}

/** Counts only what the caller may read: a score must not show that a word exists elsewhere. */
async function frequencies(work: Work, tokens: readonly string[]): Promise<Frequencies> {
  const rows = await work.rows(
    `SELECT t.term, t.rows, c.memories
     FROM (SELECT coalesce(sum(memories), 0) AS memories FROM tidemark.project_counter WHERE team_id = $1) AS c
     LEFT JOIN (SELECT term, sum(rows) AS rows FROM tidemark.project_term
       WHERE team_id = $1 AND term = ANY ($2) GROUP BY term) AS t ON true`,
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

async function rowsAt(work: Work, rows: readonly number[]): Promise<readonly Row[]> {
  return work.rows(
    `SELECT m.*, ${AUTHOR} FROM unnest($2::bigint[]) AS wanted(number) CROSS JOIN LATERAL (
       SELECT number, ${READ_COLUMNS} FROM tidemark.memory
       WHERE team_id = $1 AND number = wanted.number OFFSET 0) AS m`,
    [work.team, rows],
  );
}

async function rowsBy(work: Work, listing: MemoryListing): Promise<readonly Row[]> {
  const { after, limit = DEFAULT_LIMIT, offset = 0, order, ...filter } = listing;
  return browseRows(work, filter, { limit, offset, notMadeBy: SOURCE_MAKER, ...given({ after, order }) });
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
