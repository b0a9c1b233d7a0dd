/** API keys, `tmk_<id>_<secret>`. Only the hash of the secret is stored; the key itself is returned once, on creation. */
import { given } from '../../core/index.ts';
import { SCOPES, ROLES } from '../../exchange/sync/index.ts';
import { ID_LENGTH, isSecretOf, newSecret } from './_secret.ts';
import { checkedUuid, notFound } from './errors.ts';
import { POSITION_NOW } from './cluster/replica.ts';
import type { TeamStore } from './store.ts';
import { list, number, oneOf, optionalTime, text, time } from './values.ts';
import type { Role, Row, Work } from './work.ts';

export type Scope = (typeof SCOPES)[number];

export interface ApiKey {
  readonly id: string;
  readonly member: string;
  readonly name: string;
  /** The first characters of the key, to recognise it. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
}

/** The member, team and scopes of a valid key. */
export interface KeyHolder {
  readonly team: { readonly id: string; readonly name: string };
  readonly member: { readonly id: string; readonly name: string; readonly role: Role };
  readonly key: { readonly id: string; readonly scopes: readonly Scope[]; readonly expiresAt: string | null };
  /** With a replica: the position in the primary's log at which the key was valid. Reads see everything before it. */
  readonly position?: string;
}

/** `expired` has its own kind, so that the holder gets a useful message; everything else is `unknown`. */
export type KeyCheck =
  | { readonly kind: 'known'; readonly holder: KeyHolder }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown' };

const KEY = /^tmk_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;
const PREFIX_LENGTH = 'tmk_'.length + ID_LENGTH;
/** Everything but the hash, which the server's role cannot read. */
const COLUMNS = 'id, member_id, name, prefix, scopes, created_at, expires_at, revoked_at, last_used_at';

export async function checkKey(store: TeamStore, key: string, now: Date): Promise<KeyCheck> {
  const [, id, secret] = KEY.exec(key) ?? [];
  if (id === undefined || secret === undefined) return { kind: 'unknown' };
  const row = await keyRow(store, id);
  if (!isSecretOf(secret, row?.['hash']) || !row) return { kind: 'unknown' };
  return checkRow(row, now);
}

/** Checks a key by id, for a hub visit that was authenticated before. */
export async function checkKeyId(store: TeamStore, id: string, now: Date): Promise<KeyCheck> {
  const row = await keyRow(store, id);
  return row ? checkRow(row, now) : { kind: 'unknown' };
}

function keyRow(store: TeamStore, id: string): Promise<Row | undefined> {
  const position = store.replica ? `, ${POSITION_NOW} AS position` : '';
  return store.lookUp(`SELECT k.*${position} FROM tidemark.key_by_id($1) AS k`, [id]);
}

function checkRow(row: Row, now: Date): KeyCheck {
  const expiresAt = optionalTime(row, 'expires_at');
  if (expiresAt !== undefined && expiresAt <= now.toISOString()) return { kind: 'expired' };
  return {
    kind: 'known',
    holder: {
      team: { id: text(row, 'team_id'), name: text(row, 'team_name') },
      member: { id: text(row, 'member_id'), name: text(row, 'member_name'), role: oneOf(row, 'role', ROLES) },
      key: { id: text(row, 'id'), scopes: scopesOf(row), expiresAt: expiresAt ?? null },
      ...('position' in row ? { position: text(row, 'position') } : {}),
    },
  };
}

/** @returns the key in plain text, to be shown once */
export async function createKey(
  work: Work,
  wanted: {
    readonly member: string;
    readonly name?: string;
    readonly scopes: readonly Scope[];
    readonly expiresAt?: string;
  },
): Promise<{ readonly secret: string; readonly key: ApiKey }> {
  const { id, secret, hash } = newSecret();
  const key = `tmk_${id}_${secret}`;
  await work.row('SELECT tidemark.make_key($1, $2, $3, $4, $5, $6, $7)', [
    id,
    checkedUuid(wanted.member),
    wanted.name ?? '',
    key.slice(0, PREFIX_LENGTH),
    hash,
    [...wanted.scopes],
    wanted.expiresAt ?? null,
  ]);
  const row = await work.row(`SELECT ${COLUMNS} FROM tidemark.api_key WHERE team_id = $1 AND id = $2`, [
    work.team,
    id,
  ]);
  if (!row) throw notFound('member');
  return { secret: key, key: keyOf(row) };
}

/** Returns the caller's keys, or all of the team for an owner, newest first. */
export async function listKeys(work: Work): Promise<readonly ApiKey[]> {
  const isOwner = (await work.row('SELECT tidemark.my_role() AS role'))?.['role'] === 'owner';
  const rows = await work.rows(
    `SELECT ${COLUMNS} FROM tidemark.api_key WHERE team_id = $1${isOwner ? '' : ' AND member_id = $2'}
     ORDER BY created_at DESC, id`,
    isOwner ? [work.team] : [work.team, work.member],
  );
  return rows.map(keyOf);
}

export async function revokeKey(work: Work, id: string): Promise<void> {
  const row = await work.row('SELECT tidemark.revoke_keys($1) AS revoked', [[id]]);
  if (!row || number(row, 'revoked') === 0) throw notFound('key');
  work.changed();
}

/** Stores the time of use at most once a minute. */
export async function keyUsed(work: Work, id: string): Promise<void> {
  await work.row('SELECT tidemark.key_used($1)', [id]);
}

function scopesOf(row: Row): readonly Scope[] {
  const stored = list(row, 'scopes');
  return SCOPES.filter((scope) => stored.includes(scope));
}

function keyOf(row: Row): ApiKey {
  return {
    id: text(row, 'id'),
    member: text(row, 'member_id'),
    name: text(row, 'name'),
    prefix: text(row, 'prefix'),
    scopes: scopesOf(row),
    createdAt: time(row, 'created_at'),
    ...given({
      expiresAt: optionalTime(row, 'expires_at'),
      revokedAt: optionalTime(row, 'revoked_at'),
      lastUsedAt: optionalTime(row, 'last_used_at'),
    }),
  };
}
