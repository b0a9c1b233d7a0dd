/** Searches commit messages that give a reason, by the same words as memories and turns. Never injected. Only reads. */
import { given } from '../core/index.ts';
import {
  queryWords,
  tokensOf,
  type IndexedCommit,
  type MemoryIndex,
  type QueryVector,
} from '../database/index.ts';
import { bestExcerpt } from './excerpt.ts';
import { parseQuery } from './query.ts';
import { secondTier } from './ranking/second-tier.ts';
import { weigh, type By, type ScorePart } from './ranking/score.ts';
import { CANDIDATES, COMMIT_COLUMN_WEIGHTS, COMMITS_BELOW } from './ranking/weights.ts';
import { plainTime, projectsOf, withoutTime, type Hit } from './search.ts';

export interface CommitFound {
  readonly commit: IndexedCommit;
  readonly score: number;
  readonly parts: readonly ScorePart[];
  /** A sentence or two of the body, from the one that matches the query best; empty without a body. */
  readonly excerpt: string;
}

interface CommitSearchOptions {
  readonly now: Date;
  readonly project?: string;
  readonly limit?: number;
  /** The query as a vector; without one, only words count. */
  readonly vector?: QueryVector;
  readonly by?: By;
}

/** How much of a hash is shown: unique in repositories with millions of objects. */
const SHORT_HASH = 10;

export function shortSha({ sha }: Pick<IndexedCommit, 'sha'>): string {
  return sha.slice(0, SHORT_HASH);
}

/** How many files of a commit a line of results names. */
const FILES_SHOWN = 3;

/** `src/a.ts, src/b.ts and 4 more files`; empty without files. */
export function filesTouched({ files, moreFiles }: Pick<IndexedCommit, 'files' | 'moreFiles'>): string {
  const rest = Math.max(0, files.length - FILES_SHOWN) + moreFiles;
  const named = files.slice(0, FILES_SHOWN).join(', ');
  if (rest === 0) return named;
  return `${named === '' ? '' : `${named} and `}${rest} more ${rest === 1 ? 'file' : 'files'}`;
}

/** Commits that match a query: a few below memories, or more if there are no memories. */
export function alsoCommitted(
  index: MemoryIndex,
  text: string,
  hits: readonly Hit[],
  options: Omit<CommitSearchOptions, 'limit'>,
): readonly CommitFound[] {
  const limit = hits.length > 0 ? COMMITS_BELOW.some : COMMITS_BELOW.none;
  return searchCommits(index, text, { ...options, limit });
}

export function searchCommits(
  index: MemoryIndex,
  text: string,
  options: CommitSearchOptions,
): readonly CommitFound[] {
  const query = parseQuery(text, options.now);
  const words = queryWords(query.text);
  // A commit has no kind, state, agent or session; a query of filters alone lists memories.
  const isOfSession = query.session !== undefined || query.agents.length > 0;
  if (words.length === 0 || query.kinds.length + query.states.length > 0 || isOfSession) return [];
  const weighed = weigh(words, index.commitFrequencies(words.flatMap(tokensOf)));
  const undated = query.dateWords === undefined ? query : withoutTime(query);
  const vector = options.by === 'words' ? undefined : options.vector;
  const candidates = index.searchCommits(
    [...new Set(weighed.flatMap(({ word }) => tokensOf(word)))],
    given({
      project: projectsOf(index, undated) ?? options.project,
      file: undated.file,
      since: undated.since,
      until: undated.until,
    }),
    CANDIDATES,
    COMMIT_COLUMN_WEIGHTS,
    vector,
  );
  const about = { words: weighed, ...given({ by: options.by }), ...plainTime(query) };
  return secondTier(
    candidates.map((hit) => ({ ...hit, at: hit.commit.at })),
    about,
  )
    .slice(0, options.limit ?? COMMITS_BELOW.none)
    .map(({ hit: { commit }, score, parts }) => {
      return { commit, score, parts, excerpt: bestExcerpt(commit.body, query.text) };
    });
}
