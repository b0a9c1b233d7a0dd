/** Parses one line of a pi session into a record. Trusts no shape and ignores unknown lines. Pure. */
import { given } from '../../../core/index.ts';
import { isObject, objectsIn, parseObject, textOf, type JsonObject } from '../../reading/json.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';
import { promptText } from './prompt-text.ts';
import { resultOf, toolUse } from './_tools.ts';

/** Fields of every line of the tree. */
export interface Head {
  readonly id: string;
  readonly parent?: string;
  readonly at: string;
}

export type PiRecord =
  /** `typedAt`: a message that waited until the agent could take it was typed before the line above it was written. */
  | { readonly kind: 'prompt'; readonly head: Head; readonly text: string; readonly typedAt: number }
  /** A command that the user ran with `!`. */
  | { readonly kind: 'shell'; readonly head: Head; readonly command: string; readonly result: ToolResult }
  | {
      readonly kind: 'answer';
      readonly head: Head;
      readonly texts: readonly string[];
      readonly calls: readonly ToolUse[];
      readonly stop: 'stop' | 'call' | 'error' | 'abort';
      readonly error?: string;
      readonly model?: string;
    }
  | { readonly kind: 'result'; readonly head: Head; readonly result: ToolResult }
  | { readonly kind: 'title'; readonly head: Head; readonly title: string }
  /** Text of the client or of an extension, ours too. */
  | { readonly kind: 'aside'; readonly head: Head }
  | { readonly kind: 'other'; readonly head: Head };

const SYSTEM = new Set(['custom_message', 'compaction', 'branch_summary']);
const STOPS: Readonly<Record<string, 'stop' | 'error' | 'abort'>> = {
  stop: 'stop',
  length: 'stop',
  error: 'error',
  aborted: 'abort',
};

/** The record of a line: null for the header and lines without an id, undefined if it is not a JSON object. */
export function recordOf(line: string, cwd: string | undefined): PiRecord | null | undefined {
  const json = parseObject(line);
  if (json === undefined) return undefined;
  const head = json['type'] === 'session' ? undefined : headOf(json);
  if (head === undefined) return null;
  if (json['type'] === 'message' && isObject(json['message'])) return message(head, json['message'], cwd);
  const title = json['type'] === 'session_info' ? textOf(json['name']) : undefined;
  if (title !== undefined) return { kind: 'title', head, title };
  return { kind: SYSTEM.has(String(json['type'])) ? 'aside' : 'other', head };
}

function message(head: Head, json: JsonObject, cwd: string | undefined): PiRecord {
  switch (json['role']) {
    case 'user': {
      const text = promptText(json['content']);
      const typedAt = typeof json['timestamp'] === 'number' ? json['timestamp'] : Date.parse(head.at);
      return text === '' ? { kind: 'other', head } : { kind: 'prompt', head, text, typedAt };
    }
    case 'assistant':
      return answer(head, json, cwd);
    case 'toolResult': {
      const result = resultOf(json);
      return result ? { kind: 'result', head, result } : { kind: 'other', head };
    }
    case 'bashExecution':
      return shell(head, json);
    case 'system':
      return { kind: 'other', head };
    default:
      return { kind: 'aside', head };
  }
}

function answer(head: Head, json: JsonObject, cwd: string | undefined): PiRecord {
  const blocks = objectsIn(json['content']);
  return {
    kind: 'answer',
    head,
    texts: blocks.flatMap((block) =>
      block['type'] === 'text' ? (textOf(textOf(block['text'])?.trim()) ?? []) : [],
    ),
    calls: blocks.flatMap((block) => toolUse(block, cwd) ?? []),
    stop: STOPS[String(json['stopReason'])] ?? 'call',
    ...given({ error: textOf(json['errorMessage']), model: textOf(json['model']) }),
  };
}

function shell(head: Head, json: JsonObject): PiRecord {
  const command = textOf(json['command']);
  if (command === undefined) return { kind: 'other', head };
  const exit = typeof json['exitCode'] === 'number' ? json['exitCode'] : undefined;
  const status = json['cancelled'] === true ? 'interrupted' : (exit ?? 0) === 0 ? 'ok' : 'error';
  const text = textOf(json['output']) ?? '';
  const result = { id: head.id, status, text, changed: [], exitUnknown: true, ...given({ exit }) } as const;
  return { kind: 'shell', head, command, result };
}

function headOf(json: JsonObject): Head | undefined {
  const id = textOf(json['id']);
  const at = textOf(json['timestamp']);
  if (id === undefined || at === undefined || Number.isNaN(Date.parse(at))) return undefined;
  return { id, at, ...given({ parent: textOf(json['parentId']) }) };
}
