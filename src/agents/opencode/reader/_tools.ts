/** Translates OpenCode's tool parts into the names and inputs that all readers use. Pure. */
import { given } from '../../../core/index.ts';
import { isObject, objectsIn, textOf, type JsonObject } from '../../reading/json.ts';
import { changeOf } from '../../reading/patch.ts';
import { pendingCall, type Call, type ToolResult } from '../../reading/tool-facts.ts';
import { withoutInjected } from '../../plugin-client/injected.ts';

const NAMES: Readonly<Record<string, string>> = {
  apply_patch: 'Edit',
  bash: 'Bash',
  edit: 'Edit',
  glob: 'Glob',
  grep: 'Grep',
  list: 'LS',
  question: 'AskUserQuestion',
  read: 'Read',
  skill: 'Skill',
  task: 'Task',
  todowrite: 'TodoWrite',
  webfetch: 'WebFetch',
  websearch: 'WebSearch',
  write: 'Write',
};
const INPUTS: Readonly<Record<string, string>> = {
  filePath: 'file_path',
  oldString: 'old_string',
  newString: 'new_string',
};
/** The client joins the names of an MCP server and its tool. Only our own server's name is known here. */
const OWN_TOOL = /^tidemark_(?=\w)/;

const REJECTED = /^(?:Error: )?The user (?:rejected permission|has specified a rule which prevents)/;
const SAID = /with the following feedback: ([\s\S]+)$/;
const ABORTED = 'Tool execution aborted';
const ABORTED_COMMAND = /<shell_metadata>\nUser aborted the command\n<\/shell_metadata>$/;
/** How `read` prints a file: its lines are numbered. */
const READ_CONTENT = /<content>\n([\s\S]*?)\n?<\/content>/;
const LINE_NUMBER = /^\d+: /gm;

/** Undefined for a part that is no tool call. */
export function callOf(part: JsonObject): Call | undefined {
  const id = textOf(part['callID']);
  const tool = textOf(part['tool']);
  const state = part['state'];
  if (part['type'] !== 'tool' || id === undefined || tool === undefined || !isObject(state)) return undefined;
  const input = isObject(state['input']) ? state['input'] : {};
  const name = NAMES[tool] ?? tool.replace(OWN_TOOL, 'mcp__tidemark__');
  return {
    pending: pendingCall({ id, name, input: tool === 'apply_patch' ? patchInput(input) : inputOf(input) }),
    ...given({ result: resultOf(id, tool, state) }),
  };
}

function inputOf(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [INPUTS[key] ?? key, value]));
}

/** A patch may change several files; their names are in the result. */
function patchInput(input: JsonObject): JsonObject {
  const { removed, added } = changeOf((textOf(input['patchText']) ?? '').split('\n'));
  return { old_string: removed, new_string: added };
}

/** Undefined while the call runs. */
function resultOf(id: string, tool: string, state: JsonObject): ToolResult | undefined {
  const metadata = isObject(state['metadata']) ? state['metadata'] : {};
  const exit = typeof metadata['exit'] === 'number' ? metadata['exit'] : undefined;
  if (state['status'] === 'completed') {
    const output = withoutInjected(textOf(state['output']) ?? '');
    return {
      id,
      status: ABORTED_COMMAND.test(output) ? 'interrupted' : (exit ?? 0) === 0 ? 'ok' : 'error',
      text: outputOf(tool, output, metadata),
      changed: objectsIn(metadata['files']).flatMap((file) => textOf(file['filePath']) ?? []),
      // A command that the user ran has no exit code.
      exitUnknown: exit === undefined,
      ...given({ exit }),
    };
  }
  if (state['status'] !== 'error') return undefined;
  const text = textOf(state['error']) ?? '';
  const isDenied = REJECTED.test(text);
  const isAborted = metadata['interrupted'] === true || text === ABORTED;
  return {
    id,
    status: isDenied ? 'denied' : isAborted ? 'interrupted' : 'error',
    text,
    changed: [],
    exitUnknown: true,
    ...given({ said: isDenied ? SAID.exec(text)?.[1]?.trim() : undefined }),
  };
}

function outputOf(tool: string, output: string, metadata: JsonObject): string {
  if (tool !== 'read') return output;
  const { display } = metadata;
  const shown = isObject(display) ? textOf(display['text']) : undefined;
  return shown ?? READ_CONTENT.exec(output)?.[1]?.replace(LINE_NUMBER, '') ?? output;
}
