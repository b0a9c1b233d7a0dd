/** Creates and revokes keys, for owners over HTTP and for operators on the database, with the same checks and audit. */
import { TidemarkError } from '../../core/index.ts';
import type { MadeKey } from '../../exchange/sync/index.ts';
import { scopesOfRole } from '../access/index.ts';
import {
  createKey,
  memberById,
  revokeKey,
  type RecordAction,
  type Scope,
  type Work,
} from '../store/index.ts';

export interface WantedKey {
  readonly member: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: string;
}

export async function issueKey(work: Work, wanted: WantedKey, record: RecordAction): Promise<MadeKey> {
  if (wanted.expiresAt !== undefined && Date.parse(wanted.expiresAt) <= Date.now()) {
    throw new TidemarkError('invalid', 'a key cannot expire in the past');
  }
  const member = await memberById(work, wanted.member);
  if (!member || member.removedAt !== undefined) throw new TidemarkError('not-found', 'no such member');
  const scopes = [...new Set(wanted.scopes)];
  const allowed = scopesOfRole(member.role);
  const refused = scopes.filter((scope) => !allowed.includes(scope));
  if (refused.length > 0) {
    throw new TidemarkError('invalid', `a ${member.role} cannot have a key to ${refused.join(' or ')}`, {
      hint: `Scopes of a ${member.role}: ${allowed.join(', ')}.`,
    });
  }
  const made = await createKey(work, { ...wanted, scopes });
  await record('key.create', made.key.id, {
    member: member.id,
    scopes,
    expiresAt: wanted.expiresAt ?? null,
  });
  return made;
}

export async function withdrawKey(work: Work, id: string, record: RecordAction): Promise<void> {
  await revokeKey(work, id);
  await record('key.revoke', id);
}
