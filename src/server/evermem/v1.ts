/** Version 1 of EverMem's format, as its client 0.2.0 speaks it: checked and turned into our words, and back. Pure. */
import * as v from 'valibot';
import { TidemarkError } from '../../core/index.ts';
import { checked } from '../../http/index.ts';
import { fraction, kindsOf, moment, MOST_LISTED, name, names, optionalName, text, whole } from './_fields.ts';
import { groupOfSender } from './group.ts';
import { messageOf } from './message.ts';
import type { Listing, Question } from './question.ts';
import { episodeOf, type Shown } from './shown.ts';
import { limitOf, type Received } from './v0.ts';

const MOST_MESSAGES = 500;

/** A text, or parts of which the texts count. */
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
    v.maxLength(MOST_MESSAGES),
  ),
});

/** `/api/v1/memories/group` wants a group; `/api/v1/memories` a user. */
export function receivedV1(body: unknown, now: Date, wanted: 'group' | 'user'): Received {
  const given = checked(NewMessages, body);
  const group = wanted === 'group' ? given.group_id : given.user_id && groupOfSender(given.user_id);
  if (!group)
    throw new TidemarkError('invalid', `${wanted}_id is missing`, {
      hint: `Send ${wanted}_id beside messages.`,
    });
  let before = Number.NEGATIVE_INFINITY;
  const messages = given.messages.map((one) => {
    // A client may give all messages of a request one time: their order is kept.
    const at = new Date(Math.max(one.timestamp.getTime(), before + 1));
    before = at.getTime();
    return messageOf(
      {
        id: one.message_id || undefined,
        at,
        role: one.role,
        sender: one.sender_id || given.user_id || one.role,
        senderName: one.sender_name ?? undefined,
        content: one.content,
        session: given.session_id || undefined,
      },
      now,
    );
  });
  return { group, ...(given.group_meta?.name ? { name: given.group_meta.name } : {}), messages };
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

/** Filters beside these two are not known here, and are refused: half an answer would look like a whole one. */
const Filters = v.strictObject({ group_id: v.nullish(v.union([name, names])), user_id: optionalName });

const Get = v.object({
  memory_type: v.nullish(name, 'episodic_memory'),
  filters: Filters,
  page: whole(1, Number.MAX_SAFE_INTEGER, 1),
  page_size: whole(1, MOST_LISTED, 20),
  rank_by: v.nullish(v.literal('timestamp')),
  rank_order: v.nullish(v.picklist(['asc', 'desc'])),
});

export function listingV1(body: unknown): Listing {
  const { memory_type, filters, page, page_size, rank_order } = checked(Get, body);
  if (rank_order === 'asc')
    throw new TidemarkError('invalid', 'rank_order: only desc is served', {
      hint: 'Leave rank_order out, or send "desc": the newest come first.',
    });
  return {
    ...scopeOf(filters),
    kinds: kindsOf([memory_type]),
    limit: page_size,
    offset: (page - 1) * page_size,
  };
}

const Search = v.object({
  query: text,
  method: optionalName,
  top_k: v.nullish(whole(-1, MOST_LISTED, 10)),
  radius: v.nullish(fraction),
  memory_types: names,
  filters: Filters,
});

export function questionV1(body: unknown): Question {
  const { query, method, top_k, radius, memory_types, filters } = checked(Search, body);
  return {
    ...scopeOf(filters),
    kinds: kindsOf(memory_types),
    text: query,
    limit: limitOf(top_k),
    ...(radius === null || radius === undefined ? {} : { floor: radius }),
    ...(method === 'keyword' ? { by: 'words' as const } : {}),
  };
}

function scopeOf({ group_id, user_id }: v.InferOutput<typeof Filters>): Pick<Question, 'groups' | 'user'> {
  const groups = typeof group_id === 'string' ? [group_id] : (group_id ?? []);
  if (groups.length === 0 && !user_id)
    throw new TidemarkError('invalid', 'filters: group_id or user_id is missing', {
      hint: 'Send filters with group_id or user_id.',
    });
  return { groups, user: user_id || '' };
}

export function memoriesV1(shown: readonly Shown[], total: number): object {
  return {
    data: {
      episodes: shown.map((one) => ({ ...episodeOf(one), memory_type: 'episodic_memory' })),
      profiles: [],
      total_count: total,
      count: shown.length,
    },
  };
}
