/** Classifies Cline's messages: a prompt, an answer, results of tools, or text that the client itself wrote. Pure. */
import { contentHash, given } from '../../core/index.ts';
import { isObject, objectsIn, textOf, type JsonObject } from '../reading/json.ts';
import type { ToolResult, ToolUse } from '../reading/tool-facts.ts';
import { resultsOf, usesOf } from './_tools.ts';

interface Head {
  readonly id: string;
  readonly at?: string;
}

export type Message =
  | { readonly kind: 'prompt'; readonly head: Head; readonly text: string }
  | {
      readonly kind: 'answer';
      readonly head: Head;
      readonly texts: readonly string[];
      readonly calls: readonly ToolUse[];
      readonly model?: string;
      /** The client wrote it in place of an answer: the request to the model failed. */
      readonly failed: boolean;
    }
  | { readonly kind: 'results'; readonly head: Head; readonly results: readonly ToolResult[] }
  | { readonly kind: 'system' };

const SYSTEM: Message = { kind: 'system' };
/** Spans that the client or a hook adds to a prompt. */
const ADDED = /<(hook_context|mode_notice)\b[^>]*>[\s\S]*?<\/\1>/g;
const USER_INPUT = /^<user_input\b[^>]*>([\s\S]*)<\/user_input>$/;
/** A command of the user, with its text as the client sends it. */
const USER_COMMAND = /<user_command\b[^>]*\bslash="([^"]+)"[^>]*>([\s\S]*?)<\/user_command>/;

/** `cwd`: the folder that relative paths start from. */
export function messagesOf(json: JsonObject, cwd = ''): readonly Message[] {
  return objectsIn(json['messages']).flatMap((message, at) => messageOf(message, at, cwd) ?? []);
}

function messageOf(message: JsonObject, index: number, cwd: string): Message | undefined {
  const head = {
    id: textOf(message['id']) ?? `cline-${contentHash(JSON.stringify([index, message])).slice(0, 32)}`,
    ...given({ at: timeOf(message['ts']) }),
  };
  const metadata = isObject(message['metadata']) ? message['metadata'] : {};
  const blocks = blocksOf(message['content']);
  const texts = blocks.flatMap((block) => (block['type'] === 'text' ? (textOf(block['text']) ?? []) : []));
  if (message['role'] === 'assistant') {
    const model = isObject(message['modelInfo']) ? textOf(message['modelInfo']['id']) : undefined;
    const calls = blocks.filter(({ type }) => type === 'tool_use').flatMap((block) => usesOf(block, cwd));
    const failed = metadata['displayRole'] === 'error';
    return { kind: 'answer', head, texts, calls, failed, ...given({ model }) };
  }
  if (message['role'] !== 'user') return undefined;
  if (metadata['displayRole'] !== undefined) return SYSTEM;
  const results = blocks.filter(({ type }) => type === 'tool_result').flatMap(resultsOf);
  if (results.length > 0) return { kind: 'results', head, results };
  const images = blocks.filter(({ type }) => type === 'image').map(() => '[image]');
  const text = [...texts.map(promptText), ...images].filter(Boolean).join('\n\n');
  return text === '' ? SYSTEM : { kind: 'prompt', head, text };
}

/** The user's own words of a text block. */
export function promptText(raw: string): string {
  const text = raw.replace(ADDED, '').trim();
  const typed = USER_INPUT.exec(text)?.[1]?.trim() ?? text;
  return typed.replace(USER_COMMAND, '/$1 $2').trim();
}

function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
}

function timeOf(ts: unknown): string | undefined {
  const time = typeof ts === 'number' ? new Date(ts) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}
