/** Version 1 of EverMem's format, which its client 0.2.0 uses: parses requests and builds answers. Pure. */
import * as v from 'valibot';
import { given, TidemarkError } from '../../core/index.ts';
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

const MAX_MESSAGES = 500;

/** A text, or parts of which the texts are used. */
const content = v.union([
  text,
  v.pipe(
    v.array(v.looseObject({ type: v.nullish(v.string()), text: v.nullish(v.string()) })),
    v.transform((parts) => parts.map((part) => part.text ?? '').join('\n\n')),
    text,
  ),
]);

const NewMessages = v.object({
  group_id: optionalName,
  user_id: optionalName,
  session_id: optionalName,
  group_meta: v.nullish(v.looseObject({ name: optionalName })),
  messages: v.pipe(
    v.array(
      v.object({
        message_id: optionalName,
        sender_id: optionalName,
        sender_name: optionalName,
        role: v.nullish(name, 'user'),
        timestamp: moment,
        content,
      }),
    ),
    v.minLength(1, 'is empty'),
    v.maxLength(MAX_MESSAGES),
  ),
});

/** `/api/v1/memories/group` requires a group, `/api/v1/memories` a user. */
export function receivedV1(body: unknown, now: Date, wanted: 'group' | 'user'): Received {
  const request = checked(NewMessages, body);
  const group = wanted === 'group' ? request.group_id : request.user_id && groupOfSender(request.user_id);
  if (!group)
    throw new TidemarkError('invalid', `${wanted}_id is missing`, {
      hint: `Send ${wanted}_id together with messages.`,
    });
  let before = Number.NEGATIVE_INFINITY;
  const messages = request.messages.map((one) => {
    // A client may send the same time for all messages; this keeps their order.
    const at = new Date(Math.max(one.timestamp.getTime(), before + 1));
    before = at.getTime();
    return messageOf(
      {
        id: one.message_id || undefined,
        at,
        role: one.role,
        sender: one.sender_id || request.user_id || one.role,
        senderName: one.sender_name ?? undefined,
        content: one.content,
        session: request.session_id || undefined,
      },
      now,
    );
  });
  return { group, ...given({ name: request.group_meta?.name || undefined }), messages };
}

export function queuedV1(requestId: string, count: number): object {
  return {
    data: {
      status: 'queued',
      message: 'Messages accepted and queued for processing',
      task_id: requestId,
      request_id: requestId,
      message_count: count,
    },
  };
}

/** Other filters are refused, because ignoring one would return wrong results. */
const Filters = v.strictObject({ group_id: v.nullish(v.union([name, names])), user_id: optionalName });
const MISSING = [
  'filters: group_id or user_id is missing',
  'Send filters with group_id or user_id.',
] as const;

const Get = v.object({
  memory_type: v.nullish(name, 'episodic_memory'),
  filters: Filters,
  page: integer(1, Number.MAX_SAFE_INTEGER, 1),
  page_size: integer(1, MAX_LISTED, 20),
  rank_by: v.nullish(v.literal('timestamp')),
  rank_order: v.nullish(v.picklist(['asc', 'desc'])),
});

export function listingV1(body: unknown): Listing {
  const { memory_type, filters, page, page_size, rank_order } = checked(Get, body);
  if (rank_order === 'asc')
    throw new TidemarkError('invalid', 'rank_order: only desc is supported', {
      hint: 'Leave rank_order out, or send "desc" for the newest first.',
    });
  return {
    ...scopeIn(filters),
    kinds: kindsOf([memory_type]),
    limit: page_size,
    offset: (page - 1) * page_size,
  };
}

const Search = v.object({ ...SearchFields, method: optionalName, filters: Filters });

export function questionV1(body: unknown): Question {
  const search = checked(Search, body);
  return questionOf(search, search.method, scopeIn(search.filters));
}

function scopeIn({ group_id, user_id }: v.InferOutput<typeof Filters>): Pick<Question, 'groups' | 'user'> {
  const groups = typeof group_id === 'string' ? [group_id] : (group_id ?? []);
  return scopeOf(groups, user_id, MISSING);
}

export function memoriesV1(memories: readonly ListedMemory[], total: number): object {
  return {
    data: {
      episodes: memories.map((one) => ({ ...episodeOf(one), memory_type: 'episodic_memory' })),
      profiles: [],
      total_count: total,
      count: memories.length,
    },
  };
}
