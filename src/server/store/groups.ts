/** Project and session lookups for the groups of EverMem clients. */
import type { SharedProject } from '../../exchange/sync/index.ts';
import { checkedUuid } from './errors.ts';
import { projectById } from './projects.ts';
import { text } from './values.ts';
import type { Work } from './work.ts';

/** Returns the projects with one of the keys that are shared with the caller. */
export async function projectsWithKeys(
  work: Work,
  keys: readonly string[],
): Promise<readonly SharedProject[]> {
  const rows = await work.rows(
    `SELECT DISTINCT project_id FROM tidemark.project_key WHERE team_id = $1 AND key = ANY ($2)
       AND project_id = ANY ((SELECT tidemark.readable())::uuid[])`,
    [work.team, keys],
  );
  const found: SharedProject[] = [];
  for (const row of rows) found.push(await projectById(work, text(row, 'project_id')));
  return found;
}

/** Renames a project; changes nothing if the caller may not rename it. */
export async function nameProject(work: Work, project: string, name: string): Promise<void> {
  await work.run('UPDATE tidemark.project SET name = $3 WHERE team_id = $1 AND id = $2', [
    work.team,
    checkedUuid(project),
    name,
  ]);
}

/** More session starts than one batch of messages spans. */
const MAX_STARTS = 200;

/** Returns the sessions that the caller's client started in a group up to this time, newest first. */
export async function sessionStarts(
  work: Work,
  groupId: string,
  until: string,
): Promise<readonly { readonly at: string; readonly session: string }[]> {
  const rows = await work.rows(
    `SELECT at, detail ->> 'session' AS session FROM tidemark.session_event
     WHERE team_id = $1 AND group_id = $2 AND at <= $3 AND detail ->> 'member' = $4
       AND detail ->> 'session' IS NOT NULL
     ORDER BY at DESC LIMIT $5`,
    [work.team, groupId, until, work.member, MAX_STARTS],
  );
  return rows.map((row) => ({ at: text(row, 'at'), session: text(row, 'session') }));
}
