/** Reads entries of shared projects: one, pages, and earlier texts. */
import { given, ID_PATTERN } from '../../core/index.ts';
import type { WireEntry } from '../../exchange/sync/index.ts';
import { browse, SELECT_SHARED, sharedOf, type SharedMemory } from './browse.ts';
import { invalidCursor, notFound } from './errors.ts';
import { projectById } from './projects.ts';
import { pageOf, text, time } from './values.ts';
import type { Page, Work } from './work.ts';

interface Revision {
  readonly entry: WireEntry;
  readonly author: string;
  readonly keptAt: string;
}

/** Returns the newest first. Throws `not-found` for a project that is not shared with the caller. */
export async function listMemories(
  work: Work,
  project: string,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
): Promise<Page<SharedMemory>> {
  const { id } = await projectById(work, project);
  const after = cursor === undefined ? undefined : positionOf(cursor);
  const rows = await browse(work, { project: id }, { limit: limit + 1, ...given({ after }) });
  return pageOf(rows, limit, ({ entry: { at, id: last } }) =>
    Buffer.from(`${at} ${last}`).toString('base64url'),
  );
}

/** Returns the memory from any project that is shared with the caller. */
export async function memoryById(work: Work, id: string): Promise<SharedMemory> {
  const row = ID_PATTERN.test(id)
    ? await work.row(`${SELECT_SHARED} WHERE m.team_id = $1 AND m.id = $2 ORDER BY m.project_id LIMIT 1`, [
        work.team,
        id,
      ])
    : undefined;
  if (!row) throw notFound('memory');
  return sharedOf(row);
}

/** Returns the replaced texts of an entry, newest first. */
export async function revisionsOf(work: Work, project: string, id: string): Promise<readonly Revision[]> {
  const { id: projectId } = await projectById(work, project);
  const rows = await work.rows(
    `SELECT entry, author_id, kept_at FROM tidemark.memory_revision
     WHERE team_id = $1 AND project_id = $2 AND id = $3 ORDER BY clock DESC, version_machine DESC`,
    [work.team, projectId, id],
  );
  return rows.map((row) => ({
    // Checked against the schema when it was pushed.
    entry: row['entry'] as WireEntry,
    author: text(row, 'author_id'),
    keptAt: time(row, 'kept_at'),
  }));
}

function positionOf(cursor: string): { readonly at: string; readonly id: string } {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (Number.isNaN(Date.parse(at)) || !ID_PATTERN.test(id)) throw invalidCursor();
  return { at, id };
}
