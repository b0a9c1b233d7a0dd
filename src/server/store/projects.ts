/** Projects of the team and with whom they are shared. A project is whatever has one of its keys. */
import { randomUUID } from 'node:crypto';
import type { NewProject, SharedProject } from '../../exchange/sync/index.ts';
import { checkedUuid, forbidden, isUuid, notFound, strangeCursor } from './errors.ts';
import { SQL_IS_WORD, SQL_TOKEN } from './search/lexemes.ts';
import { list, oneOf, optionalText, text } from './values.ts';
import type { Page, Row, Work } from './work.ts';

export type Access = SharedProject['access'];

/** No member: everyone in the team. */
export interface Share {
  readonly member: string | null;
  readonly access: Access;
}

const ACCESS: readonly Access[] = ['read', 'write'];
const DEFAULT_LIMIT = 100;

/** With what the caller may do there: write only where the share and the role allow it. */
const PROJECT = `
  SELECT p.id, p.name, p.created_by, coalesce(m.name, '') AS creator,
    CASE WHEN p.id = ANY (tidemark.writable()) THEN 'write' ELSE 'read' END AS access,
    ARRAY(SELECT key FROM tidemark.project_key k WHERE k.team_id = p.team_id AND k.project_id = p.id ORDER BY key) AS keys
  FROM tidemark.project p
  LEFT JOIN tidemark.member m ON m.team_id = p.team_id AND m.id = p.created_by
  WHERE p.team_id = $1 AND p.id = ANY ((SELECT tidemark.readable())::uuid[])`;

/** Those shared with the caller, by id. */
export async function listProjects(
  work: Work,
  { cursor, limit = DEFAULT_LIMIT }: { readonly cursor?: string; readonly limit?: number } = {},
): Promise<Page<SharedProject>> {
  if (cursor !== undefined && !isUuid(cursor)) throw strangeCursor();
  const rows = await work.rows(`${PROJECT} AND ($2::uuid IS NULL OR p.id > $2) ORDER BY p.id LIMIT $3`, [
    work.team,
    cursor ?? null,
    limit + 1,
  ]);
  const items = rows.slice(0, limit).map(projectOf);
  const last = items.at(-1);
  return rows.length > limit && last ? { items, cursor: last.id } : { items };
}

/** Throws `not-found` for what does not exist and for what is not shared with the caller alike. */
export async function projectById(work: Work, id: string): Promise<SharedProject> {
  const row = await work.row(`${PROJECT} AND p.id = $2`, [work.team, checkedUuid(id)]);
  if (!row) throw notFound('project');
  return projectOf(row);
}

/** The project that has one of the keys, or a new one of the caller's; further keys are added to it. */
export async function ensureProject(
  work: Work,
  { name, keys, with: sharedWith = 'nobody' }: NewProject,
  /** Told of a project that was made, in the same transaction. */
  onNew: (project: string) => Promise<void> = async () => {},
): Promise<SharedProject> {
  // Two who come with the same key at once must not make two projects of it.
  await work.row('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${work.team} projects`]);
  const found = await work.row(
    'SELECT project_id FROM tidemark.project_key WHERE team_id = $1 AND key = ANY ($2) ORDER BY key LIMIT 1',
    [work.team, keys],
  );
  const id = found ? text(found, 'project_id') : await newProject(work, name);
  if (!found && sharedWith === 'everyone') await setShare(work, id, { member: null, access: 'write' });
  if (!found) await onNew(id);
  const readable = await work.row('SELECT $1 = ANY (tidemark.readable()) AS readable', [id]);
  if (readable?.['readable'] !== true)
    throw forbidden(
      'the team has this project already, and it is not shared with you',
      'ask an owner of the team to share it with you',
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

/** With everything in it: texts, revisions, messages. Nobody is told; clients find it gone. */
export async function removeProject(work: Work, id: string): Promise<{ readonly name: string }> {
  const project = checkedUuid(id);
  // Only who may write there may take the rows away, so the owner who removes it is given that first.
  await setShare(work, project, { member: work.member, access: 'write' });
  const { name } = await projectById(work, project);
  await work.row('SELECT 1 FROM tidemark.team_counter WHERE team_id = $1 FOR UPDATE', [work.team]);
  const values = [work.team, project];
  await work.run(
    `UPDATE tidemark.term SET rows = term.rows - gone.rows FROM (
       SELECT ${SQL_TOKEN} AS term, count(*) AS rows
       FROM tidemark.memory, unnest(tokens) WHERE team_id = $1 AND project_id = $2 AND ${SQL_IS_WORD} GROUP BY 1) AS gone
     WHERE term.team_id = $1 AND term.term = gone.term`,
    values,
  );
  for (const table of ['memory_vector', 'unembedded'])
    await work.run(`DELETE FROM tidemark.${table} WHERE team_id = $1 AND project_id = $2`, values);
  const memories = await work.run(
    'DELETE FROM tidemark.memory WHERE team_id = $1 AND project_id = $2',
    values,
  );
  for (const table of [
    'memory_revision',
    'tombstone',
    'change',
    'push',
    'message',
    'session_event',
    'message_group',
  ])
    await work.run(`DELETE FROM tidemark.${table} WHERE team_id = $1 AND project_id = $2`, values);
  await work.run('UPDATE tidemark.team_counter SET memories = memories - $2 WHERE team_id = $1', [
    work.team,
    memories,
  ]);
  await work.run('DELETE FROM tidemark.project_key WHERE team_id = $1 AND project_id = $2', values);
  // The share of everyone and of the one who made it go last: the policies above look at them.
  await work.run('DELETE FROM tidemark.share WHERE team_id = $1 AND project_id = $2', values);
  const removed = await work.run('DELETE FROM tidemark.project WHERE team_id = $1 AND id = $2', values);
  if (removed === 0) throw notFound('project');
  return { name };
}

export async function listShares(work: Work, project: string): Promise<readonly Share[]> {
  await mustBeVisible(work, project);
  const rows = await work.rows(
    'SELECT member_id, access FROM tidemark.share WHERE team_id = $1 AND project_id = $2 ORDER BY member_id NULLS FIRST',
    [work.team, checkedUuid(project)],
  );
  return rows.map(shareOf);
}

/** Every project the caller may know of, with whom it is shared; an owner knows of all, also of those not shared with them. */
export async function allShares(work: Work): Promise<
  readonly {
    readonly id: string;
    readonly name: string;
    readonly access: Access | null;
    readonly createdBy: string;
    readonly shares: readonly Share[];
  }[]
> {
  const projects = await work.rows(
    `SELECT p.id, p.name, coalesce(m.name, '') AS creator, CASE WHEN p.id = ANY (tidemark.writable()) THEN 'write'
       WHEN p.id = ANY (tidemark.readable()) THEN 'read' END AS access
     FROM tidemark.project p LEFT JOIN tidemark.member m ON m.team_id = p.team_id AND m.id = p.created_by
     WHERE p.team_id = $1 ORDER BY p.name, p.id`,
    [work.team],
  );
  const shares = await work.rows(
    'SELECT project_id, member_id, access FROM tidemark.share WHERE team_id = $1 ORDER BY member_id NULLS FIRST',
    [work.team],
  );
  const byProject = Map.groupBy(shares, (row) => text(row, 'project_id'));
  return projects.map((row) => ({
    id: text(row, 'id'),
    name: text(row, 'name'),
    access: optionalText(row, 'access') === undefined ? null : oneOf(row, 'access', ACCESS),
    createdBy: text(row, 'creator'),
    shares: (byProject.get(text(row, 'id')) ?? []).map(shareOf),
  }));
}

function shareOf(row: Row): Share {
  return { member: optionalText(row, 'member_id') ?? null, access: oneOf(row, 'access', ACCESS) };
}

export async function setShare(work: Work, project: string, { member, access }: Share): Promise<void> {
  await mustBeVisible(work, project);
  if (member !== null) {
    const known = await work.row(
      'SELECT 1 FROM tidemark.member WHERE team_id = $1 AND id = $2 AND removed_at IS NULL',
      [work.team, checkedUuid(member)],
    );
    if (!known) throw notFound('member');
  }
  await work.run(
    `INSERT INTO tidemark.share (team_id, project_id, member_id, access) VALUES ($1, $2, $3, $4)
     ON CONFLICT (team_id, project_id, member_id) DO UPDATE SET access = excluded.access`,
    [work.team, checkedUuid(project), member, access],
  );
}

export async function removeShare(work: Work, project: string, member: string | null): Promise<void> {
  await mustBeVisible(work, project);
  const values = [work.team, checkedUuid(project)];
  const may = await work.row('SELECT tidemark.may_share($1) AS may', [values[1]]);
  if (may?.['may'] !== true)
    throw forbidden('only who made the project, or an owner, changes its shares', 'ask an owner of the team');
  const removed = await work.run(
    'DELETE FROM tidemark.share WHERE team_id = $1 AND project_id = $2 AND member_id IS NOT DISTINCT FROM $3',
    [...values, member === null ? null : checkedUuid(member)],
  );
  if (removed === 0) throw notFound('share');
}

async function mustBeVisible(work: Work, project: string): Promise<void> {
  const row = await work.row('SELECT 1 FROM tidemark.project WHERE team_id = $1 AND id = $2', [
    work.team,
    checkedUuid(project),
  ]);
  if (!row) throw notFound('project');
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
