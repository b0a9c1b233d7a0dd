/** Making and revoking keys, as owners do it over HTTP and operators do it on the database: checked alike, audited alike. */
import { given, TidemarkError } from '../../core/index.ts';
import type { MadeKey } from '../../exchange/sync/index.ts';
import { scopesOfRole } from '../access/index.ts';
import { createKey, memberById, recordAudit, revokeKey, type Scope, type Work } from '../store/index.ts';

export interface WantedKey {
  readonly member: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: string;
}

/** `by`: the key it is done with; none where an operator does it on the database. */
export async function issueKey(work: Work, wanted: WantedKey, by?: string): Promise<MadeKey> {
  if (wanted.expiresAt !== undefined && Date.parse(wanted.expiresAt) <= Date.now()) {
    throw new TidemarkError('invalid', 'a key cannot expire in the past');
  }
  const member = await memberById(work, wanted.member);
  if (!member || member.removedAt !== undefined) throw new TidemarkError('not-found', 'no such member');
  const scopes = [...new Set(wanted.scopes)];
  const beyond = scopes.filter((scope) => !scopesOfRole(member.role).includes(scope));
  if (beyond.length > 0) {
    throw new TidemarkError('invalid', `a ${member.role} cannot have a key to ${beyond.join(' or ')}`, {
      hint: `What a ${member.role} may have: ${scopesOfRole(member.role).join(', ')}.`,
    });
  }
  const made = await createKey(work, { ...wanted, scopes });
  await recordAudit(work, {
    action: 'key.create',
    object: made.key.id,
    ...given({ key: by }),
    detail: { member: member.id, scopes, expiresAt: wanted.expiresAt ?? null },
  });
  return made;
}

export async function withdrawKey(work: Work, id: string, by?: string): Promise<void> {
  await revokeKey(work, id);
  await recordAudit(work, {
    action: 'key.revoke',
    object: id,
    ...given({ key: by }),
  });
}
