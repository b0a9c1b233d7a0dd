/** Permissions: an action needs the scope in the key and in the role. Which rows a member sees is up to the database. Pure. */
import { TidemarkError } from '../../core/index.ts';
import type { KeyHolder, Role, Scope } from '../store/index.ts';

/** The most a role may do, whatever its key allows. `admin` without the role `owner` covers only the member's own keys. */
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
    throw new TidemarkError('forbidden', `this key may not ${ACTIONS[scope]}`, {
      hint: `Use a key with the scope "${scope}"; an owner creates one with: tidemark server key create`,
    });
  }
  if (!SCOPES_OF[member.role].includes(scope)) {
    throw new TidemarkError('forbidden', `a ${member.role} may not ${ACTIONS[scope]}`, {
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

const ACTIONS: Readonly<Record<Scope, string>> = {
  read: 'read',
  write: 'change anything',
  admin: 'manage keys or members',
};
