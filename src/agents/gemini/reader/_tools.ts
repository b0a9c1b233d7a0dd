/** Translates the tool calls of Gemini CLI and their results into our names. Pure. */
import { isAbsolute, resolve } from 'node:path';
import { given } from '../../../core/index.ts';
import { isObject, objectsIn, textOf, type JsonObject } from '../../reading/json.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';
import { withoutHookContext } from '../hook-context.ts';
import type { GeminiCall } from './_records.ts';

const NAMES: Readonly<Record<string, string>> = {
  read_file: 'Read',
  write_file: 'Write',
  replace: 'Edit',
  run_shell_command: 'Bash',
  grep_search: 'Grep',
  search_file_content: 'Grep',
  glob: 'Glob',
  list_directory: 'LS',
  web_fetch: 'WebFetch',
  google_web_search: 'WebSearch',
  invoke_agent: 'Task',
  activate_skill: 'Skill',
};
/** `mcp_<server>_<tool>`: the name of a server is taken to have no underscore. */
const MCP = /^mcp_([^_]+)_(.+)$/;
const UNTRUSTED = /^<untrusted_context>\n?([\s\S]*?)\n?<\/untrusted_context>$/;
const EXIT_CODE = /^Exit Code: (\d{1,3})$/m;
/** The report of a shell command: its output, between lines of the client. */
const OUTPUT =
  /(?:^|\n)Output: ([\s\S]*?)(?=\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): |$)/;
const DENIED = /^\[Operation Cancelled\] Reason: User (?:denied|did not allow)/;

export function toolCallsIn(value: unknown, cwd: string | undefined): readonly GeminiCall[] {
  return objectsIn(value).flatMap((call) => {
    const id = textOf(call['id']);
    const name = textOf(call['name']);
    if (id === undefined || name === undefined) return [];
    const args = isObject(call['args']) ? call['args'] : {};
    const result = resultOf(id, name, call);
    return [{ use: translated(id, name, args, cwd), ...given({ result }) }];
  });
}

/** The id of the subagent that a call started. */
export function subagentOf(call: JsonObject): string | undefined {
  return textOf(call['agentId']);
}

function translated(id: string, name: string, args: JsonObject, cwd: string | undefined): ToolUse {
  const file = textOf(args['file_path']) ?? textOf(args['absolute_path']);
  const named = MCP.exec(name);
  return {
    id,
    name: NAMES[name] ?? (named ? `mcp__${named[1]}__${named[2]}` : name),
    input: file === undefined ? args : { ...args, file_path: absolute(file, cwd) },
  };
}

function absolute(path: string, cwd: string | undefined): string {
  return cwd === undefined || isAbsolute(path) ? path : resolve(cwd, path);
}

function resultOf(id: string, name: string, call: JsonObject): ToolResult | undefined {
  const response = objectsIn(call['result']).map((part) =>
    isObject(part['functionResponse']) ? part['functionResponse']['response'] : undefined,
  )[0];
  if (!isObject(response)) return undefined;
  const seen = withoutHookContext(textOf(response['output']) ?? textOf(response['error']) ?? '');
  const text = UNTRUSTED.exec(seen)?.[1] ?? seen;
  const isShell = name === 'run_shell_command';
  const exit = isShell ? EXIT_CODE.exec(text)?.[1] : undefined;
  return {
    id,
    status: statusOf(call['status'], text, Number(exit ?? 0)),
    text: isShell ? printed(text) : text,
    changed: [],
    exitUnknown: isShell && call['status'] !== 'success',
    ...(exit === undefined ? {} : { exit: Number(exit) }),
  };
}

function statusOf(status: unknown, text: string, exit: number): ToolResult['status'] {
  if (status === 'cancelled') return DENIED.test(text) ? 'denied' : 'interrupted';
  return status === 'success' && exit === 0 ? 'ok' : 'error';
}

function printed(report: string): string {
  const output = OUTPUT.exec(report)?.[1];
  return output === '(empty)' ? '' : (output ?? report);
}
