/** Translates pi's tool calls and results into our names. Pure. */
import { isObject, objectsIn, textOf, type JsonObject } from '../../reading/json.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';
import { OWN_TOOL } from '../own-tools.ts';
import { absolute } from './_header.ts';

const EXIT_CODE = /\nCommand exited with code (\d{1,3})\s*$/;
const STOPPED = /^(?:[\s\S]*\n)?(?:Command aborted|Operation aborted)\s*$/;
/** Tools of pi that answer with one text. Extensions, ours too, add theirs after it. */
const ONE_TEXT = new Set(['read', 'bash', 'powershell', 'edit', 'write', 'grep', 'find', 'ls']);

export function toolUse(block: JsonObject, cwd: string | undefined): ToolUse | undefined {
  const id = textOf(block['id']);
  const name = textOf(block['name']);
  if (block['type'] !== 'toolCall' || id === undefined || name === undefined) return undefined;
  const input = isObject(block['arguments']) ? block['arguments'] : {};
  return { id, ...translated(name, input, cwd) };
}

function translated(name: string, input: JsonObject, cwd: string | undefined): Omit<ToolUse, 'id'> {
  const path = textOf(input['path']);
  const file = path === undefined ? {} : { file_path: absolute(path, cwd) };
  const own = OWN_TOOL.exec(name)?.[1];
  if (own !== undefined) return { name: `mcp__tidemark__${own}`, input };
  switch (name) {
    case 'read':
      return { name: 'Read', input: file };
    case 'write':
      return { name: 'Write', input: { ...file, content: input['content'] } };
    case 'edit':
      return { name: 'Edit', input: { ...file, edits: [input, ...objectsIn(input['edits'])].map(edit) } };
    case 'bash':
      return { name: 'Bash', input };
    case 'powershell':
      return { name: 'PowerShell', input };
    case 'grep':
      return { name: 'Grep', input };
    case 'find':
      return { name: 'Glob', input };
    default:
      return { name, input };
  }
}

/** Old versions have one edit per call, beside the path. */
function edit(input: JsonObject): JsonObject {
  return { old_string: input['oldText'], new_string: input['newText'] };
}

export function resultOf(message: JsonObject): ToolResult | undefined {
  const id = textOf(message['toolCallId']);
  if (id === undefined) return undefined;
  const texts = objectsIn(message['content']).flatMap((block) => textOf(block['text']) ?? []);
  const text = ONE_TEXT.has(String(message['toolName'])) ? (texts[0] ?? '') : texts.join('\n');
  const exit = EXIT_CODE.exec(text)?.[1];
  return {
    id,
    status: message['isError'] !== true ? 'ok' : STOPPED.test(text) ? 'interrupted' : 'error',
    text: text.replace(EXIT_CODE, '').trimEnd(),
    changed: [],
    exitUnknown: false,
    ...(exit === undefined ? {} : { exit: Number(exit) }),
  };
}
