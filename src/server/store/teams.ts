/** Creates and reads teams. */
import { randomUUID } from 'node:crypto';
import { notFound } from './errors.ts';
import type { TeamStore } from './store.ts';
import { text } from './values.ts';
import type { Caller, Work } from './work.ts';

export interface Team {
  readonly id: string;
  readonly name: string;
}

/** Creates a team with its first owner, in one transaction. */
export async function createTeam(
  store: TeamStore,
  { name, owner }: { readonly name: string; readonly owner: string },
): Promise<Caller> {
  const caller = { team: randomUUID(), member: randomUUID() };
  await store.transaction(caller, async (work) => {
    await work.run('INSERT INTO tidemark.team (id, name) VALUES ($1, $2)', [work.team, name]);
    await work.run("INSERT INTO tidemark.member (team_id, id, name, role) VALUES ($1, $2, $3, 'owner')", [
      work.team,
      work.member,
      owner,
    ]);
  });
  return caller;
}

/** Returns the team of the transaction. */
export async function teamById(work: Work): Promise<Team> {
  const row = await work.row('SELECT id, name FROM tidemark.team WHERE id = $1', [work.team]);
  if (!row) throw notFound('team');
  return { id: text(row, 'id'), name: text(row, 'name') };
}

/** Returns the ids of all teams in this database; nothing else can be read outside of a team. */
export async function teamIds(store: TeamStore): Promise<readonly string[]> {
  const rows = await store.outside((work) => work.rows('SELECT team_ids AS id FROM tidemark.team_ids()'));
  return rows.map((row) => text(row, 'id'));
}
