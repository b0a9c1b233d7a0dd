/** Translates Copilot's tool calls and results into the names and inputs that all readers use. Pure. */
import { given, pathIn } from '../../../core/index.ts';
import { isObject, objectsIn, textOf, type JsonObject } from '../../reading/json.ts';
import { filesInPatch } from '../../reading/patch.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';

/** Our name of each tool. A name that is missing is kept. */
const NAMES: Readonly<Record<string, string>> = {
  bash: 'Bash',
  powershell: 'PowerShell',
  local_shell: 'Bash',
  view: 'Read',
  create: 'Write',
  edit: 'Edit',
  grep: 'Grep',
  glob: 'Glob',
  task: 'Agent',
  skill: 'Skill',
};
/** Our name of each input, for tools that work on a file. */
const INPUTS: Readonly<Record<string, string>> = {
  path: 'file_path',
  file_text: 'content',
  old_str: 'old_string',
  new_str: 'new_string',
};
const ON_FILES = new Set(['Read', 'Write', 'Edit']);

/** A line that the client adds to the output of a command. */
const SHELL_END = /\n?<shellId: \S+ completed with exit code -?\d+>\s*$/;
const IN_BACKGROUND = /^<command with shellId: \S+ (?:moved to|is still running|started in)/;
/** Text that hooks added to a result, ours among them. */
const GUIDANCE = /\n+Tool "[^"\n]*" \w+\. Additional guidance from postToolUse hooks:\n[\s\S]*$/;
const REJECTED = /^The user rejected this tool call\.(?: User feedback: ([\s\S]+))?$/;

/** `data`: of `tool.execution_start`, `tool.user_requested`, or one of `toolRequests`. */
export function toolUse(data: JsonObject, cwd: string | undefined): ToolUse | undefined {
  const id = textOf(data['toolCallId']);
  const called = textOf(data['toolName']) ?? textOf(data['name']);
  if (id === undefined || called === undefined) return undefined;
  const [server, tool] = [textOf(data['mcpServerName']), textOf(data['mcpToolName'])];
  const sent = data['arguments'];
  const args = isObject(sent) ? sent : {};
  if (server !== undefined && tool !== undefined) return { id, name: `mcp__${server}__${tool}`, input: args };
  if (called === 'apply_patch')
    return { id, name: 'Edit', input: patchInput(textOf(sent) ?? textOf(args['input']) ?? '', cwd) };
  const name = NAMES[called] ?? called;
  return { id, name, input: ON_FILES.has(name) ? fileInput(args, cwd) : args };
}

function fileInput(args: JsonObject, cwd: string | undefined): JsonObject {
  const renamed = Object.entries(args).map(([key, value]) => [INPUTS[key] ?? key, value] as const);
  const input: JsonObject = Object.fromEntries(renamed);
  const path = textOf(input['file_path']);
  return path === undefined ? input : { ...input, file_path: inFolder(cwd, path) };
}

/** A patch may change several files; the result names them all. */
function patchInput(patch: string, cwd: string | undefined): JsonObject {
  const files = filesInPatch(patch);
  const path = files[0]?.path;
  return {
    ...(path === undefined ? {} : { file_path: inFolder(cwd, path) }),
    old_string: files.map(({ removed }) => removed).join('\n'),
    new_string: files.map(({ added }) => added).join('\n'),
  };
}

function inFolder(cwd: string | undefined, path: string): string {
  return cwd === undefined ? path : pathIn(cwd, path);
}

/** `data`: of `tool.execution_complete`. */
export function toolResult(data: JsonObject): ToolResult | undefined {
  const id = textOf(data['toolCallId']);
  if (id === undefined) return undefined;
  const shell = isObject(data['shellExecution']) ? data['shellExecution']['exitCode'] : undefined;
  const exit = typeof shell === 'number' ? shell : undefined;
  const seen = textIn(data).replace(GUIDANCE, '');
  const status = statusOf(data, exit);
  // Only the client writes the text of a denial; a file may contain the same words.
  const said = status === 'denied' ? REJECTED.exec(seen)?.[1]?.trim() : undefined;
  return {
    id,
    status,
    text: seen.replace(SHELL_END, ''),
    changed: objectsIn(data['fileEdits']).flatMap(({ path }) => textOf(path) ?? []),
    exitUnknown: IN_BACKGROUND.test(seen),
    ...given({ exit, said }),
  };
}

/** A command that fails is a success to the client. */
function statusOf(data: JsonObject, exit: number | undefined): ToolResult['status'] {
  if (data['success'] === true) return exit === undefined || exit === 0 ? 'ok' : 'error';
  const code = isObject(data['error']) ? data['error']['code'] : undefined;
  return code === 'denied' || code === 'rejected' ? 'denied' : 'error';
}

function textIn(data: JsonObject): string {
  const { result, error } = data;
  if (isObject(result)) return textOf(result['content']) ?? '';
  return isObject(error) ? (textOf(error['message']) ?? '') : '';
}
