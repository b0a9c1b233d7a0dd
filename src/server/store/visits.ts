/**
 * Hub links, which log a browser in once, and the visits they become. Each is `<id>_<secret>`, stored as a hash. A visit
 * ends when its key is revoked or expires, or when its member is removed.
 */
import { hashOf, isSecretOf, newSecret } from './_secret.ts';
import { checkKeyId, type KeyHolder } from './keys.ts';
import type { TeamStore } from './store.ts';
import { text, time } from './values.ts';
import type { Row, Work } from './work.ts';

export interface Visit {
  readonly id: string;
  readonly holder: KeyHolder;
  readonly createdAt: string;
  readonly until: string;
  /** Compares with the page's key. */
  readonly isPageKey: (key: string) => boolean;
  /** Whether the page's key was used; then no new one is issued. */
  readonly isPageUsed: boolean;
}

const TOKEN = /^([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** @returns the key of the link, to be shown once */
export function createLink(work: Work, key: string, until: Date): Promise<string> {
  return create(work, 'hub_link', key, until);
}

/** @returns the value of the cookie */
export function createVisit(work: Work, key: string, until: Date): Promise<string> {
  return create(work, 'hub_visit', key, until);
}

async function create(
  work: Work,
  table: 'hub_link' | 'hub_visit',
  key: string,
  until: Date,
): Promise<string> {
  const { id, secret, hash } = newSecret();
  await work.run(`DELETE FROM tidemark.${table} WHERE team_id = $1 AND member_id = $2 AND until < now()`, [
    work.team,
    work.member,
  ]);
  await work.run(
    `INSERT INTO tidemark.${table} (team_id, id, member_id, key_id, hash, until) VALUES ($1, $2, $3, $4, $5, $6)`,
    [work.team, id, work.member, key, hash, until],
  );
  return `${id}_${secret}`;
}

/** Finds the holder of a link without using it up. */
export async function linkOf(
  store: TeamStore,
  token: string,
  now: Date,
): Promise<{ readonly id: string; readonly holder: KeyHolder } | undefined> {
  const found = await verified(store, 'SELECT * FROM tidemark.hub_link_by_id($1)', token, now);
  return found && { id: found.id, holder: found.holder };
}

/** @returns whether the link still existed: of two simultaneous requests one gets in */
export async function useUpLink(work: Work, id: string): Promise<boolean> {
  const deleted = await work.run('DELETE FROM tidemark.hub_link WHERE team_id = $1 AND id = $2', [
    work.team,
    id,
  ]);
  return deleted > 0;
}

export async function visitOf(store: TeamStore, cookie: string, now: Date): Promise<Visit | undefined> {
  const found = await verified(store, 'SELECT * FROM tidemark.hub_visit_by_id($1)', cookie, now);
  if (!found) return undefined;
  const { id, holder, row } = found;
  return {
    id,
    holder,
    createdAt: time(row, 'created_at'),
    until: time(row, 'until'),
    isPageKey: (key) => isSecretOf(key, row['page_hash']),
    isPageUsed: row['page_used'] === true,
  };
}

/** Issues a new page key; returns undefined if an earlier one was used. */
export async function givePageKey(work: Work, id: string): Promise<string | undefined> {
  const { secret } = newSecret();
  const updated = await work.run(
    'UPDATE tidemark.hub_visit SET page_hash = $3 WHERE team_id = $1 AND id = $2 AND NOT page_used',
    [work.team, id, hashOf(secret)],
  );
  return updated > 0 ? secret : undefined;
}

/** Extends a visit after a request with the page's key. */
export async function keepVisit(work: Work, id: string, until: Date): Promise<void> {
  await work.run(
    'UPDATE tidemark.hub_visit SET page_used = true, until = $3 WHERE team_id = $1 AND id = $2',
    [work.team, id, until],
  );
}

export async function endVisit(work: Work, id: string): Promise<void> {
  await work.run('DELETE FROM tidemark.hub_visit WHERE team_id = $1 AND id = $2', [work.team, id]);
}

async function verified(
  store: TeamStore,
  statement: string,
  token: string,
  now: Date,
): Promise<{ readonly id: string; readonly holder: KeyHolder; readonly row: Row } | undefined> {
  const [, id, secret] = TOKEN.exec(token) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const row = await store.outside((work) => work.row(statement, [id]));
  if (!isSecretOf(secret, row?.['secret_hash']) || !row) return undefined;
  if (time(row, 'until') <= now.toISOString()) return undefined;
  const check = await checkKeyId(store, text(row, 'key_id'), now);
  return check.kind === 'known' ? { id, holder: check.holder, row } : undefined;
}
