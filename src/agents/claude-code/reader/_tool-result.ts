/** What came back from a tool call: text, exit code, denied or not, and files it changed. Shapes differ by version. */
import { isObject, objectsIn, textOf, type JsonObject } from './_json.ts';

export interface ToolResult {
  readonly id: string;
  readonly status: 'ok' | 'error' | 'denied' | 'interrupted';
  readonly text: string;
  readonly exit?: number;
  readonly changed: readonly string[];
  /** What the person answered instead of permitting it. */
  readonly said?: string;
  /** It went on in the background, or its exit code was read as no failure: an exit of 0 is not known. */
  readonly exitUnknown: boolean;
}

const REJECTED = /^(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action)/;
const NOT_PERMITTED =
  /^(?:Error: )?(?:Claude requested permissions? to |Permission to use .{1,200} (?:has been denied|was denied)|User (?:rejected|chose to stay in plan mode))/;
/** Up to 2.1.197 a shell command that would have needed a permission says so only in its result. */
const SHELL_NOT_PERMITTED =
  /^(?:Error: )?(?:This command requires approval$|This Bash command contains multiple operations\. |Contains [a-z_]+$|[^\n]{1,4000} was blocked\. For security, Claude Code may only )/;
const INTERRUPTED = /\[Request interrupted by user/;
const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})\b/m;
const SAID = /the user said:\n([\s\S]+)$/;
const SAID_NOTE = /\n\nNote: The user's next message[\s\S]*$/;

export function resultsIn(line: JsonObject, content: unknown): readonly ToolResult[] {
  const blocks = objectsIn(content).filter((block) => block['type'] === 'tool_result');
  // `toolUseResult` belongs to the line: with several results on it, it cannot be told whose it is.
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

/** A shell's streams apart from each other say more than what the model was shown. */
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
