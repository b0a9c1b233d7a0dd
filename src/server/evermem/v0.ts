/** Version 0 of EverMem's format: what comes in, checked and turned into our words; what goes out. Pure. */
import * as v from 'valibot';
import { given, TidemarkError } from '../../core/index.ts';
import { checked } from '../../http/index.ts';
import { fraction, kindsOf, moment, MOST_LISTED, name, names, optionalName, text, whole } from './_fields.ts';
import { groupOfSender } from './group.ts';
import { messageOf, type Message } from './message.ts';
import type { Listing, Question } from './question.ts';
import { episodeOf, type Shown } from './shown.ts';

export interface Received {
  readonly group: string;
  /** What the project is called where it is new. */
  readonly name?: string;
  readonly messages: readonly Message[];
}

const NewMessage = v.object({
  message_id: name,
  create_time: moment,
  sender: name,
  sender_name: optionalName,
  role: v.nullish(name, 'user'),
  content: text,
  group_id: optionalName,
  group_name: optionalName,
});

/** Every client of version 0 calls its groups this. */
const NO_NAME = 'Claude Code Session';

export function receivedV0(body: unknown, now: Date): Received {
  const given = checked(NewMessage, body);
  const message = messageOf(
    {
      id: given.message_id,
      at: given.create_time,
      role: given.role,
      sender: given.sender,
      senderName: given.sender_name ?? undefined,
      content: given.content,
    },
    now,
  );
  const named = given.group_name && given.group_name !== NO_NAME ? { name: given.group_name } : {};
  return { group: given.group_id || groupOfSender(given.sender), ...named, messages: [message] };
}

export function queuedV0(requestId: string): object {
  return { status: 'queued', message: 'Message accepted and queued for processing', request_id: requestId };
}

const Scope = { user_id: optionalName, group_id: optionalName, group_ids: names };

const List = v.object({
  ...Scope,
  memory_type: v.nullish(name, 'episodic_memory'),
  limit: v.nullish(whole(1, MOST_LISTED, MOST_LISTED)),
  offset: whole(0, Number.MAX_SAFE_INTEGER, 0),
  page: v.nullish(whole(1, Number.MAX_SAFE_INTEGER, 1)),
  page_size: v.nullish(whole(1, MOST_LISTED, MOST_LISTED)),
});

/** `limit` and `offset`, or `page` and `page_size`; in the query or in a body. */
export function listingV0(given: unknown): Listing {
  const { page, page_size, memory_type, ...list } = checked(List, given);
  const limit = list.limit ?? page_size ?? MOST_LISTED;
  const offset = page ? (page - 1) * limit : list.offset;
  return { ...scopeOf(list), kinds: kindsOf([memory_type]), limit, offset };
}

const Search = v.object({
  ...Scope,
  query: text,
  top_k: v.nullish(whole(-1, MOST_LISTED, 10)),
  radius: v.nullish(fraction),
  retrieve_method: optionalName,
  memory_types: names,
});

export function questionV0(given: unknown): Question {
  const { query, top_k, radius, retrieve_method, memory_types, ...rest } = checked(Search, given);
  return {
    ...scopeOf(rest),
    kinds: kindsOf(memory_types),
    text: query,
    limit: limitOf(top_k),
    ...(radius === null || radius === undefined ? {} : { floor: radius }),
    ...(retrieve_method === 'keyword' ? { by: 'words' as const } : {}),
  };
}

/** Minus one asks for all there are. */
export function limitOf(topK: number | null | undefined): number {
  if (topK === null || topK === undefined) return 10;
  return topK < 1 ? MOST_LISTED : topK;
}

function scopeOf(given: {
  readonly user_id?: string | null | undefined;
  readonly group_id?: string | null | undefined;
  readonly group_ids: readonly string[];
}): Pick<Question, 'groups' | 'user'> {
  const groups = [...new Set([...(given.group_id ? [given.group_id] : []), ...given.group_ids])];
  if (groups.length === 0 && !given.user_id)
    throw new TidemarkError('invalid', 'user_id or group_ids is missing', {
      hint: 'Send user_id, or group_ids with at least one group.',
    });
  return { groups, user: given.user_id || '' };
}

export function memoriesV0(shown: readonly Shown[], total: number, hasMore: boolean): object {
  return {
    status: 'ok',
    message: `${shown.length} memories`,
    result: {
      memories: shown.map((one) => ({
        ...episodeOf(one),
        memory_type: 'episodic_memory',
        type: 'Conversation',
      })),
      total_count: total,
      has_more: hasMore,
    },
  };
}

const Meta = v.object({
  group_id: name,
  name: optionalName,
  description: optionalName,
  created_at: v.nullish(v.union([v.string(), v.number()])),
  tags: v.nullish(v.array(v.string())),
});

export interface GroupMeta {
  readonly group: string;
  readonly name?: string;
}

/** The client calls a group by its folder, with its own name before it. The path in the description is not kept. */
export function metaV0(body: unknown): GroupMeta {
  const { group_id, name: called } = checked(Meta, body);
  const named = called?.replace(/^Claude /, '').trim();
  return { group: group_id, ...(named ? { name: named } : {}) };
}

export function metaAnswerV0({ group, name: called }: GroupMeta, id: string): object {
  return {
    status: 'ok',
    message: 'Conversation metadata saved',
    result: { id, group_id: group, ...given({ name: called }) },
  };
}
