/**
 * A member who leaves: their inventory, projects that another member takes over, a copy of their memories, and their
 * erasure. The caller is an owner. Memories are read and forgotten under the policies, with access that lasts one transaction.
 */
import type { WireEntry } from '../../../exchange/sync/index.ts';
import { forgetEntries } from '../changes.ts';
import { entryOfRow, READ_COLUMNS } from '../entries.ts';
import { checkedUuid } from '../errors.ts';
import { setShare } from '../shares.ts';
import { number, text } from '../values.ts';
import type { Work } from '../work.ts';

export interface Holdings {
  readonly visits: number;
  /** Messages that are not memories yet. */
  readonly messages: number;
  readonly projects: readonly HeldProject[];
  readonly machines: readonly { readonly name: string; readonly memories: number; readonly last: string }[];
}

export interface HeldProject {
  readonly id: string;
  readonly name: string;
  readonly created: boolean;
  readonly shared: boolean;
  /** No other member can read it. */
  readonly alone: boolean;
  readonly memories: number;
  readonly revisions: number;
  /** Messages that are not memories yet, also failed ones. */
  readonly messages: number;
}

export interface Erased {
  readonly memories: number;
  readonly revisions: number;
  readonly messages: number;
}

export async function holdingsOf(work: Work, member: string): Promise<Holdings> {
  const row = await work.row('SELECT tidemark.holdings($1) AS found', [checkedUuid(member)]);
  return row?.['found'] as Holdings; // built by the function
}

/** Gives the member's projects, and those that only they can read, to another member. @returns the ids of the projects */
export async function handOver(
  work: Work,
  member: string,
  { projects }: Holdings,
  to: string,
): Promise<readonly string[]> {
  await work.row('SELECT tidemark.hand_over($1, $2)', [checkedUuid(member), checkedUuid(to)]);
  const given = projects.filter(({ created, shared, alone }) => created || (shared && alone));
  for (const { id } of given) await setShare(work, id, { member: to, access: 'write' });
  return given.map(({ id }) => id);
}

/** Ends the member's own shares. */
export async function removeSharesOf(work: Work, member: string): Promise<void> {
  await work.run('DELETE FROM tidemark.share WHERE team_id = $1 AND member_id = $2', [
    work.team,
    checkedUuid(member),
  ]);
}

/**
 * Gives the caller, an owner, access to a project during `run`. The end of the transaction leaves the shares as they were, so
 * no one is notified of them. Who shares the project with the owner meanwhile waits for that end.
 */
export async function withAccess<T>(work: Work, project: string, run: () => Promise<T>): Promise<T> {
  const own = [work.team, checkedUuid(project), work.member];
  const before = await lockedShare(work, own);
  if (before === 'read') await work.run(`UPDATE tidemark.share SET access = 'write' ${OWN_SHARE}`, own);
  const result = await run();
  if (before === undefined) await work.run(`DELETE FROM tidemark.share ${OWN_SHARE}`, own);
  if (before === 'read') await work.run(`UPDATE tidemark.share SET access = 'read' ${OWN_SHARE}`, own);
  return result;
}

const OWN_SHARE = 'WHERE team_id = $1 AND project_id = $2 AND member_id = $3';

/** Locks the caller's share, or makes one that writes. @returns the access it had before, undefined if it was made */
async function lockedShare(work: Work, own: readonly string[]): Promise<string | undefined> {
  for (;;) {
    const made = await work.run(
      `INSERT INTO tidemark.share (team_id, project_id, member_id, access) VALUES ($1, $2, $3, 'write')
       ON CONFLICT (team_id, project_id, member_id) DO NOTHING`,
      own,
    );
    if (made > 0) return undefined;
    const row = await work.row(`SELECT access FROM tidemark.share ${OWN_SHARE} FOR UPDATE`, own);
    if (row) return text(row, 'access'); // otherwise it was removed between the two statements
  }
}

/**
 * Forgets at most `most` memories of a member in one project, for every machine, and deletes as many of their replaced texts
 * and messages. Repeat it until it returns only zeros.
 */
export function eraseBatch(work: Work, project: string, member: string, most: number): Promise<Erased> {
  const values = [work.team, checkedUuid(project), checkedUuid(member), most];
  return withAccess(work, project, async () => ({
    memories: await forgetEntries(
      work,
      project,
      { where: 'author_id = $3', order: 'id', value: member },
      most,
    ),
    revisions: await work.run(
      `DELETE FROM tidemark.memory_revision AS r USING (
         SELECT id, clock, version_machine FROM tidemark.memory_revision
         WHERE team_id = $1 AND project_id = $2 AND author_id = $3 LIMIT $4) AS old
       WHERE r.team_id = $1 AND r.project_id = $2 AND r.id = old.id AND r.clock = old.clock
         AND r.version_machine = old.version_machine`,
      values,
    ),
    messages: await work.run(
      `DELETE FROM tidemark.message AS m USING (
         SELECT number FROM tidemark.message
         WHERE team_id = $1 AND project_id = $2 AND member_id = $3 AND state <> 'done' LIMIT $4) AS old
       WHERE m.team_id = $1 AND m.number = old.number`,
      values,
    ),
  }));
}

/** Returns the next memories of a member in one project, in the order of their ids. */
export function memoriesOfMember(
  work: Work,
  project: string,
  member: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly WireEntry[]> {
  return withAccess(work, project, async () => {
    const rows = await work.rows(
      `SELECT ${READ_COLUMNS} FROM tidemark.memory
       WHERE team_id = $1 AND project_id = $2 AND author_id = $3 AND id > $4 ORDER BY id LIMIT $5`,
      [work.team, checkedUuid(project), checkedUuid(member), after, limit],
    );
    return rows.map(entryOfRow);
  });
}

/** The same memories as in the function `aged` of the schema, read from the index `memory_aged`. */
const AGED = `changed_at < $3::text::timestamptz AND at || '' < $3 AND state <> 'open' AND kind <> 'preference'`;

/** Forgets at most `most` memories of a project that are older than this, for every machine. */
export function forgetOlder(work: Work, project: string, before: Date, most: number): Promise<number> {
  const aged = { where: AGED, order: 'changed_at', value: before.toISOString() };
  return withAccess(work, project, () => forgetEntries(work, project, aged, most));
}

/** Returns the projects with memories that `forgetOlder` would forget, and how many, each counted up to `most`. */
export async function agedMemories(
  work: Work,
  before: Date,
  most: number,
): Promise<readonly { readonly project: string; readonly name: string; readonly memories: number }[]> {
  const rows = await work.rows('SELECT * FROM tidemark.aged($1, $2)', [before.toISOString(), most]);
  return rows.map((row) => ({
    project: text(row, 'project_id'),
    name: text(row, 'name'),
    memories: number(row, 'memories'),
  }));
}

/** Returns a project of the team, also one that is not shared with the caller. */
export async function projectOfTeam(
  work: Work,
  project: string,
): Promise<{ readonly name: string; readonly keys: readonly string[] } | undefined> {
  const row = await work.row(
    `SELECT p.name, ARRAY(SELECT key FROM tidemark.project_key k
       WHERE k.team_id = p.team_id AND k.project_id = p.id ORDER BY key) AS keys
     FROM tidemark.project p WHERE p.team_id = $1 AND p.id = $2`,
    [work.team, checkedUuid(project)],
  );
  return row && { name: text(row, 'name'), keys: (row['keys'] as readonly string[]) ?? [] };
}
