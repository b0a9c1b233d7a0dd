import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyHolder, Role, Scope } from '../store/index.ts';
import { requireOwner, requireScope } from './permission.ts';

function holder(role: Role, scopes: readonly Scope[]): KeyHolder {
  return {
    team: { id: 't', name: 'Team' },
    member: { id: 'm', name: 'Ada', role },
    key: { id: 'k', scopes, expiresAt: null },
  };
}

test('a key allows only its scopes', () => {
  requireScope(holder('owner', ['read']), 'read');
  for (const scope of ['write', 'admin'] as const)
    assert.throws(() => requireScope(holder('owner', ['read']), scope), { code: 'forbidden', hint: /scope/ });
});

test('a reader may not write, whatever the key allows', () => {
  const reader = holder('reader', ['read', 'write', 'admin']);
  requireScope(reader, 'read');
  assert.throws(() => requireScope(reader, 'write'), { code: 'forbidden', hint: /role/ });
});

test('requireOwner passes only owners', () => {
  requireOwner(holder('owner', ['admin']));
  for (const role of ['member', 'reader'] as const)
    assert.throws(() => requireOwner(holder(role, ['read', 'write', 'admin'])), { code: 'forbidden' });
});
