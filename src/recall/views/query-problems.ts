/** What of a question was not understood, and what was probably meant: the query's own, and a project nobody knows. */
import { suggest } from '../../config/index.ts';
import { PERSONAL_PROJECT } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import type { SearchResult } from '../search.ts';

/** The query of a search, with every problem named; `project:` with an unknown name finds nothing, which has to be told. */
export function withProblems<T extends Pick<SearchResult, 'query'>>(index: MemoryIndex, found: T): T {
  const { project: named, problems } = found.query;
  if (named === undefined || named === PERSONAL_PROJECT) return found;
  const known = index.projects().flatMap(({ id, name }) => [name, id]);
  if (known.includes(named)) return found;
  const near = suggest(named, known);
  const problem = `project:${named}: no project has this name${near ? `, did you mean project:${near}?` : ' or id'}`;
  return { ...found, query: { ...found.query, problems: [...problems, problem] } };
}
