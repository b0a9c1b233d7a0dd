/** Projects of a team. A project is identified by any of its keys. */
import { randomUUID } from 'node:crypto';
import type { NewProject, SharedProject } from '../../exchange/sync/index.ts';
import { checkedUuid, forbidden, invalidCursor, isUuid, notFound } from './errors.ts';
import { ACCESS, setShare } from './shares.ts';
import { list, oneOf, optionalText, pageOf, text } from './values.ts';
import type { Page, Row, Work } from './work.ts';

const DEFAULT_LIMIT = 100;
/** A condition with OR would keep PostgreSQL from beginning at the cursor. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Every table with rows of a project; the counters of memories follow them. Shares are last, because the policies of the others check them. */
const PROJECT_TABLES = [
  'memory_vector',
  'unembedded',
  'memory',
  'memory_revision',
  'tombstone',
  'change',
  'push',
  'project_term',
  'project_counter',
  'message',
  'session_event',
  'project_key',
  'share',
] as const;

/** `access` is `write` only if both the share and the role allow it. */
const SELECT_PROJECT = `
  SELECT p.id, p.name, p.created_by,
    coalesce((SELECT m.name FROM tidemark.member m WHERE m.team_id = p.team_id AND m.id = p.created_by), '') AS creator,
    CASE WHEN p.id = ANY ((SELECT tidemark.writable())::uuid[]) THEN 'write' ELSE 'read' END AS access,
    ARRAY(SELECT key FROM tidemark.project_key k WHERE k.team_id = p.team_id AND k.project_id = p.id ORDER BY key) AS keys
  FROM tidemark.project p
  WHERE p.team_id = $1 AND p.id = ANY ((SELECT tidemark.readable())::uuid[])`;

/** Returns the projects shared with the caller, ordered by id. */
export async function listProjects(
  work: Work,
  { cursor, limit = DEFAULT_LIMIT }: { readonly cursor?: string; readonly limit?: number } = {},
): Promise<Page<SharedProject>> {
  if (cursor !== undefined && !isUuid(cursor)) throw invalidCursor();
  const rows = await work.rows(`${SELECT_PROJECT} AND p.id > $2 ORDER BY p.id LIMIT $3`, [
    work.team,
    cursor ?? BEFORE_ALL,
    limit + 1,
  ]);
  return pageOf(rows.map(projectOf), limit, ({ id }) => id);
}

/** Throws `not-found` if the project does not exist or is not shared with the caller. */
export async function projectById(work: Work, id: string): Promise<SharedProject> {
  const row = await work.row(`${SELECT_PROJECT} AND p.id = $2`, [work.team, checkedUuid(id)]);
  if (!row) throw notFound('project');
  return projectOf(row);
}

/** Returns the projects with one of the keys that are shared with the caller. */
export async function projectsWithKeys(
  work: Work,
  keys: readonly string[],
): Promise<readonly SharedProject[]> {
  const rows = await work.rows(
    `${SELECT_PROJECT} AND p.id = ANY (ARRAY(
      SELECT project_id FROM tidemark.project_key WHERE team_id = $1 AND key = ANY ($2)))`,
    [work.team, keys],
  );
  return rows.map(projectOf);
}

/** Renames a project; changes nothing if the caller may not rename it. */
export async function nameProject(work: Work, project: string, name: string): Promise<void> {
  await work.run('UPDATE tidemark.project SET name = $3 WHERE team_id = $1 AND id = $2', [
    work.team,
    checkedUuid(project),
    name,
  ]);
}

/** Returns the project with one of the keys, or creates it; adds the missing keys. */
export async function ensureProject(
  work: Work,
  { name, keys, with: sharedWith = 'nobody' }: NewProject,
  /** Called for a new project, in the same transaction. */
  onNew: (project: string) => Promise<void> = async () => {},
): Promise<SharedProject> {
  const found = (await projectWithKey(work, keys)) ?? (await projectOnceLocked(work, keys));
  const id = found ?? (await newProject(work, name));
  if (!found && sharedWith === 'everyone') await setShare(work, id, { member: null, access: 'write' });
  if (!found) await onNew(id);
  const readable = await work.row('SELECT $1 = ANY (tidemark.readable()) AS readable', [id]);
  if (readable?.['readable'] !== true)
    throw forbidden(
      'the team already has this project, and it is not shared with you',
      'Ask an owner of the team to share it with you.',
    );
  const project = await projectById(work, id);
  const fresh = keys.filter((key) => !project.keys.includes(key));
  if (fresh.length === 0 || project.access !== 'write') return project;
  await work.run(
    `INSERT INTO tidemark.project_key (team_id, key, project_id) SELECT $1, key, $2 FROM unnest($3::text[]) AS key
     ON CONFLICT DO NOTHING`,
    [work.team, id, fresh],
  );
  return projectById(work, id);
}

/** Deletes a project with all its rows. Clients notice with their next request. */
export async function removeProject(work: Work, id: string): Promise<{ readonly name: string }> {
  const project = checkedUuid(id);
  // The policies let only members with write access delete rows, so the caller gets it first.
  await setShare(work, project, { member: work.member, access: 'write' });
  const { name } = await projectById(work, project);
  const values = [work.team, project];
  // Waits for changes under way; later ones find no project.
  await work.row(
    'SELECT 1 FROM tidemark.project_counter WHERE team_id = $1 AND project_id = $2 FOR UPDATE',
    values,
  );
  for (const table of PROJECT_TABLES)
    await work.run(`DELETE FROM tidemark.${table} WHERE team_id = $1 AND project_id = $2`, values);
  const removed = await work.run('DELETE FROM tidemark.project WHERE team_id = $1 AND id = $2', values);
  if (removed === 0) throw notFound('project');
  return { name };
}

/** Two simultaneous requests with the same key must not create two projects. Known projects need no lock of the team. */
async function projectOnceLocked(work: Work, keys: readonly string[]): Promise<string | undefined> {
  await work.row('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${work.team} projects`]);
  return projectWithKey(work, keys);
}

async function projectWithKey(work: Work, keys: readonly string[]): Promise<string | undefined> {
  const row = await work.row('SELECT tidemark.project_with_key($1) AS id', [keys]);
  return row && optionalText(row, 'id');
}

async function newProject(work: Work, name: string): Promise<string> {
  const id = randomUUID();
  await work.run('INSERT INTO tidemark.project (team_id, id, name, created_by) VALUES ($1, $2, $3, $4)', [
    work.team,
    id,
    name,
    work.member,
  ]);
  await setShare(work, id, { member: work.member, access: 'write' });
  await work.run('INSERT INTO tidemark.project_counter (team_id, project_id) VALUES ($1, $2)', [
    work.team,
    id,
  ]);
  return id;
}

function projectOf(row: Row): SharedProject {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    keys: list(row, 'keys'),
    access: oneOf(row, 'access', ACCESS),
    createdBy: { id: text(row, 'created_by'), name: text(row, 'creator') },
  };
}
