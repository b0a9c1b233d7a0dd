/**
 * Parses one line of a Claude Code transcript into records. Trusts no shape and ignores unknown lines. The
 * `api-request*` lines repeat whole messages and are never parsed.
 */
import { given } from '../../../core/index.ts';
import { isObject, objectsIn, parseObject, textOf, timeOf, type JsonObject } from '../../reading/json.ts';
import { promptText, tagged } from './_prompt-text.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';
import { resultsIn } from './_tool-result.ts';
import { userRecords } from './_user-line.ts';

/** Fields of every line of the conversation. */
export interface Head {
  readonly uuid: string;
  readonly parent?: string;
  readonly promptId?: string;
  readonly session?: string;
  readonly at?: string;
  readonly cwd?: string;
  readonly branch?: string;
  readonly version?: string;
  /** A subagent's line; in old versions the main file contains some too. */
  readonly sidechain: boolean;
}

export type StopSign = 'turn_duration' | 'stop_hook_summary' | 'cost-state' | 'last-prompt';

export type TranscriptRecord =
  /** `command`: a slash command, which may be a local one that no agent receives. */
  | {
      readonly kind: 'prompt';
      readonly head: Head;
      readonly text: string;
      readonly origin: 'person' | 'task';
      readonly command: boolean;
    }
  | { readonly kind: 'shell'; readonly head: Head; readonly command: string }
  | { readonly kind: 'shell-output'; readonly head: Head; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'command-output'; readonly head: Head; readonly text: string }
  /** A message of the client to the agent: an expanded command, feedback of a hook. */
  | { readonly kind: 'aside'; readonly head: Head; readonly text: string }
  /** Text that the user added while the agent ran. */
  | { readonly kind: 'added'; readonly head: Head; readonly text: string }
  | { readonly kind: 'results'; readonly head: Head; readonly results: readonly ToolResult[] }
  | { readonly kind: 'interrupt'; readonly head: Head; readonly escape: boolean }
  | {
      readonly kind: 'answer';
      readonly head: Head;
      readonly message: string;
      readonly texts: readonly string[];
      readonly calls: readonly ToolUse[];
      readonly stopReason?: string;
      readonly model?: string;
      readonly failed: boolean;
    }
  | { readonly kind: 'stop'; readonly sign: StopSign }
  | { readonly kind: 'title'; readonly title: string; readonly given: boolean };

export const SYNTHETIC_MODEL = '<synthetic>';
const EMPTY_ANSWER = 'No response requested.';

/** The records of a line: none for irrelevant lines, `undefined` if it is not a JSON object. */
export function recordsOf(line: string): readonly TranscriptRecord[] | undefined {
  const json = parseObject(line);
  if (json === undefined) return undefined;
  switch (json['type']) {
    case 'user':
      return user(json);
    case 'assistant':
      return answer(json);
    case 'system':
      return system(json);
    case 'attachment':
      return attachment(json);
    case 'last-prompt':
    case 'cost-state':
      return [{ kind: 'stop', sign: json['type'] }];
    case 'custom-title':
      return title(json['customTitle'], true);
    case 'summary':
      return title(json['summary'], false);
    case 'ai-title':
      return title(json['aiTitle'], false);
    default:
      return [];
  }
}

function user(json: JsonObject): readonly TranscriptRecord[] {
  const head = headOf(json);
  const message = json['message'];
  if (head === undefined || !isObject(message)) return [];
  return userRecords(head, json, message['content'], resultsIn(json, message['content']));
}

function answer(json: JsonObject): readonly TranscriptRecord[] {
  const head = headOf(json);
  const message = json['message'];
  if (head === undefined || !isObject(message)) return [];
  const content = message['content'];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
  const model = textOf(message['model']);
  const stopReason = textOf(message['stop_reason']);
  return [
    {
      kind: 'answer',
      head,
      message: textOf(message['id']) ?? head.uuid,
      texts: blocks.flatMap(answerText),
      calls: blocks.flatMap(toolUse),
      failed: json['isApiErrorMessage'] === true,
      ...given({ stopReason, model }),
    },
  ];
}

function answerText(block: JsonObject): readonly string[] {
  const text = block['type'] === 'text' ? textOf(block['text'])?.trim() : undefined;
  return text === undefined || text === '' || text === EMPTY_ANSWER ? [] : [text];
}

function toolUse(block: JsonObject): readonly ToolUse[] {
  const id = textOf(block['id']);
  const name = textOf(block['name']);
  const known = block['type'] === 'tool_use' || block['type'] === 'server_tool_use';
  if (!known || id === undefined || name === undefined) return [];
  return [{ id, name, input: isObject(block['input']) ? block['input'] : {} }];
}

function system(json: JsonObject): readonly TranscriptRecord[] {
  const subtype = json['subtype'];
  if (subtype === 'turn_duration' || subtype === 'stop_hook_summary')
    return [{ kind: 'stop', sign: subtype }];
  const head = headOf(json);
  if (subtype !== 'local_command' || head === undefined) return [];
  const text = textOf(json['content']) ?? '';
  return [{ kind: 'command-output', head, text: tagged(text, 'local-command-stdout') ?? '' }];
}

/** Attachments contain everything hooks inject, our brief too: only prompts that the user queued are taken. */
function attachment(json: JsonObject): readonly TranscriptRecord[] {
  const head = headOf(json);
  const body = json['attachment'];
  if (head === undefined || !isObject(body) || body['type'] !== 'queued_command') return [];
  const origin = isObject(body['origin']) ? body['origin']['kind'] : undefined;
  const text = promptText(body['prompt']);
  const fromPerson = (body['commandMode'] ?? 'prompt') === 'prompt' && (origin ?? 'human') === 'human';
  if (!fromPerson || body['isMeta'] === true || text === '' || text.startsWith('<task-notification>'))
    return [];
  return [{ kind: 'added', head, text }];
}

function title(value: unknown, given: boolean): readonly TranscriptRecord[] {
  const text = textOf(value);
  return text === undefined ? [] : [{ kind: 'title', title: text, given }];
}

function headOf(json: JsonObject): Head | undefined {
  const uuid = textOf(json['uuid']);
  if (uuid === undefined) return undefined;
  const optional = {
    parent: textOf(json['parentUuid']),
    promptId: textOf(json['promptId']),
    session: textOf(json['sessionId']),
    at: timeOf(json['timestamp']),
    cwd: textOf(json['cwd']),
    branch: branchOf(json['gitBranch']),
    version: textOf(json['version']),
  };
  const present = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { uuid, sidechain: json['isSidechain'] === true, ...Object.fromEntries(present) };
}

/** The client writes `HEAD` outside of a repository and on a detached head. */
function branchOf(value: unknown): string | undefined {
  const branch = textOf(value);
  return branch === 'HEAD' || branch === '' ? undefined : branch;
}
