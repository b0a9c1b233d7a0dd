/** Parses one line of a Qwen Code transcript into a record. Trusts no shape and ignores unknown lines. Pure. */
import { given } from '../../../core/index.ts';
import { isObject, objectsIn, parseObject, textOf, timeOf, type JsonObject } from '../../reading/json.ts';
import { asTyped } from '../../reading/own-command.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';
import { toolResult, toolUse } from './_tools.ts';

/** Fields of every line. */
export interface Head {
  readonly uuid: string;
  /** The session that the line was first written in: a fork copies the lines of its parent. */
  readonly session?: string;
  readonly at?: string;
  readonly cwd?: string;
  readonly branch?: string;
  readonly clientVersion?: string;
  readonly isSubagent: boolean;
}

export type QwenRecord =
  | { readonly kind: 'prompt'; readonly head: Head; readonly text: string }
  /** Typed while the agent ran. */
  | { readonly kind: 'added'; readonly head: Head; readonly text: string }
  /** Written by the client: a background task ended, a schedule, the next round of a goal. */
  | { readonly kind: 'aside'; readonly head: Head; readonly text: string }
  | {
      readonly kind: 'answer';
      readonly head: Head;
      readonly texts: readonly string[];
      readonly calls: readonly ToolUse[];
      readonly model?: string;
    }
  | { readonly kind: 'results'; readonly head: Head; readonly results: readonly ToolResult[] }
  | { readonly kind: 'failed'; readonly head: Head; readonly text: string; readonly promptId?: string }
  /** The client's id of the prompt that it works on. */
  | { readonly kind: 'prompt-id'; readonly promptId: string }
  | { readonly kind: 'title'; readonly title: string };

/** Text that hooks, the client and an editor add to a prompt. */
const INJECTED = /<(qwen:[\w-]+|system-reminder)(?: [^>]*)?>[\s\S]*?<\/\1>/g;
/** `<session>########<number>`. A turn that the client begins itself has a suffix, which its hooks do not have. */
const PROMPT_ID = /^([^#]+#{8}\d+)(?:\/|$)/;
const PROMPT_ID_EVENTS = new Set(['qwen-code.api_response', 'qwen-code.tool_call']);

/** Empty for lines of no interest, undefined if the line is not a JSON object. */
export function recordsOf(line: string): readonly QwenRecord[] | undefined {
  const json = parseObject(line);
  if (json === undefined) return undefined;
  const head = headOf(json);
  if (head === undefined) return [];
  switch (json['type']) {
    case 'user':
      return user(head, json);
    case 'assistant':
      return answer(head, json);
    case 'tool_result':
      return results(head, json);
    case 'system':
      return system(head, json);
    default:
      return [];
  }
}

function user(head: Head, json: JsonObject): readonly QwenRecord[] {
  const text = promptText(json);
  if (text === '') return [];
  if (json['subtype'] === 'mid_turn_user_message') return [{ kind: 'added', head, text }];
  const provenance = json['provenance'];
  const isTyped = json['subtype'] === undefined && (provenance === undefined || provenance === 'real_user');
  return [{ kind: isTyped ? 'prompt' : 'aside', head, text }];
}

/** `displayText` is what the user typed; without a terminal the client writes only what the model got. */
function promptText(json: JsonObject): string {
  const payload = json['systemPayload'];
  const shown = isObject(payload) ? textOf(payload['displayText']) : undefined;
  const text = shown ?? partsOf(json).map(partText).filter(Boolean).join('\n\n');
  return asTyped(text.replace(INJECTED, '').trim());
}

function partText(part: JsonObject): string {
  if (isObject(part['inlineData']) || isObject(part['fileData'])) return '[file]';
  return (textOf(part['text']) ?? '').replace(INJECTED, '').trim();
}

function answer(head: Head, json: JsonObject): readonly QwenRecord[] {
  const parts = partsOf(json);
  const texts = parts.flatMap((part) => {
    const text = part['thought'] === true ? undefined : textOf(part['text'])?.trim();
    return text ? [text] : [];
  });
  const calls = parts.flatMap(({ functionCall }) => toolUse(functionCall, head.cwd) ?? []);
  if (texts.length === 0 && calls.length === 0) return [];
  return [{ kind: 'answer', head, texts, calls, ...given({ model: textOf(json['model']) }) }];
}

function results(head: Head, json: JsonObject): readonly QwenRecord[] {
  const found = partsOf(json).flatMap(
    ({ functionResponse }) => toolResult(functionResponse, json['toolCallResult']) ?? [],
  );
  return found.length === 0 ? [] : [{ kind: 'results', head, results: found }];
}

function system(head: Head, json: JsonObject): readonly QwenRecord[] {
  const payload = isObject(json['systemPayload']) ? json['systemPayload'] : {};
  if (json['subtype'] === 'custom_title') {
    const title = textOf(payload['customTitle']) ?? textOf(payload['title']);
    return title === undefined ? [] : [{ kind: 'title', title }];
  }
  if (json['subtype'] !== 'ui_telemetry' || !isObject(payload['uiEvent'])) return [];
  const event = payload['uiEvent'];
  const promptId = PROMPT_ID.exec(textOf(event['prompt_id']) ?? '')?.[1];
  if (event['event.name'] === 'qwen-code.api_error')
    return [{ kind: 'failed', head, text: textOf(event['error_message']) ?? '', ...given({ promptId }) }];
  if (promptId === undefined || !PROMPT_ID_EVENTS.has(textOf(event['event.name']) ?? '')) return [];
  return [{ kind: 'prompt-id', promptId }];
}

function partsOf({ message }: JsonObject): readonly JsonObject[] {
  return isObject(message) ? objectsIn(message['parts']) : [];
}

function headOf(json: JsonObject): Head | undefined {
  const uuid = textOf(json['uuid']);
  if (uuid === undefined) return undefined;
  const origin = isObject(json['forkedFrom']) ? textOf(json['forkedFrom']['sessionId']) : undefined;
  return {
    uuid,
    isSubagent: json['isSidechain'] === true,
    ...given({
      session: origin ?? textOf(json['sessionId']),
      at: timeOf(json['timestamp']),
      cwd: textOf(json['cwd']),
      branch: textOf(json['gitBranch']),
      clientVersion: textOf(json['version']),
    }),
  };
}
