/**
 * Parses one line of a Codex transcript into a record. Trusts no shape and ignores unknown lines. Two forms exist: since
 * about 0.130 the client writes each message and call as `item_completed`; before, messages are `user_message` and
 * `agent_message`. Messages of `response_item` are never read: they contain everything that hooks and the client inject.
 */
import { given } from '../../../core/index.ts';
import { isObject, parseObject, textOf, timeOf, type JsonObject } from '../../reading/json.ts';
import { contentText } from './_calls.ts';

interface Timed {
  readonly at?: string;
  /** The client's id of the turn, where the line has one. */
  readonly turn?: string;
}

/** `item`: from `item_completed`. `event`: the older form of the same message. */
export type Form = 'item' | 'event';

export interface Message {
  readonly form: Form;
  readonly text: string;
  readonly id?: string;
}

export type TranscriptRecord = Timed &
  (
    | { readonly kind: 'started'; readonly root?: string }
    | { readonly kind: 'context'; readonly cwd?: string; readonly model?: string }
    | ({ readonly kind: 'prompt' } & Message)
    | ({ readonly kind: 'answer' } & Message)
    /** A call or message that the client carried out. */
    | { readonly kind: 'item'; readonly item: JsonObject }
    /** A call as the model sent it, or what the model was shown as its result. */
    | { readonly kind: 'sent'; readonly payload: JsonObject }
    | { readonly kind: 'shown'; readonly payload: JsonObject }
    | { readonly kind: 'ended'; readonly how: 'complete' | 'aborted' | 'failed' }
    | { readonly kind: 'title'; readonly title: string }
    /** A message that the client or a hook wrote. */
    | { readonly kind: 'system' }
  );

/** Returns the record of a line, `null` for an irrelevant line, `undefined` if it is not a JSON object. */
export function recordOf(line: string): TranscriptRecord | null | undefined {
  const json = parseObject(line);
  if (json === undefined) return undefined;
  const payload = json['payload'];
  if (!isObject(payload)) return null;
  const timed = given({ at: timeOf(json['timestamp']), turn: textOf(payload['turn_id']) });
  switch (json['type']) {
    case 'event_msg':
      return eventRecord(payload, timed);
    case 'response_item':
      return responseRecord(payload, given({ at: timed.at, turn: turnOf(payload) }));
    case 'turn_context':
      return {
        kind: 'context',
        ...timed,
        ...given({ cwd: textOf(payload['cwd']), model: textOf(payload['model']) }),
      };
    default:
      return null;
  }
}

function eventRecord(payload: JsonObject, timed: Timed): TranscriptRecord | null {
  switch (payload['type']) {
    case 'task_started':
    case 'turn_started':
      return { kind: 'started', ...timed, ...given({ root: textOf(payload['root_turn_id']) }) };
    case 'item_completed':
      return isObject(payload['item']) ? itemRecord(payload['item'], timed) : null;
    case 'user_message':
      return promptOf(textOf(payload['message']), 'event', timed, payload);
    case 'agent_message':
      return answerOf(textOf(payload['message']), 'event', timed, payload);
    case 'task_complete':
    case 'turn_complete':
      return { kind: 'ended', how: isObject(payload['error']) ? 'failed' : 'complete', ...timed };
    case 'turn_aborted':
      return { kind: 'ended', how: 'aborted', ...timed };
    case 'thread_name_updated': {
      const title = textOf(payload['thread_name']);
      return title === undefined ? null : { kind: 'title', title };
    }
    default:
      return null;
  }
}

function itemRecord(item: JsonObject, timed: Timed): TranscriptRecord | null {
  switch (item['type']) {
    case 'UserMessage':
      return promptOf(contentText(item['content']), 'item', timed, item);
    case 'AgentMessage':
      return answerOf(contentText(item['content']), 'item', timed, item);
    default:
      return { kind: 'item', item, ...timed };
  }
}

/** Instructions and environment that old versions recorded as messages of the user. */
const CLIENT_TEXT = /^\s*<(?:user_instructions|environment_context|turn_aborted|user_shell_command)>/;
/** The editor extension puts the open files and the selected text before the user's; the last heading counts. */
const EDITOR_CONTEXT = /^# Context from my IDE setup:[\s\S]*\n## My request for Codex:\s*/;

function promptOf(
  message: string | undefined,
  form: Form,
  timed: Timed,
  { id }: JsonObject,
): TranscriptRecord | null {
  const text = message?.trimStart().replace(EDITOR_CONTEXT, '').trim() ?? '';
  if (text === '' || CLIENT_TEXT.test(text)) return null;
  return { kind: 'prompt', form, text, ...timed, ...given({ id: textOf(id) }) };
}

function answerOf(
  message: string | undefined,
  form: Form,
  timed: Timed,
  { id }: JsonObject,
): TranscriptRecord | null {
  const text = message?.trim() ?? '';
  return text === '' ? null : { kind: 'answer', form, text, ...timed, ...given({ id: textOf(id) }) };
}

function responseRecord(payload: JsonObject, timed: Timed): TranscriptRecord | null {
  switch (payload['type']) {
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return { kind: 'sent', payload, ...timed };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { kind: 'shown', payload, ...timed };
    case 'message':
      return payload['role'] === 'developer' ? { kind: 'system' } : null;
    default:
      return null;
  }
}

function turnOf(payload: JsonObject): string | undefined {
  const metadata = payload['internal_chat_message_metadata_passthrough'];
  return isObject(metadata) ? textOf(metadata['turn_id']) : undefined;
}
