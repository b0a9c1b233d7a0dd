/** The members of a team and their roles. Only owners may change them, which row-level security enforces. */
import { randomUUID } from 'node:crypto';
import { given, TidemarkError } from '../../core/index.ts';
import { ROLES } from '../../exchange/sync/index.ts';
import { checkedUuid, forbidden, notFound } from './errors.ts';
import { number, oneOf, optionalText, optionalTime, text, time } from './values.ts';
import type { Role, Row, Work } from './work.ts';

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: string;
  readonly removedAt?: string;
}

/** `removed`: also returns removed members. */
export async function listMembers(
  work: Work,
  options: { readonly removed?: boolean } = {},
): Promise<readonly Member[]> {
  const rows = await work.rows(
    `SELECT * FROM tidemark.member WHERE team_id = $1 AND (removed_at IS NULL OR $2) ORDER BY created_at, id`,
    [work.team, options.removed ?? false],
  );
  return rows.map(memberOf);
}

export async function memberById(work: Work, id: string): Promise<Member | undefined> {
  const row = await work.row('SELECT * FROM tidemark.member WHERE team_id = $1 AND id = $2', [
    work.team,
    checkedUuid(id),
  ]);
  return row && memberOf(row);
}

/** Returns the names of these members, also of removed ones. */
export async function memberNames(work: Work, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await work.rows(
    'SELECT id, name FROM tidemark.member WHERE team_id = $1 AND id = ANY ($2::uuid[])',
    [work.team, ids],
  );
  return new Map(rows.map((row) => [text(row, 'id'), text(row, 'name')]));
}

export async function addMember(
  work: Work,
  { name, role }: { readonly name: string; readonly role: Role },
): Promise<Member> {
  await requireFreeName(work, name);
  const row = await work.row(
    'INSERT INTO tidemark.member (team_id, id, name, role) VALUES ($1, $2, $3, $4) RETURNING *',
    [work.team, randomUUID(), name, role],
  );
  if (!row) throw notFound('member');
  return memberOf(row);
}

export async function changeMember(
  work: Work,
  id: string,
  change: { readonly name?: string; readonly role?: Role },
): Promise<Member> {
  await requireOwnerRole(work);
  if (change.role !== undefined && change.role !== 'owner') await requireAnotherOwner(work, id);
  if (change.name !== undefined) await requireFreeName(work, change.name, checkedUuid(id));
  const row = await work.row(
    `UPDATE tidemark.member SET name = coalesce($3, name), role = coalesce($4, role)
     WHERE team_id = $1 AND id = $2 AND removed_at IS NULL RETURNING *`,
    [work.team, checkedUuid(id), change.name ?? null, change.role ?? null],
  );
  if (!row) throw notFound('member');
  work.changed();
  return memberOf(row);
}

/** Revokes the member's keys at once. Their entries stay, with their name. */
export async function removeMember(work: Work, id: string): Promise<void> {
  await requireOwnerRole(work);
  await requireAnotherOwner(work, id);
  // Before the removal: an operator acts as an owner, who may be the one that leaves.
  await work.row(
    `SELECT tidemark.revoke_keys(ARRAY(SELECT id FROM tidemark.api_key
       WHERE team_id = $1 AND member_id = $2 AND revoked_at IS NULL))`,
    [work.team, checkedUuid(id)],
  );
  const removed = await work.run(
    'UPDATE tidemark.member SET removed_at = now() WHERE team_id = $1 AND id = $2 AND removed_at IS NULL',
    [work.team, id],
  );
  if (removed === 0) throw notFound('member');
  work.changed();
}

/** Throws for others than owners: an update that no policy allows would silently change nothing. */
async function requireOwnerRole(work: Work): Promise<void> {
  const row = await work.row('SELECT tidemark.my_role() AS role');
  if (row?.['role'] === 'owner') return;
  throw forbidden('only owners can change members', 'Ask an owner of the team.');
}

/** Throws if another member has this name, in any case. The name of a removed member is free again. */
async function requireFreeName(work: Work, name: string, except?: string): Promise<void> {
  // The lock keeps two members from getting the name at the same time.
  await work.row('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${work.team} names`]);
  const row = await work.row('SELECT tidemark.member_named($1, $2) AS name', [name, except ?? null]);
  const taken = row && optionalText(row, 'name');
  if (taken === undefined) return;
  throw new TidemarkError('conflict', `the team has a member "${taken}" already`, {
    hint: 'Choose another name, for example with the surname. For another machine of the same person, create a second key.',
  });
}

async function requireAnotherOwner(work: Work, leaving: string): Promise<void> {
  // The lock keeps two owners from leaving at the same time.
  await work.row('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${work.team} owners`]);
  const row = await work.row(
    `SELECT count(*) AS others FROM tidemark.member
     WHERE team_id = $1 AND role = 'owner' AND removed_at IS NULL AND id <> $2`,
    [work.team, checkedUuid(leaving)],
  );
  if (row && number(row, 'others') > 0) return;
  throw new TidemarkError('last-owner', 'a team needs at least one owner', {
    hint: 'Make another member an owner first.',
  });
}

function memberOf(row: Row): Member {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    role: oneOf(row, 'role', ROLES),
    createdAt: time(row, 'created_at'),
    ...given({ removedAt: optionalTime(row, 'removed_at') }),
  };
}
