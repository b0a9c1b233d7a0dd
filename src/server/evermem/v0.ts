/** Version 0 of EverMem's format: parses requests and builds answers. Pure. */
import * as v from 'valibot';
import { given } from '../../core/index.ts';
import { checked } from '../../http/index.ts';
import {
  integer,
  kindsOf,
  MAX_LISTED,
  moment,
  name,
  names,
  optionalName,
  questionOf,
  scopeOf,
  SearchFields,
  text,
  type Listing,
  type Question,
} from './_fields.ts';
import { episodeOf, type ListedMemory } from './episode.ts';
import { groupOfSender } from './group.ts';
import type { Received } from './intake.ts';
import { messageOf } from './message.ts';

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

/** The name every client of version 0 sends for its groups. */
const DEFAULT_NAME = 'Claude Code Session';

export function receivedV0(body: unknown, now: Date): Received {
  const request = checked(NewMessage, body);
  const message = messageOf(
    {
      id: request.message_id,
      at: request.create_time,
      role: request.role,
      sender: request.sender,
      senderName: request.sender_name ?? undefined,
      content: request.content,
    },
    now,
  );
  const named = request.group_name && request.group_name !== DEFAULT_NAME ? request.group_name : undefined;
  const group = request.group_id || groupOfSender(request.sender);
  return { group, ...given({ name: named }), messages: [message] };
}

export function queuedV0(requestId: string): object {
  return { status: 'queued', message: 'Message accepted and queued for processing', request_id: requestId };
}

const Scope = { user_id: optionalName, group_id: optionalName, group_ids: names };
const MISSING = [
  'user_id or group_ids is missing',
  'Send user_id, or group_ids with at least one group.',
] as const;

const List = v.object({
  ...Scope,
  memory_type: v.nullish(name, 'episodic_memory'),
  limit: v.nullish(integer(1, MAX_LISTED, MAX_LISTED)),
  offset: integer(0, Number.MAX_SAFE_INTEGER, 0),
  page: v.nullish(integer(1, Number.MAX_SAFE_INTEGER, 1)),
  page_size: v.nullish(integer(1, MAX_LISTED, MAX_LISTED)),
});

/** Accepts `limit` and `offset`, or `page` and `page_size`, in the query or in a body. */
export function listingV0(request: unknown): Listing {
  const { page, page_size, memory_type, ...list } = checked(List, request);
  const limit = list.limit ?? page_size ?? MAX_LISTED;
  const offset = page ? (page - 1) * limit : list.offset;
  return { ...scopeIn(list), kinds: kindsOf([memory_type]), limit, offset };
}

const Search = v.object({ ...Scope, ...SearchFields, retrieve_method: optionalName });

export function questionV0(request: unknown): Question {
  const search = checked(Search, request);
  return questionOf(search, search.retrieve_method, scopeIn(search));
}

function scopeIn({
  user_id,
  group_id,
  group_ids,
}: v.InferOutput<v.ObjectSchema<typeof Scope, undefined>>): Pick<Question, 'groups' | 'user'> {
  return scopeOf([...(group_id ? [group_id] : []), ...group_ids], user_id, MISSING);
}

export function memoriesV0(memories: readonly ListedMemory[], total: number, hasMore: boolean): object {
  return {
    status: 'ok',
    message: `${memories.length} memories`,
    result: {
      memories: memories.map((one) => ({
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

type GroupMeta = Pick<Received, 'group' | 'name'>;

/** The client names a group "Claude <folder>". The path in the description is not stored. */
export function metaV0(body: unknown): GroupMeta {
  const { group_id, name: title } = checked(Meta, body);
  return { group: group_id, ...given({ name: title?.replace(/^Claude /, '').trim() || undefined }) };
}

export function metaAnswerV0({ group, name: title }: GroupMeta, id: string): object {
  return {
    status: 'ok',
    message: 'Conversation metadata saved',
    result: { id, group_id: group, ...given({ name: title }) },
  };
}
