/**
 * Messages in the format of EverMem: taken once, listed as they came, and queued until they are memories. Events of
 * sessions are kept apart: they are never recalled. Knows nothing of the routes.
 */
import { given } from '../../core/index.ts';
import { checkedUuid } from './errors.ts';
import type { TeamStore } from './store.ts';
import { json, number, oneOf, optionalText, text, time } from './values.ts';
import type { Caller, Row, Work } from './work.ts';

export interface NewMessage {
  readonly messageId: string;
  readonly groupId: string;
  readonly userId: string;
  readonly sender: string;
  readonly senderName?: string;
  readonly role: string;
  readonly content: string;
  /** As the client wrote it. */
  readonly createTime: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Message extends NewMessage {
  /** In the order of arrival. */
  readonly number: number;
  readonly project: string;
  readonly state: MessageState;
  readonly tries: number;
  readonly receivedAt: string;
}

export type MessageState = 'queued' | 'done' | 'failed';

export interface SessionEvent {
  readonly messageId: string;
  readonly groupId: string;
  readonly userId: string;
  readonly event: string;
  readonly at: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface MessageListing {
  readonly groups?: readonly string[];
  readonly user?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly offset: number;
}

export interface Queue {
  readonly messages: number;
  readonly oldestAt?: string;
}

const STATES: readonly MessageState[] = ['queued', 'done', 'failed'];

/** @returns how many were new: a message id is taken once per group */
export async function insertMessages(
  work: Work,
  project: string,
  requestId: string,
  messages: readonly NewMessage[],
): Promise<number> {
  const id = checkedUuid(project);
  const rows = messages.map((message) => ({
    team_id: work.team,
    project_id: id,
    group_id: message.groupId,
    message_id: message.messageId,
    user_id: message.userId,
    sender: message.sender,
    sender_name: message.senderName ?? null,
    role: message.role,
    content: message.content,
    create_time: message.createTime,
    detail: message.detail ?? {},
    member_id: work.member,
    request_id: requestId,
  }));
  const columns =
    'team_id, project_id, group_id, message_id, user_id, sender, sender_name, role, content, create_time, detail, member_id, request_id';
  return work.run(
    `INSERT INTO tidemark.message (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::tidemark.message, $1)
     ON CONFLICT (team_id, group_id, message_id) DO NOTHING`,
    [json(rows)],
  );
}

export async function insertSessionEvents(
  work: Work,
  project: string,
  events: readonly SessionEvent[],
): Promise<number> {
  const rows = events.map(({ messageId, groupId, userId, event, at, detail = {} }) => ({
    team_id: work.team,
    project_id: checkedUuid(project),
    group_id: groupId,
    message_id: messageId,
    user_id: userId,
    event,
    at,
    detail,
  }));
  const columns = 'team_id, project_id, group_id, message_id, user_id, event, at, detail';
  return work.run(
    `INSERT INTO tidemark.session_event (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::tidemark.session_event, $1)
     ON CONFLICT (team_id, group_id, message_id) DO NOTHING`,
    [json(rows)],
  );
}

/** Newest first by the time the client gave. */
export async function listMessages(
  work: Work,
  { groups, user, since, until, limit, offset }: MessageListing,
): Promise<{ readonly messages: readonly Message[]; readonly total: number }> {
  const where = `team_id = $1 AND ($2::text[] IS NULL OR group_id = ANY ($2)) AND ($3::text IS NULL OR user_id = $3)
    AND ($4::text IS NULL OR create_time >= $4) AND ($5::text IS NULL OR create_time < $5)`;
  const values = [work.team, groups ?? null, user ?? null, since ?? null, until ?? null];
  const rows = await work.rows(
    `SELECT * FROM tidemark.message WHERE ${where} ORDER BY create_time DESC, number DESC LIMIT $6 OFFSET $7`,
    [...values, limit, offset],
  );
  const count = await work.row(`SELECT count(*) AS total FROM tidemark.message WHERE ${where}`, values);
  return { messages: rows.map(messageOf), total: count ? number(count, 'total') : 0 };
}

/** The oldest that wait, locked until the transaction ends: no two workers get the same. */
export async function claimMessages(work: Work, limit: number): Promise<readonly Message[]> {
  const rows = await work.rows(
    `SELECT * FROM tidemark.message WHERE team_id = $1 AND state = 'queued' AND member_id = $2
     ORDER BY number LIMIT $3 FOR UPDATE SKIP LOCKED`,
    [work.team, work.member, limit],
  );
  return rows.map(messageOf);
}

/** How many of a member's messages wait, and since when the oldest does. */
export async function queueOf(work: Work): Promise<Queue> {
  const row = await work.row(
    `SELECT count(*) AS messages, min(received_at) AS oldest FROM tidemark.message
     WHERE team_id = $1 AND state = 'queued' AND member_id = $2`,
    [work.team, work.member],
  );
  const messages = row ? number(row, 'messages') : 0;
  return row && messages > 0 ? { messages, oldestAt: time(row, 'oldest') } : { messages: 0 };
}

/**
 * A message that became memories, or that failed: `failed` only once the caller has given up on it. Of one that is done
 * the text goes: it stands in the memories, and where those are forgotten it must not stay behind.
 */
export async function settleMessages(
  work: Work,
  numbers: readonly number[],
  outcome: { readonly state: MessageState; readonly problem?: string },
): Promise<void> {
  await work.run(
    `UPDATE tidemark.message SET state = $3, problem = $4, tries = tries + 1,
       content = CASE WHEN $3 = 'done' THEN '' ELSE content END
     WHERE team_id = $1 AND number = ANY ($2::bigint[])`,
    [work.team, [...numbers], outcome.state, outcome.problem ?? null],
  );
}

/** For whom messages wait: a server that starts goes on with them. */
export async function waitingCallers(store: TeamStore): Promise<readonly Caller[]> {
  const rows = await store.outside((work) => work.rows('SELECT team_id, member_id FROM tidemark.waiting()'));
  return rows.map((row) => ({ team: text(row, 'team_id'), member: text(row, 'member_id') }));
}

export async function putGroupMeta(
  work: Work,
  project: string,
  groupId: string,
  meta: Readonly<Record<string, unknown>>,
): Promise<void> {
  await work.run(
    `INSERT INTO tidemark.message_group (team_id, project_id, group_id, meta) VALUES ($1, $2, $3, $4)
     ON CONFLICT (team_id, group_id) DO UPDATE SET meta = excluded.meta, changed_at = now()`,
    [work.team, checkedUuid(project), groupId, json(meta)],
  );
}

export async function groupMeta(
  work: Work,
  groupId: string,
): Promise<{ readonly project: string; readonly meta: Readonly<Record<string, unknown>> } | undefined> {
  const row = await work.row(
    'SELECT project_id, meta FROM tidemark.message_group WHERE team_id = $1 AND group_id = $2',
    [work.team, groupId],
  );
  if (!row) return undefined;
  // The column holds what putGroupMeta wrote there: an object.
  return { project: text(row, 'project_id'), meta: row['meta'] as Readonly<Record<string, unknown>> };
}

function messageOf(row: Row): Message {
  const senderName = optionalText(row, 'sender_name');
  return {
    number: number(row, 'number'),
    project: text(row, 'project_id'),
    messageId: text(row, 'message_id'),
    groupId: text(row, 'group_id'),
    userId: text(row, 'user_id'),
    sender: text(row, 'sender'),
    ...given({ senderName }),
    role: text(row, 'role'),
    content: text(row, 'content'),
    createTime: text(row, 'create_time'),
    detail: row['detail'] as Readonly<Record<string, unknown>>,
    state: oneOf(row, 'state', STATES),
    tries: number(row, 'tries'),
    receivedAt: time(row, 'received_at'),
  };
}
