/** Translates Continue's tool calls, of the terminal and of the editors, into the names and inputs that all readers use. Pure. */
import { isAbsolute, resolve } from 'node:path';
import { given } from '../../core/index.ts';
import { isObject, objectsIn, parseObject, textOf, type JsonObject } from '../reading/json.ts';
import type { ToolResult, ToolUse } from '../reading/tool-facts.ts';

/** Our name for a tool of the client. The editors' tools once began with `builtin_`. */
const NAMES: Readonly<Record<string, string>> = {
  Bash: 'Bash',
  run_terminal_command: 'Bash',
  Read: 'Read',
  read_file: 'Read',
  read_file_range: 'Read',
  Write: 'Write',
  create_new_file: 'Write',
  Edit: 'Edit',
  single_find_and_replace: 'Edit',
  edit_existing_file: 'Edit',
  MultiEdit: 'MultiEdit',
  multi_edit: 'MultiEdit',
  Search: 'Grep',
  grep_search: 'Grep',
  Fetch: 'WebFetch',
  fetch_url_content: 'WebFetch',
  Subagent: 'Task',
};
/** The client's names of inputs that we name otherwise. */
const INPUTS: Readonly<Record<string, string>> = {
  filepath: 'file_path',
  contents: 'content',
  changes: 'new_string',
  query: 'pattern',
};
const EXIT_CODE = /\bError \(exit code (\d{1,3})\): /;
/** The words of the client before an output. */
const LEAD = /^(?:Bash command failed: |Error executing tool \w+: )?(?:Error \(exit code \d{1,3}\): )?/;
const READ_LEAD = /^Content of [^\n]*:\n/;

export interface Call {
  readonly use: ToolUse;
  /** Missing while the call runs. */
  readonly result?: ToolResult;
}

export function callOf(state: JsonObject, cwd: string): Call | undefined {
  const use = useOf(state, cwd);
  return use && { use, ...given({ result: resultOf(state, use.id) }) };
}

function useOf(state: JsonObject, cwd: string): ToolUse | undefined {
  const call = isObject(state['toolCall']) ? state['toolCall'] : {};
  const made = isObject(call['function']) ? call['function'] : {};
  const id = textOf(state['toolCallId']) ?? textOf(call['id']);
  const name = textOf(made['name']);
  if (id === undefined || name === undefined) return undefined;
  const known = NAMES[name.replace(/^builtin_/, '')];
  const parsed = isObject(state['parsedArgs']) ? state['parsedArgs'] : undefined;
  const input = parsed ?? parseObject(textOf(made['arguments']) ?? '') ?? {};
  return { id, name: known ?? name, input: known === undefined ? input : ourInput(input, cwd) };
}

function ourInput(input: JsonObject, cwd: string): JsonObject {
  const renamed = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [INPUTS[key] ?? key, value]),
  );
  const path = textOf(renamed['file_path']);
  return path === undefined
    ? renamed
    : { ...renamed, file_path: isAbsolute(path) ? path : resolve(cwd, path) };
}

function resultOf(state: JsonObject, id: string): ToolResult | undefined {
  const raw = objectsIn(state['output'])
    .flatMap((item) => textOf(item['content']) ?? [])
    .join('\n');
  const status = statusOf(textOf(state['status']));
  if (status === undefined) return undefined;
  const exit = EXIT_CODE.exec(raw)?.[1];
  return {
    id,
    status,
    text: raw.replace(status === 'error' ? LEAD : READ_LEAD, ''),
    changed: [],
    // The client reports a failure only if the command also wrote to its error stream.
    exitUnknown: true,
    ...given({ exit: exit === undefined ? undefined : Number(exit) }),
  };
}

function statusOf(status: string | undefined): ToolResult['status'] | undefined {
  switch (status) {
    case 'done':
      return 'ok';
    case 'errored':
      return 'error';
    case 'canceled':
      return 'denied';
    default:
      return undefined;
  }
}
