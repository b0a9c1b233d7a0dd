/** Parses the result of a tool call: text, exit code, denial, and changed files. Shapes differ by version. */
import { isObject, objectsIn, textOf, type JsonObject } from '../../reading/json.ts';
import type { ToolResult } from '../../reading/tool-facts.ts';

const REJECTED = /^(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action)/;
const NOT_PERMITTED =
  /^(?:Error: )?(?:Claude requested permissions? to |Permission to use .{1,200} (?:has been denied|was denied)|User (?:rejected|chose to stay in plan mode))/;
/** Up to 2.1.197 only the result of a shell command says that it needed a permission. */
const SHELL_NOT_PERMITTED =
  /^(?:Error: )?(?:This command requires approval$|This Bash command contains multiple operations\. |Contains [a-z_]+$|[^\n]{1,4000} was blocked\. For security, Claude Code may only )/;
const INTERRUPTED = /\[Request interrupted by user/;
const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})\b/m;
const SAID = /the user said:\n([\s\S]+)$/;
const SAID_NOTE = /\n\nNote: The user's next message[\s\S]*$/;

export function resultsIn(line: JsonObject, content: unknown): readonly ToolResult[] {
  const blocks = objectsIn(content).filter((block) => block['type'] === 'tool_result');
  // `toolUseResult` is one per line: with several results its owner is unknown.
  const detail = blocks.length === 1 ? line['toolUseResult'] : undefined;
  return blocks.flatMap((block) => result(line, block, detail));
}

function result(line: JsonObject, block: JsonObject, detail: unknown): readonly ToolResult[] {
  const id = textOf(block['tool_use_id']);
  if (id === undefined) return [];
  const seen = blockText(block['content']);
  const facts = isObject(detail) ? detail : {};
  const exit = EXIT_CODE.exec(seen)?.[1];
  const said = REJECTED.test(seen) ? SAID.exec(seen)?.[1]?.replace(SAID_NOTE, '').trim() : undefined;
  return [
    {
      id,
      status: statusOf(line, block, seen, facts),
      text: outputOf(seen, facts),
      changed: changedFiles(facts),
      exitUnknown: facts['backgroundTaskId'] !== undefined || facts['returnCodeInterpretation'] !== undefined,
      ...(exit === undefined ? {} : { exit: Number(exit) }),
      ...(said === undefined || said === '' ? {} : { said }),
    },
  ];
}

function statusOf(
  line: JsonObject,
  block: JsonObject,
  seen: string,
  facts: JsonObject,
): ToolResult['status'] {
  if (textOf(line['toolDenialKind']) !== undefined) return 'denied';
  if (facts['interrupted'] === true) return 'interrupted';
  if (block['is_error'] !== true) return 'ok';
  if (INTERRUPTED.test(seen)) return 'interrupted';
  const denied = [REJECTED, NOT_PERMITTED, SHELL_NOT_PERMITTED].some((pattern) => pattern.test(seen));
  return denied ? 'denied' : 'error';
}

/** Prefers a shell's separate streams to the text that the model got. */
function outputOf(seen: string, facts: JsonObject): string {
  if (typeof facts['stdout'] !== 'string') return seen;
  return [textOf(facts['stdout']), textOf(facts['stderr'])].filter((text) => text !== undefined).join('\n');
}

function changedFiles(facts: JsonObject): readonly string[] {
  const diff = facts['bashEditDiff'];
  if (!isObject(diff)) return [];
  const listed = Array.isArray(diff['changedFiles']) ? diff['changedFiles'] : [];
  const named = [...listed, ...objectsIn(diff['files']).map((file) => file['filePath'])];
  return [...new Set(named.flatMap((path) => textOf(path) ?? []))];
}

function blockText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((block) => textOf(block['text']) ?? (block['type'] === 'image' ? '[image]' : ''))
    .filter(Boolean)
    .join('\n');
}
