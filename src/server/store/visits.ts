/**
 * Who looks at the team's hub: a link that lets in once, and what it turns into. Each is `<id>_<secret>`; only hashes are
 * kept. A visit is worth what its key is worth: revoked, expired or its member removed, it is over.
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
  /** Whether this is the page's key. */
  readonly isPageKey: (key: string) => boolean;
  /** Once it was used, no other is given. */
  readonly isPageUsed: boolean;
}

const WORD = /^([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** @returns what the link carries, to be shown once */
export async function createLink(work: Work, key: string, until: Date): Promise<string> {
  const { id, secret, hash } = newSecret();
  await work.run('DELETE FROM tidemark.hub_link WHERE team_id = $1 AND member_id = $2 AND until < now()', [
    work.team,
    work.member,
  ]);
  await work.run(
    'INSERT INTO tidemark.hub_link (team_id, id, member_id, key_id, hash, until) VALUES ($1, $2, $3, $4, $5, $6)',
    [work.team, id, work.member, key, hash, until],
  );
  return `${id}_${secret}`;
}

/** Whose link it is; it still has to be used up. */
export async function linkOf(
  store: TeamStore,
  word: string,
  now: Date,
): Promise<{ readonly id: string; readonly holder: KeyHolder } | undefined> {
  const found = await proven(store, 'SELECT * FROM tidemark.hub_link_by_id($1)', word, now);
  return found && { id: found.id, holder: found.holder };
}

/** @returns whether it was still there: of two who come at once, one is let in */
export async function useUpLink(work: Work, id: string): Promise<boolean> {
  const gone = await work.run('DELETE FROM tidemark.hub_link WHERE team_id = $1 AND id = $2', [
    work.team,
    id,
  ]);
  return gone > 0;
}

/** @returns the cookie */
export async function createVisit(work: Work, key: string, until: Date): Promise<string> {
  const { id, secret, hash } = newSecret();
  await work.run('DELETE FROM tidemark.hub_visit WHERE team_id = $1 AND member_id = $2 AND until < now()', [
    work.team,
    work.member,
  ]);
  await work.run(
    'INSERT INTO tidemark.hub_visit (team_id, id, member_id, key_id, hash, until) VALUES ($1, $2, $3, $4, $5, $6)',
    [work.team, id, work.member, key, hash, until],
  );
  return `${id}_${secret}`;
}

export async function visitOf(store: TeamStore, cookie: string, now: Date): Promise<Visit | undefined> {
  const found = await proven(store, 'SELECT * FROM tidemark.hub_visit_by_id($1)', cookie, now);
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

/** The page's key; undefined once one was used. */
export async function givePageKey(work: Work, id: string): Promise<string | undefined> {
  const { secret } = newSecret();
  const given = await work.run(
    'UPDATE tidemark.hub_visit SET page_hash = $3 WHERE team_id = $1 AND id = $2 AND NOT page_used',
    [work.team, id, hashOf(secret)],
  );
  return given > 0 ? secret : undefined;
}

/** It was used just now, with the page's key. */
export async function keepVisit(work: Work, id: string, until: Date): Promise<void> {
  await work.run(
    'UPDATE tidemark.hub_visit SET page_used = true, until = $3 WHERE team_id = $1 AND id = $2',
    [work.team, id, until],
  );
}

export async function endVisit(work: Work, id: string): Promise<void> {
  await work.run('DELETE FROM tidemark.hub_visit WHERE team_id = $1 AND id = $2', [work.team, id]);
}

async function proven(
  store: TeamStore,
  question: string,
  word: string,
  now: Date,
): Promise<{ readonly id: string; readonly holder: KeyHolder; readonly row: Row } | undefined> {
  const [, id, secret] = WORD.exec(word) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const row = await store.outside((work) => work.row(question, [id]));
  if (!isSecretOf(secret, row?.['secret_hash']) || !row) return undefined;
  if (time(row, 'until') <= now.toISOString()) return undefined;
  const check = await checkKeyId(store, text(row, 'key_id'), now);
  return check.kind === 'known' ? { id, holder: check.holder, row } : undefined;
}
