/** Translates Qwen Code's tool calls and results into the names and inputs that all readers use. Pure. */
import { given, pathIn } from '../../../core/index.ts';
import { withoutFenced } from '../../../privacy/index.ts';
import { isObject, textOf, type JsonObject } from '../../reading/json.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';

/** Our name of each tool. A name that is missing is kept. */
const NAMES: Readonly<Record<string, string>> = {
  run_shell_command: 'Bash',
  read_file: 'Read',
  write_file: 'Write',
  edit: 'Edit',
  notebook_edit: 'NotebookEdit',
  grep_search: 'Grep',
  glob: 'Glob',
  agent: 'Agent',
  skill: 'Skill',
  tool_search: 'ToolSearch',
};

const DENIED =
  /^(?:\[Operation Cancelled\] Reason: User did not allow|Qwen Code requires permission to use .{1,200} that permission was declined)/;
const CANCELLED = /^\[Operation Cancelled\]/;
/** The result of a shell command, as the model gets it. */
const SHELL_TEXT =
  /^Command: [\s\S]*?\nDirectory: [^\n]*\nOutput: ([\s\S]*?)\nError: [\s\S]*?\nExit Code: (\S+)/;

export function toolUse(call: unknown, cwd: string | undefined): ToolUse | undefined {
  if (!isObject(call)) return undefined;
  const [id, called] = [textOf(call['id']), textOf(call['name'])];
  if (id === undefined || called === undefined) return undefined;
  const input = isObject(call['args']) ? call['args'] : {};
  const path = textOf(input['file_path']) ?? textOf(input['absolute_path']);
  const name = NAMES[called] ?? called;
  if (path === undefined) return { id, name, input };
  return { id, name, input: { ...input, file_path: cwd === undefined ? path : pathIn(cwd, path) } };
}

/** `detail`: the line's `toolCallResult`, which belongs to the call that it names. */
export function toolResult(response: unknown, detail: unknown): ToolResult | undefined {
  if (!isObject(response)) return undefined;
  const id = textOf(response['id']);
  if (id === undefined) return undefined;
  const facts = isObject(detail) && detail['callId'] === id ? detail : {};
  const answer = isObject(response['response']) ? response['response'] : {};
  const error = textOf(answer['error']);
  const seen = error ?? textOf(answer['output']) ?? '';
  const shown = isObject(facts['resultDisplay']) ? facts['resultDisplay'] : {};
  const shell = shellOf(seen, shown);
  return {
    id,
    status: statusOf(seen, error !== undefined, facts),
    text: shell?.text ?? withoutFenced(seen),
    changed: [],
    exitUnknown: shown['type'] === 'shell_result' && typeof shown['exitCode'] !== 'number',
    ...given({ exit: shell?.exit }),
  };
}

/** Prefers the output that is shown: hooks add their text to what the model gets. */
function shellOf(seen: string, shown: JsonObject): { text: string; exit: number | undefined } | undefined {
  if (shown['type'] === 'shell_result') {
    const exit = shown['exitCode'];
    const [output, error] = [textOf(shown['output']), textOf(shown['error'])];
    const text = [output, error].filter((part) => part !== undefined).join('\n');
    return { text, exit: typeof exit === 'number' ? exit : undefined };
  }
  const [, output, code] = SHELL_TEXT.exec(seen) ?? [];
  if (output === undefined) return undefined;
  return {
    text: output === '(empty)' ? '' : output,
    exit: /^\d+$/.test(code ?? '') ? Number(code) : undefined,
  };
}

function statusOf(seen: string, isError: boolean, facts: JsonObject): ToolResult['status'] {
  if (DENIED.test(seen)) return 'denied';
  if (facts['status'] === 'cancelled' || CANCELLED.test(seen)) return 'interrupted';
  return isError || facts['status'] === 'error' ? 'error' : 'ok';
}
