/** Parses one line of a Gemini CLI session into a record. Trusts no shape and ignores unknown lines. Pure. */
import { given } from '../../../core/index.ts';
import { isObject, objectsIn, parseObject, textOf, type JsonObject } from '../../reading/json.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';
import { isContext, promptOf, textsOf } from './_prompt-text.ts';
import { withoutHookContext } from '../hook-context.ts';
import { toolCallsIn } from './_tools.ts';

interface Message {
  readonly id: string;
  readonly at: string;
}

export type GeminiRecord =
  | (Message & { readonly kind: 'prompt'; readonly text: string })
  /** A command that the user ran with `!`. */
  | (Message & { readonly kind: 'shell'; readonly command: string; readonly output: string })
  /** The context of a session as a message. After a cancelled request the whole history follows again, under new ids. */
  | (Message & { readonly kind: 'context' })
  | (Message & {
      readonly kind: 'answer';
      readonly text: string;
      readonly calls: readonly GeminiCall[];
      readonly model?: string;
    })
  /** A message of the model that the client wrote again. */
  | (Message & { readonly kind: 'copy' })
  | (Message & { readonly kind: 'cancelled' })
  | (Message & { readonly kind: 'error'; readonly text: string })
  /** The whole history as the client has it now. */
  | { readonly kind: 'history'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'other' };

export interface GeminiCall {
  readonly use: ToolUse;
  readonly result?: ToolResult;
}

const CANCELLED = 'Request cancelled.';
const SHELL =
  /^I ran the following shell command:\n```sh\n([\s\S]*?)\n```\n\nThis produced the following result:\n```\n([\s\S]*?)\n?```\s*$/;

/** Undefined if the line is not a JSON object. */
export function recordOf(line: string, cwd: string | undefined): GeminiRecord | undefined {
  const json = parseObject(line);
  if (json === undefined) return undefined;
  const set = json['$set'];
  if (isObject(set)) return Array.isArray(set['messages']) ? history(set['messages']) : { kind: 'other' };
  return messageOf(json, cwd);
}

/** A message of the list in a file of an old version, or a line of its own. */
export function messageOf(json: JsonObject, cwd: string | undefined): GeminiRecord {
  const id = textOf(json['id']);
  const at = textOf(json['timestamp']);
  if (id === undefined || at === undefined || Number.isNaN(Date.parse(at))) return { kind: 'other' };
  const message = { id, at };
  switch (json['type']) {
    case 'user':
      return user(message, json);
    case 'gemini':
      return answer(message, json, cwd);
    case 'info':
      return json['content'] === CANCELLED ? { ...message, kind: 'cancelled' } : { kind: 'other' };
    case 'error':
      return { ...message, kind: 'error', text: textsOf(json['content']).join('\n') };
    default:
      return { kind: 'other' };
  }
}

function history(messages: readonly unknown[]): GeminiRecord {
  return { kind: 'history', ids: new Set(objectsIn(messages).flatMap(({ id }) => textOf(id) ?? [])) };
}

function user(message: Message, json: JsonObject): GeminiRecord {
  const texts = textsOf(json['content']);
  if (texts.some(isContext)) return { ...message, kind: 'context' };
  const [, command, output = ''] = SHELL.exec(withoutHookContext(texts.join('\n'))) ?? [];
  if (command !== undefined) return { ...message, kind: 'shell', command, output };
  const text = promptOf(json);
  return text === '' ? { kind: 'other' } : { ...message, kind: 'prompt', text };
}

/** The model's words are a text. A list of parts without a model is a copy that the client wrote. */
function answer(message: Message, json: JsonObject, cwd: string | undefined): GeminiRecord {
  const calls = toolCallsIn(json['toolCalls'], cwd);
  const model = textOf(json['model']);
  if (typeof json['content'] !== 'string' && model === undefined && calls.length === 0)
    return { ...message, kind: 'copy' };
  const text = textsOf(json['content']).join('\n').trim();
  return { ...message, kind: 'answer', text, calls, ...given({ model }) };
}
