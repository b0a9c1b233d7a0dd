/** Translates Cline's tool calls into the names and inputs that all readers use. One call may run several commands. Pure. */
import { resolve } from 'node:path';
import { given } from '../../core/index.ts';
import { isObject, objectsIn, parseObject, textOf, type JsonObject } from '../reading/json.ts';
import { filesInPatch, type FilePatch } from '../reading/patch.ts';
import type { ToolResult, ToolUse } from '../reading/tool-facts.ts';

const REJECTED = /^This tool call was rejected by the user\b/;
const ABORTED = /\bCommand was aborted$/;
const EXIT_CODE = /\bexited with code (\d{1,3})\b/;
/** The client puts it before the output of a command that failed. */
const EXIT_LINE = /^\[Command exited with code \d{1,3}\]\n/;
/** The client numbers the lines of a file. */
const LINE_NUMBER = /^\s*\d+ \| /gm;
/** Files of one patch whose result is recorded. */
const MOST_PATCHED = 50;
/** `server__tool` */
const MCP_TOOL = /^([A-Za-z0-9_-]+?)__([A-Za-z0-9_-]+)$/;

export function usesOf(block: JsonObject, cwd: string): readonly ToolUse[] {
  const id = textOf(block['id']);
  const name = textOf(block['name']);
  if (id === undefined || name === undefined) return [];
  const { input } = block;
  // A patch may be the input itself.
  const calls = translated(name, isObject(input) ? input : given({ input: textOf(input) }), cwd);
  return calls.map((call, part) => ({ ...call, id: partId(id, part) }));
}

type Call = Omit<ToolUse, 'id'>;

function translated(name: string, input: JsonObject, cwd: string): readonly Call[] {
  switch (name) {
    case 'run_commands':
      return named('Bash', 'command', textsIn(input['commands'], 'command'));
    case 'read_files':
      return named('Read', 'file_path', textsIn(input['files'], 'path'));
    case 'search_codebase':
      return named('Grep', 'pattern', textsIn(input['queries'], 'query'));
    case 'fetch_web_content':
      return named('WebFetch', 'url', textsIn(input['requests'], 'url'));
    case 'editor':
      return [edit(input)];
    case 'apply_patch':
      return filesInPatch(textOf(input['input']) ?? '').map((file) => patched(file, cwd));
    case 'ask_question':
      return [{ name: 'AskUserQuestion', input: { questions: [input] } }];
    case 'spawn_agent':
      return [{ name: 'Task', input: given({ prompt: textOf(input['task']) }) }];
    case 'skills':
      return [{ name: 'Skill', input }];
    default:
      return [{ name: name.replace(MCP_TOOL, 'mcp__$1__$2'), input }];
  }
}

function patched({ kind, path, movedTo, added, removed }: FilePatch, cwd: string): Call {
  const place = { file_path: resolve(cwd, movedTo ?? path) };
  if (kind === 'add') return { name: 'Write', input: { ...place, content: added } };
  return { name: 'Edit', input: { ...place, old_string: removed, new_string: added } };
}

function named(name: string, key: string, values: readonly string[]): readonly Call[] {
  return values.map((value) => ({ name, input: { [key]: value } }));
}

/** Without an old text and a line the editor creates a file. */
function edit(input: JsonObject): Call {
  const path = given({ file_path: textOf(input['path']) });
  const text = textOf(input['new_text']) ?? '';
  const old = textOf(input['old_text']);
  if (old === undefined && typeof input['insert_line'] !== 'number')
    return { name: 'Write', input: { ...path, content: text } };
  return { name: 'Edit', input: { ...path, old_string: old ?? '', new_string: text } };
}

function textsIn(value: unknown, key: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((one) => textOf(isObject(one) ? one[key] : one) ?? []);
}

/** Returns the results of a call, in the order of its parts. */
export function resultsOf(block: JsonObject): readonly ToolResult[] {
  const id = textOf(block['tool_use_id']);
  if (id === undefined) return [];
  const { content } = block;
  const parts = objectsIn(content).filter((part) => 'success' in part);
  if (parts.length > 0) return parts.map((part, i) => resultOf(partId(id, i), part));
  const text = typeof content === 'string' ? content : blockText(content);
  const whole = parseObject(text) ?? { result: text };
  const part = block['is_error'] === true ? { ...whole, success: false } : whole;
  // A patch has one result for all its files; a result without a call is ignored.
  const files = block['name'] === 'apply_patch' ? MOST_PATCHED : 1;
  return Array.from({ length: files }, (_, i) => resultOf(partId(id, i), part));
}

function resultOf(id: string, part: JsonObject): ToolResult {
  const error = textOf(part['error']) ?? '';
  const result = textOf(part['result']) ?? textOf(part['text']) ?? '';
  const exit = EXIT_CODE.exec(error)?.[1];
  const text = result.replace(EXIT_LINE, '').replace(LINE_NUMBER, '');
  return {
    id,
    status: statusOf(part, error),
    text: text === '' ? error : text,
    changed: [],
    exitUnknown: false,
    ...(exit === undefined ? {} : { exit: Number(exit) }),
  };
}

function statusOf(part: JsonObject, error: string): ToolResult['status'] {
  if (REJECTED.test(error)) return 'denied';
  if (ABORTED.test(error)) return 'interrupted';
  return part['success'] === false || error !== '' ? 'error' : 'ok';
}

function blockText(content: unknown): string {
  return objectsIn(content)
    .flatMap((block) => textOf(block['text']) ?? [])
    .join('\n');
}

/** The first part keeps the client's id. */
function partId(id: string, part: number): string {
  return part === 0 ? id : `${id}/${part + 1}`;
}
