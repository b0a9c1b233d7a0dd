/**
 * Messages of EverMem clients: stored once and queued until they are memories. Session events are stored apart and never
 * recalled.
 */
import { checkedUuid } from './errors.ts';
import type { TeamStore } from './store.ts';
import { insertRows, number, text, time } from './values.ts';
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

export interface QueuedMessage extends Omit<NewMessage, 'userId' | 'senderName'> {
  /** Ascending in the order of arrival. */
  readonly number: number;
  readonly project: string;
  readonly receivedAt: string;
}

interface SessionEvent extends Pick<NewMessage, 'messageId' | 'groupId' | 'userId' | 'detail'> {
  readonly event: string;
  readonly at: string;
}

export interface Queue {
  readonly messages: number;
  readonly oldestAt?: string;
}

/** A message id is stored once per group. */
const ONCE = '(team_id, group_id, message_id) DO NOTHING';

/** @returns how many were new */
export async function insertMessages(
  work: Work,
  project: string,
  requestId: string,
  messages: readonly NewMessage[],
): Promise<number> {
  const rows = messages.map((message) => ({
    ...idColumns(work, project, message),
    sender: message.sender,
    sender_name: message.senderName ?? null,
    role: message.role,
    content: message.content,
    create_time: message.createTime,
    detail: message.detail ?? {},
    member_id: work.member,
    request_id: requestId,
  }));
  return insertRows(work, 'message', rows, ONCE);
}

export async function insertSessionEvents(
  work: Work,
  project: string,
  events: readonly SessionEvent[],
): Promise<void> {
  const rows = events.map((one) => ({
    ...idColumns(work, project, one),
    event: one.event,
    at: one.at,
    detail: one.detail ?? {},
  }));
  await insertRows(work, 'session_event', rows, ONCE);
}

function idColumns(
  work: Work,
  project: string,
  { groupId, messageId, userId }: Pick<NewMessage, 'groupId' | 'messageId' | 'userId'>,
) {
  return {
    team_id: work.team,
    project_id: checkedUuid(project),
    group_id: groupId,
    message_id: messageId,
    user_id: userId,
  };
}

/** Returns the oldest queued messages, locked until the transaction ends, so that no two workers get the same. */
export async function claimMessages(work: Work, limit: number): Promise<readonly QueuedMessage[]> {
  const rows = await work.rows(
    `SELECT * FROM tidemark.message WHERE team_id = $1 AND state = 'queued' AND member_id = $2
     ORDER BY number LIMIT $3 FOR UPDATE SKIP LOCKED`,
    [work.team, work.member, limit],
  );
  return rows.map(messageOf);
}

/** Counts the caller's queued messages. */
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
 * Marks messages as done or, after the last attempt, as failed. Deletes the text of a done message: it is in the
 * memories, and must not remain when those are forgotten.
 */
export async function settleMessages(
  work: Work,
  numbers: readonly number[],
  outcome: { readonly state: 'done' } | { readonly state: 'failed'; readonly problem: string },
): Promise<void> {
  await work.run(
    `UPDATE tidemark.message SET state = $3, problem = $4, tries = tries + 1,
       content = CASE WHEN $3 = 'done' THEN '' ELSE content END
     WHERE team_id = $1 AND number = ANY ($2::bigint[])`,
    [work.team, numbers, outcome.state, outcome.state === 'failed' ? outcome.problem : null],
  );
}

/** Returns the members with queued messages, so that a server continues with them after its start. */
export async function waitingCallers(store: TeamStore): Promise<readonly Caller[]> {
  const rows = await store.outside((work) => work.rows('SELECT team_id, member_id FROM tidemark.waiting()'));
  return rows.map((row) => ({ team: text(row, 'team_id'), member: text(row, 'member_id') }));
}

function messageOf(row: Row): QueuedMessage {
  return {
    number: number(row, 'number'),
    project: text(row, 'project_id'),
    messageId: text(row, 'message_id'),
    groupId: text(row, 'group_id'),
    sender: text(row, 'sender'),
    role: text(row, 'role'),
    content: text(row, 'content'),
    createTime: text(row, 'create_time'),
    // insertMessages writes an object into this column.
    detail: row['detail'] as Readonly<Record<string, unknown>>,
    receivedAt: time(row, 'received_at'),
  };
}

/** More session starts than one batch of messages spans. */
const MAX_STARTS = 200;

/** Returns the sessions that the caller's client started in a group up to this time, newest first. */
export async function sessionStarts(
  work: Work,
  groupId: string,
  until: string,
): Promise<readonly { readonly at: string; readonly session: string }[]> {
  const rows = await work.rows(
    `SELECT at, detail ->> 'session' AS session FROM tidemark.session_event
     WHERE team_id = $1 AND group_id = $2 AND at <= $3 AND detail ->> 'member' = $4
       AND detail ->> 'session' IS NOT NULL
     ORDER BY at DESC LIMIT $5`,
    [work.team, groupId, until, work.member, MAX_STARTS],
  );
  return rows.map((row) => ({ at: text(row, 'at'), session: text(row, 'session') }));
}
