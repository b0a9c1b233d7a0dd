/** A question → ranked memories of the team that the caller may read, with the same ranking as on one's own machine. */
import { searchStore, type Hit, type SearchOptions, type SearchResult } from '../../../recall/index.ts';
import type { Work } from '../work.ts';
import type { VectorMode } from './pgvector.ts';
import { recallStore, type Author } from './recall-store.ts';

export interface TeamHit extends Hit {
  readonly author: Author;
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
  const store = recallStore(work, mode);
  const found = await searchStore(store, question, { ...options, ...(vector ? { vector } : {}) });
  return { ...found, hits: found.hits.map((hit) => ({ ...hit, author: store.authorOf(hit.memory) })) };
}
