/** What somebody may do: what the key allows and the role allows, both. Pure; whose rows they see is the database's to hold. */
import { TidemarkError } from '../../core/index.ts';
import type { KeyHolder, Role, Scope } from '../store/index.ts';

/** What a role may do at most, whatever its key says. `admin` of one who is no owner reaches only their own keys. */
const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  owner: ['read', 'write', 'admin'],
  member: ['read', 'write', 'admin'],
  reader: ['read', 'admin'],
};

export function scopesOfRole(role: Role): readonly Scope[] {
  return SCOPES_OF[role];
}

export function requireScope({ key, member }: KeyHolder, scope: Scope): void {
  if (!key.scopes.includes(scope)) {
    throw new TidemarkError('forbidden', `this key may not ${DEEDS[scope]}`, {
      hint: `Use a key with the scope "${scope}"; an owner makes one with: tidemark server key create`,
    });
  }
  if (!SCOPES_OF[member.role].includes(scope)) {
    throw new TidemarkError('forbidden', `a ${member.role} may not ${DEEDS[scope]}`, {
      hint: 'An owner of the team can change your role.',
    });
  }
}

export function requireOwner({ member }: KeyHolder): void {
  if (member.role === 'owner') return;
  throw new TidemarkError('forbidden', 'only an owner of the team may do this', {
    hint: 'Ask an owner of the team.',
  });
}

const DEEDS: Readonly<Record<Scope, string>> = {
  read: 'read',
  write: 'change anything',
  admin: 'manage keys or members',
};
