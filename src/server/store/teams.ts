/** Making a team with its first owner, and what is known about it. */
import { randomUUID } from 'node:crypto';
import { notFound } from './errors.ts';
import type { TeamStore } from './store.ts';
import { number, text } from './values.ts';
import type { Caller, Work } from './work.ts';

export interface Team {
  readonly id: string;
  readonly name: string;
}

/** `server init`: the team, its counter and its first owner, at once or not at all. */
export async function createTeam(
  store: TeamStore,
  { name, owner }: { readonly name: string; readonly owner: string },
): Promise<Caller> {
  const caller = { team: randomUUID(), member: randomUUID() };
  await store.transaction(caller, async (work) => {
    await work.run('INSERT INTO tidemark.team (id, name) VALUES ($1, $2)', [work.team, name]);
    await work.run('INSERT INTO tidemark.team_counter (team_id) VALUES ($1)', [work.team]);
    await work.run("INSERT INTO tidemark.member (team_id, id, name, role) VALUES ($1, $2, $3, 'owner')", [
      work.team,
      work.member,
      owner,
    ]);
  });
  return caller;
}

/** The team a transaction is bound to. */
export async function teamById(work: Work): Promise<Team> {
  const row = await work.row('SELECT id, name FROM tidemark.team WHERE id = $1', [work.team]);
  if (!row) throw notFound('team');
  return { id: text(row, 'id'), name: text(row, 'name') };
}

/** The ids of all teams of this database; nothing else is known outside of a team. */
export async function teamIds(store: TeamStore): Promise<readonly string[]> {
  const rows = await store.outside((work) => work.rows('SELECT team_ids AS id FROM tidemark.team_ids()'));
  return rows.map((row) => text(row, 'id'));
}

/** How much a team has, as far as it is counted anyway. */
export async function teamCounts(
  work: Work,
): Promise<{ readonly memories: number; readonly changes: number }> {
  const row = await work.row('SELECT memories, seq FROM tidemark.team_counter WHERE team_id = $1', [
    work.team,
  ]);
  return row
    ? { memories: number(row, 'memories'), changes: number(row, 'seq') }
    : { memories: 0, changes: 0 };
}
