/** The memories that mention a file, found by the word index. */
import type { MemoryFilter } from '../../../database/index.ts';
import type { Work } from '../work.ts';
import { matchesOf } from './filters.ts';
import { fileLexeme, quoted } from './lexemes.ts';

/** Maximum number of memories read for one file name; more are in no list. */
const MAX_PER_FILE = 2000;

/** Returns the numbers of the rows. */
export async function fileRows(
  work: Work,
  filter: MemoryFilter & { readonly file: string },
): Promise<readonly number[]> {
  const queries = [{ query: quoted(fileLexeme(work.team, filter.file)), weight: 1 }];
  const named = await matchesOf(work, filter, { queries, maxRows: MAX_PER_FILE, most: MAX_PER_FILE });
  return named.map(({ row }) => row);
}
