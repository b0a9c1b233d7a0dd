/**
 * Translates Codex's tool calls into the names that all readers use. A call is recorded twice: as the model sent it
 * (`response_item`), and as the client carried it out (`item_completed`). The second is better, but is missing for a patch
 * that does not apply and for a command that the sandbox stopped.
 */
import { given, pathIn } from '../../../core/index.ts';
import { isObject, objectsIn, parseObject, textOf, type JsonObject } from '../../reading/json.ts';
import type { ToolResult, ToolUse } from '../../reading/tool-facts.ts';
import { changeOf, filesInPatch, type FilePatch } from '../../reading/patch.ts';

type Result = Omit<ToolResult, 'id'>;

/** One call as the client recorded it. A patch of several files becomes several uses. */
export interface MadeCall {
  readonly id: string;
  readonly uses: readonly ToolUse[];
  readonly result?: Result;
}

const SHELLS = /(?:^|[/\\])(?:ba|da|z|fi)?sh$|(?:^|[/\\])(?:pwsh|powershell)(?:\.exe)?$/i;
const SCRIPT_FLAG = /^-(?:l?c|Command)$/i;

/** The call as the model sent it; undefined for tools without facts: plans, waiting, the code of code mode. */
export function sentCall(payload: JsonObject, cwd: string): MadeCall | undefined {
  const id = textOf(payload['call_id']);
  const name = payload['type'] === 'local_shell_call' ? 'shell' : textOf(payload['name']);
  if (id === undefined || name === undefined) return undefined;
  const uses = usesOf(id, name, payload, cwd);
  return uses.length > 0 ? { id, uses } : undefined;
}

function usesOf(id: string, name: string, payload: JsonObject, cwd: string): readonly ToolUse[] {
  const input = inputOf(payload);
  const namespace = textOf(payload['namespace']) ?? '';
  if (namespace.startsWith('mcp__')) return [{ id, name: `${namespace}__${name}`, input }];
  if (name.startsWith('mcp__')) return [{ id, name, input }];
  const folder = pathIn(cwd, textOf(input['workdir']) ?? '.');
  switch (name) {
    case 'apply_patch':
      return editUses(id, filesInPatch(textOf(payload['input']) ?? textOf(input['input']) ?? ''), cwd);
    case 'exec_command':
    case 'shell':
    case 'shell_command': {
      const command = textOf(input['cmd']) ?? commandOf(input['command']);
      if (command === undefined) return [];
      const patched = /^\s*(?:cd \S+ && )?apply_patch\b/.test(command)
        ? editUses(id, filesInPatch(command), folder)
        : [];
      return patched.length > 0 ? patched : [{ id, name: 'Bash', input: { command } }];
    }
    case 'spawn_agent':
      return [taskUse(id, input['message'])];
    case 'view_image':
      return readUse(id, input['path'], cwd);
    default:
      return [];
  }
}

function inputOf(payload: JsonObject): JsonObject {
  const given = payload['arguments'] ?? payload['action'];
  if (isObject(given)) return given;
  return typeof given === 'string' ? (parseObject(given) ?? {}) : {};
}

/** Parses the result of a call as the model was shown it. */
export function shownResult(output: unknown): Result {
  const shown = shownText(output);
  const exit =
    shown.exit ?? numberIn(/^(?:Process exited with code|Exit code:) (\d{1,3})$/m.exec(shown.text)?.[1]);
  const [, body = shown.text] = /^Output:\n([\s\S]*)$/m.exec(shown.text) ?? [];
  const text = exit === undefined ? shown.text : body;
  return resultOf(statusOf(shown, exit), text, exit);
}

interface Shown {
  readonly text: string;
  readonly exit?: number;
  readonly failed?: boolean;
}

function statusOf({ text, failed }: Shown, exit: number | undefined): ToolResult['status'] {
  if (exit === 0) return 'ok';
  if (/\baborted by user\b/.test(text)) return 'interrupted';
  if (/\b(?:rejected by user|blocked by PreToolUse hook)\b/.test(text)) return 'denied';
  if (exit !== undefined) return 'error';
  return failed || /^(?:apply_patch verification failed|unsupported call|failed to|error)\b/i.test(text)
    ? 'error'
    : 'ok';
}

function shownText(output: unknown): Shown {
  if (Array.isArray(output)) return { text: contentText(output) };
  if (isObject(output)) return { text: contentText(output['content']), failed: output['success'] === false };
  const text = textOf(output) ?? '';
  const json = text.startsWith('{') ? parseObject(text) : undefined;
  const metadata = json?.['metadata'];
  if (!json || typeof json['output'] !== 'string' || !isObject(metadata)) return { text };
  return { text: json['output'], ...given({ exit: numberIn(metadata['exit_code']) }) };
}

/** A call as the client carried it out; undefined for items that are no calls. */
export function madeCall(item: JsonObject): MadeCall | undefined {
  const id = textOf(item['id']);
  if (id === undefined) return undefined;
  const status = statusIn(item['status']);
  switch (item['type']) {
    case 'CommandExecution': {
      const exit = numberIn(item['exit_code']);
      const text = textOf(item['aggregated_output']) ?? '';
      const input = { command: commandOf(item['command']) ?? '' };
      return { id, uses: [{ id, name: 'Bash', input }], result: resultOf(status, text, exit) };
    }
    case 'FileChange': {
      const text = [textOf(item['stdout']), textOf(item['stderr'])].filter(Boolean).join('\n');
      const files = changesIn(item['changes']);
      return { id, uses: editUses(id, files, '/'), result: resultOf(status, text) };
    }
    case 'McpToolCall': {
      const name = `mcp__${textOf(item['server']) ?? ''}__${textOf(item['tool']) ?? ''}`;
      const input = isObject(item['arguments']) ? item['arguments'] : {};
      return { id, uses: [{ id, name, input }], result: mcpResult(item, status) };
    }
    case 'CollabAgentToolCall':
      if (item['tool'] !== 'spawn_agent') return undefined;
      return { id, uses: [taskUse(id, item['prompt'])], result: resultOf(status, '') };
    case 'WebSearch':
      return {
        id,
        uses: [{ id, name: 'WebSearch', input: { query: item['query'] } }],
        result: resultOf(status, ''),
      };
    case 'ImageView':
      return { id, uses: readUse(id, item['path'], '/'), result: resultOf(status, '') };
    default:
      return undefined;
  }
}

/** The command that a user ran with `!` in the prompt. */
export function userCommand(item: JsonObject): string | undefined {
  const isOwn = item['type'] === 'CommandExecution' && item['source'] === 'user_shell';
  return isOwn ? commandOf(item['command']) : undefined;
}

/** Text of content blocks; the blocks of a message have several type names. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .flatMap((block) => textOf(block['text']) ?? [])
    .join('\n');
}

function mcpResult(item: JsonObject, status: ToolResult['status']): Result {
  const result = isObject(item['result']) ? item['result'] : {};
  const error = isObject(item['error']) ? textOf(item['error']['message']) : textOf(item['error']);
  const failed = result['isError'] === true || error !== undefined;
  const text = error ?? contentText(result['content']);
  return resultOf(failed && status === 'ok' ? 'error' : status, text);
}

function resultOf(status: ToolResult['status'], text: string, exit?: number): Result {
  return { status, text, changed: [], exitUnknown: exit === undefined, ...given({ exit }) };
}

function statusIn(status: unknown): ToolResult['status'] {
  switch (status) {
    case 'failed':
      return 'error';
    case 'declined':
      return 'denied';
    case 'interrupted':
      return 'interrupted';
    default:
      return 'ok';
  }
}

/** `["/bin/bash", "-lc", "cat a"]` → `cat a`. */
function commandOf(value: unknown): string | undefined {
  if (typeof value === 'string') return textOf(value);
  if (!Array.isArray(value)) return undefined;
  const words = value.filter((word) => typeof word === 'string');
  const [program = '', flag = '', script] = words;
  if (SHELLS.test(program) && SCRIPT_FLAG.test(flag) && script !== undefined) return script;
  return textOf(words.join(' '));
}

function taskUse(id: string, prompt: unknown): ToolUse {
  return { id, name: 'Task', input: { prompt } };
}

function readUse(id: string, path: unknown, cwd: string): readonly ToolUse[] {
  const file = textOf(path);
  return file === undefined ? [] : [{ id, name: 'Read', input: { file_path: pathIn(cwd, file) } }];
}

/** One use per file, with ids that follow from the call's. A moved file is changed in both places. */
function editUses(id: string, files: readonly FilePatch[], cwd: string): readonly ToolUse[] {
  const edits = files.flatMap(({ kind, path, movedTo, removed, added }): readonly Omit<ToolUse, 'id'>[] => {
    const file_path = pathIn(cwd, path);
    if (kind === 'add') return [{ name: 'Write', input: { file_path, content: added } }];
    const edit = { file_path: pathIn(cwd, movedTo ?? path), old_string: removed, new_string: added };
    const left = movedTo === undefined ? [] : [{ file_path, old_string: removed, new_string: '' }];
    return [...left, edit].map((input) => ({ name: 'Edit', input }));
  });
  return edits.map(({ name, input }, at) => ({ id: at === 0 ? id : `${id}#${at + 1}`, name, input }));
}

function changesIn(changes: unknown): readonly FilePatch[] {
  if (!isObject(changes)) return [];
  return Object.entries(changes).flatMap(([path, change]): readonly FilePatch[] => {
    if (!isObject(change)) return [];
    const content = textOf(change['content']) ?? '';
    switch (change['type']) {
      case 'add':
        return [{ kind: 'add', path, removed: '', added: content }];
      case 'delete':
        return [{ kind: 'delete', path, removed: content, added: '' }];
      case 'update': {
        const lines = (textOf(change['unified_diff']) ?? '').split('\n');
        const hunks = lines.slice(lines.findIndex((line) => line.startsWith('@@')));
        const movedTo = textOf(change['move_path']);
        return [{ kind: 'update', path, ...given({ movedTo }), ...changeOf(hunks) }];
      }
      default:
        return [];
    }
  });
}

function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}
