/** Entries of shared projects one by one and in lists, with their authors and the texts they had before. */
import { ID_PATTERN, type MemoryKind } from '../../core/index.ts';
import type { WireEntry } from '../../exchange/sync/index.ts';
import { SELECT_SHARED, sharedOf, type SharedMemory } from './_shared-rows.ts';
import { checkedUuid, notFound, strangeCursor } from './errors.ts';
import { projectById } from './projects.ts';
import { number, text, time } from './values.ts';
import type { Page, Work } from './work.ts';

export interface Revision {
  readonly entry: WireEntry;
  readonly author: string;
  readonly keptAt: string;
}

/** Newest first. Throws `not-found` for a project that is not shared with the caller. */
export async function listMemories(
  work: Work,
  project: string,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
): Promise<Page<SharedMemory>> {
  const { id } = await projectById(work, project);
  const after = cursor === undefined ? undefined : placeOf(cursor);
  const rows = await work.rows(
    `${SELECT_SHARED} WHERE m.team_id = $1 AND m.project_id = $2 AND ($3::text IS NULL OR (m.at, m.id) < ($3, $4))
     ORDER BY m.at DESC, m.id DESC LIMIT $5`,
    [work.team, id, after?.at ?? null, after?.id ?? null, limit + 1],
  );
  const items = rows.slice(0, limit).map(sharedOf);
  const last = items.at(-1);
  return rows.length > limit && last ? { items, cursor: cursorOf(last.entry) } : { items };
}

export interface MemoryListing {
  /** None: all that are shared with the caller. */
  readonly projects?: readonly string[] | undefined;
  readonly kinds?: readonly MemoryKind[] | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A page of several projects, newest first, with how many there are in all. */
export async function memoriesOf(
  work: Work,
  { projects, kinds, limit, offset }: MemoryListing,
): Promise<{ readonly memories: readonly SharedMemory[]; readonly total: number }> {
  const where = `m.team_id = $1 AND ($2::uuid[] IS NULL OR m.project_id = ANY ($2))
    AND ($3::text[] IS NULL OR m.kind = ANY ($3))`;
  const values = [work.team, projects?.map(checkedUuid) ?? null, kinds ?? null];
  const rows = await work.rows(
    `${SELECT_SHARED} WHERE ${where} ORDER BY m.at DESC, m.id DESC LIMIT $4 OFFSET $5`,
    [...values, limit, offset],
  );
  const count = await work.row(`SELECT count(*) AS total FROM tidemark.memory m WHERE ${where}`, values);
  return { memories: rows.map(sharedOf), total: count ? number(count, 'total') : 0 };
}

/** By id, wherever it is shared with the caller. */
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

/** Texts that lost against a later one, newest first. */
export async function revisionsOf(work: Work, project: string, id: string): Promise<readonly Revision[]> {
  const { id: projectId } = await projectById(work, project);
  const rows = await work.rows(
    `SELECT entry, author_id, kept_at FROM tidemark.memory_revision
     WHERE team_id = $1 AND project_id = $2 AND id = $3 ORDER BY clock DESC, version_machine DESC`,
    [work.team, projectId, id],
  );
  return rows.map((row) => ({
    // The column holds an entry that was checked when it came.
    entry: row['entry'] as WireEntry,
    author: text(row, 'author_id'),
    keptAt: time(row, 'kept_at'),
  }));
}

function placeOf(cursor: string): { readonly at: string; readonly id: string } {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (Number.isNaN(Date.parse(at)) || !ID_PATTERN.test(id)) throw strangeCursor();
  return { at, id };
}

function cursorOf({ at, id }: WireEntry): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}
