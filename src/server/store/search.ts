/** A question → ranked memories of the team that the caller may read, with the same ranking as on one's own machine. */
import { searchStore, type Hit, type SearchOptions, type SearchResult } from '../../recall/index.ts';
import { recallStore } from './_recall-store.ts';
import type { VectorMode } from './_pgvector.ts';
import { text } from './_values.ts';
import type { Work } from './work.ts';

export interface TeamHit extends Hit {
  readonly author: { readonly id: string; readonly name: string };
}

export interface TeamSearchResult extends Omit<SearchResult, 'hits'> {
  readonly hits: readonly TeamHit[];
}

/** `project` of the options is the id of a shared project. Run it in a transaction that only reads. */
export async function searchMemories(
  work: Work,
  mode: VectorMode,
  question: string,
  options: SearchOptions,
): Promise<TeamSearchResult> {
  const wanted = options.vector === undefined && options.by !== 'words';
  const vector = wanted ? await work.vectorOf?.(question) : undefined;
  const found = await searchStore(recallStore(work, mode), question, {
    ...options,
    ...(vector ? { vector } : {}),
  });
  const authors = await authorsOf(work, found.hits);
  const hits = found.hits.map((hit) => ({
    ...hit,
    author: authors.get(`${hit.memory.project} ${hit.memory.id}`) ?? { id: '', name: '' },
  }));
  return { ...found, hits };
}

async function authorsOf(work: Work, hits: readonly Hit[]): Promise<ReadonlyMap<string, TeamHit['author']>> {
  const rows = await work.rows(
    `SELECT m.project_id, m.id, m.author_id, coalesce(w.name, '') AS name
     FROM tidemark.memory m LEFT JOIN tidemark.member w ON w.team_id = m.team_id AND w.id = m.author_id
     WHERE m.team_id = $1 AND m.id = ANY ($2)`,
    [work.team, hits.map(({ memory }) => memory.id)],
  );
  return new Map(
    rows.map((row) => [
      `${text(row, 'project_id')} ${text(row, 'id')}`,
      { id: text(row, 'author_id'), name: text(row, 'name') },
    ]),
  );
}
