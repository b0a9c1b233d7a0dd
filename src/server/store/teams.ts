/** Creates and reads teams. */
import { randomUUID } from 'node:crypto';
import { latestClock } from '../../exchange/sync/index.ts';
import { notFound } from './errors.ts';
import type { TeamStore } from './store.ts';
import { number, text, time } from './values.ts';
import type { Caller, Row, Work } from './work.ts';

export interface Team {
  readonly id: string;
  readonly name: string;
}

/** Creates a team with its counter and its first owner, in one transaction. */
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

export interface LockedTeam {
  /** The sequence number of the team's last change. */
  readonly seq: number;
  /** The highest clock that may be stored. */
  readonly latest: number;
}

/** Locks the team's counter. Every change holds this lock, so that sequence numbers are an order. */
export async function lockTeam(work: Work): Promise<LockedTeam> {
  const row = await work.row(
    'SELECT seq, now() AS now FROM tidemark.team_counter WHERE team_id = $1 FOR UPDATE',
    [work.team],
  );
  return { seq: row ? number(row, 'seq') : 0, latest: latestOf(row) };
}

/** Uses the database's clock, which all servers of a team share. */
export function latestOf(row: Row | undefined): number {
  return latestClock(row ? Date.parse(time(row, 'now')) : Date.now());
}
