/** Shares of projects with members or with everyone in the team. */
import type { SharedProject } from '../../exchange/sync/index.ts';
import { checkedUuid, forbidden, notFound } from './errors.ts';
import { oneOf, optionalText, text } from './values.ts';
import type { Row, Work } from './work.ts';

type Access = SharedProject['access'];
export const ACCESS: readonly Access[] = ['read', 'write'];

/** A `member` of null means everyone in the team. */
interface Share {
  readonly member: string | null;
  readonly access: Access;
}

export async function listShares(work: Work, project: string): Promise<readonly Share[]> {
  const rows = await work.rows(
    'SELECT member_id, access FROM tidemark.share WHERE team_id = $1 AND project_id = $2 ORDER BY member_id NULLS FIRST',
    [work.team, await visibleProject(work, project)],
  );
  return rows.map(shareOf);
}

/** Returns every project the caller may know of, with its shares. Owners know of all projects of the team. */
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
    `SELECT p.id, p.name, CASE WHEN p.id = ANY ((SELECT tidemark.writable())::uuid[]) THEN 'write'
         WHEN p.id = ANY ((SELECT tidemark.readable())::uuid[]) THEN 'read' END AS access,
       coalesce((SELECT m.name FROM tidemark.member m WHERE m.team_id = $1 AND m.id = p.created_by), '') AS creator
     FROM tidemark.project p WHERE p.team_id = $1 ORDER BY p.name, p.id`,
    [work.team],
  );
  const shares = await work.rows(
    `SELECT s.project_id, s.member_id, s.access FROM unnest($2::uuid[]) AS p (id) CROSS JOIN LATERAL (
       SELECT * FROM tidemark.share WHERE team_id = $1 AND project_id = p.id OFFSET 0) AS s ORDER BY s.member_id NULLS FIRST`,
    [work.team, projects.map((row) => text(row, 'id'))],
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
  const id = await visibleProject(work, project);
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
    [work.team, id, member, access],
  );
  work.changed(id);
}

export async function removeShare(work: Work, project: string, member: string | null): Promise<void> {
  const id = await visibleProject(work, project);
  const may = await work.row('SELECT tidemark.may_share($1) AS may', [id]);
  if (may?.['may'] !== true)
    throw forbidden(
      'only the creator of the project or an owner can change its shares',
      'Ask an owner of the team.',
    );
  const removed = await work.run(
    'DELETE FROM tidemark.share WHERE team_id = $1 AND project_id = $2 AND member_id IS NOT DISTINCT FROM $3',
    [work.team, id, member === null ? null : checkedUuid(member)],
  );
  if (removed === 0) throw notFound('share');
  work.changed(id);
}

/** Returns the id of a project the caller may know of; throws `not-found` otherwise. */
async function visibleProject(work: Work, project: string): Promise<string> {
  const id = checkedUuid(project);
  const row = await work.row('SELECT 1 FROM tidemark.project WHERE team_id = $1 AND id = $2', [
    work.team,
    id,
  ]);
  if (!row) throw notFound('project');
  return id;
}
