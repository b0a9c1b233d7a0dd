/** The numbers of the last changes of some projects, by which a waiting machine sees that there is something new. */
import { number, text } from './values.ts';
import type { Work } from './work.ts';

/** Leaves out projects that are not shared with the caller. */
export async function lastSeqs(
  work: Work,
  projects: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await work.rows(
    'SELECT project_id, seq FROM tidemark.project_counter WHERE team_id = $1 AND project_id = ANY ($2)',
    [work.team, projects],
  );
  return new Map(rows.map((row) => [text(row, 'project_id'), number(row, 'seq')]));
}
