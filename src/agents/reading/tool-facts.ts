/** Reduces a tool call and its result to the facts a turn stores. File contents and long outputs are not stored. */
import { given, namedSymbols, type ToolCall } from '../../core/index.ts';
import { redact } from '../../privacy/index.ts';
import { abbreviate, oneLine } from './abbreviate.ts';
import { definedByEdit, definitionsIn } from './defined.ts';
import { objectsIn, textOf, type JsonObject } from './json.ts';
import { quotedFrom, quotesIn } from './quoted.ts';

/** A call as the client records it, with the names of tools and inputs that all readers use: Bash, Read, Edit, Write. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface ToolResult {
  readonly id: string;
  readonly status: 'ok' | 'error' | 'denied' | 'interrupted';
  readonly text: string;
  readonly exit?: number;
  readonly changed: readonly string[];
  /** The user's answer instead of a permission. */
  readonly said?: string;
  /** It continued in the background, or the client took its exit code for no failure: 0 cannot be assumed. */
  readonly exitUnknown: boolean;
}

/** A call before its result. Inputs may be whole files, so only the facts are buffered. */
export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly target?: string;
  readonly command?: string;
  readonly file?: string;
  /** Names that the text of an edit defines. */
  readonly defined?: readonly string[];
  /** The words that a note by tool rests on. */
  readonly quote?: string;
}

const OUTPUT_LIMIT = 4000; // as much as a user reads before opening the original
const TARGET_LIMIT = 300; // one line in a list
const ERROR_LINE_LIMIT = 300;
const ERROR_LINES = 5;

const READING = new Set(['Read', 'NotebookRead']);
const EDITING = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);
const SHELL = new Set(['Bash', 'PowerShell']);
const NOTING = /__(?:remember|resolve)$/;
/** Inputs that describe a call, the most specific first. */
const DESCRIPTIVE_INPUTS = [
  'pattern',
  'url',
  'query',
  'description',
  'subject',
  'skill',
  'task_id',
  'shell_id',
  'name',
  'path',
  'prompt',
];

const ERROR_LINE =
  /\b(?:error|exception|traceback|fatal|panic|failed|failure|not found|no such file|cannot|can't|denied|refused|unknown|invalid)\b|\bE[A-Z]{4,}\b|✗|✘|\bFAIL\b/i;
/** A command that succeeded may have printed an error too, but then only a plain one counts. */
const PLAIN_ERROR_LINE = /^\s*(?:\w*Error\b|error[:[ ]|fatal:|panic:|Traceback |FAIL\b|npm ERR!|✗|✘)/;

/** Of a longer text only both ends are redacted, because only lines of its ends are stored. */
const MAX_REDACTED = 512 * 1024;

export function pendingCall(use: ToolUse): PendingCall {
  const { id, name, input } = use;
  const file = textOf(input['file_path']) ?? textOf(input['notebook_path']);
  const command = SHELL.has(name) ? textOf(input['command']) : undefined;
  const target = command === undefined ? (file ?? descriptiveInput(input)) : undefined;
  return {
    id,
    name,
    ...(target === undefined ? {} : { target: oneLine(target, TARGET_LIMIT) }),
    ...(command === undefined ? {} : { command: abbreviate(cuttable(command), OUTPUT_LIMIT) }),
    ...given({
      file,
      defined: EDITING.has(name) ? definedByEdit(input) : undefined,
      quote: NOTING.test(name) ? textOf(input['quote']) : undefined,
    }),
  };
}

/** The words of the turn that decide what is kept of a file. */
export interface Said {
  /** Words that notes rest on. They are kept if the file that was read contains them. */
  readonly quotes: readonly string[];
  /** Names of code that are mentioned. Those that a file defines are kept. */
  readonly mentioned: ReadonlySet<string>;
  readonly cwd: string;
}

const NOTHING_SAID: Said = { quotes: [], mentioned: new Set(), cwd: '' };

export function toolCall(
  call: PendingCall,
  result: ToolResult | undefined,
  { quotes, mentioned, cwd }: Said = NOTHING_SAID,
): ToolCall {
  const status = result?.status ?? 'unknown';
  const files = status === 'ok' && call.file !== undefined ? [call.file] : [];
  const exit = result === undefined ? undefined : exitOf(call, result);
  const output = result === undefined ? undefined : outputOf(call, result, quotes);
  return {
    id: call.id,
    name: call.name,
    status,
    errors: result === undefined ? [] : errorLines(call, result),
    read: READING.has(call.name) ? files : [],
    edited: [...new Set([...(EDITING.has(call.name) ? files : []), ...(result?.changed ?? [])])],
    ...given({ target: call.target, command: call.command, exit, output }),
    ...definitions(call, result, mentioned, cwd),
  };
}

function definitions(
  { file, command, defined }: PendingCall,
  result: ToolResult | undefined,
  mentioned: ReadonlySet<string>,
  cwd: string,
): Pick<ToolCall, 'defines'> {
  if (result?.status !== 'ok') return {};
  const looked = { ...given({ file, command, edited: defined }), text: result.text };
  const defines = definitionsIn(looked, mentioned, cwd);
  return defines.length > 0 ? { defines } : {};
}

/** A call and its result, if it has one. */
export interface Call {
  readonly pending: PendingCall;
  readonly result?: ToolResult;
}

/** Returns the facts of all calls of a turn. */
export function toolCalls(
  calls: readonly Call[],
  { prompt, answer, cwd }: { readonly prompt: string; readonly answer: string; readonly cwd: string },
): readonly ToolCall[] {
  const said: Said = {
    quotes: [...quotesIn(answer), ...calls.flatMap(({ pending }) => pending.quote ?? [])],
    mentioned: namedSymbols(`${prompt}\n${answer}`),
    cwd,
  };
  return calls.map(({ pending, result }) => toolCall(pending, result, said));
}

/** A command that the user ran with `!` in the prompt. Only its output is recorded, so its text shows a failure. */
export function shellCall(id: string, command: string, stdout: string, stderr: string): ToolCall {
  const call: PendingCall = { id, name: 'Bash', command: abbreviate(command, OUTPUT_LIMIT) };
  const text = [stdout, stderr].filter(Boolean).join('\n');
  const exit = /\b(?:exit|exited with) code (\d{1,3})\b/i.exec(stderr)?.[1];
  const failed = exit !== undefined && exit !== '0';
  const result: ToolResult = {
    id,
    status: failed ? 'error' : 'ok',
    text,
    changed: [],
    exitUnknown: true,
    ...(exit === undefined ? {} : { exit: Number(exit) }),
  };
  const facts = toolCall(call, result);
  return !failed && stderr !== '' ? { ...facts, status: 'unknown' } : facts;
}

function exitOf(call: PendingCall, result: ToolResult): number | undefined {
  if (result.exit !== undefined) return result.exit;
  return SHELL.has(call.name) && result.status === 'ok' && !result.exitUnknown ? 0 : undefined;
}

/** Omits the result of a successful read or edit, which is the file itself, and of a denial, which is a fixed text. */
function outputOf(call: PendingCall, result: ToolResult, quotes: readonly string[]): string | undefined {
  const isOk = result.status === 'ok';
  if (READING.has(call.name) && isOk) return quotedFrom(result.text, quotes);
  if (result.text === '' || result.status === 'denied' || (EDITING.has(call.name) && isOk)) return undefined;
  const output = abbreviate(cuttable(result.text), OUTPUT_LIMIT);
  if (output === result.text) return output;
  return [output, quotedFrom(result.text, quotes) ?? []].flat().join('\n');
}

function errorLines(call: PendingCall, result: ToolResult): readonly string[] {
  if (result.status === 'denied' || result.status === 'interrupted') return [];
  if (result.status === 'ok' && !SHELL.has(call.name)) return [];
  const lines = redacted(result.text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => (result.status === 'ok' ? PLAIN_ERROR_LINE : ERROR_LINE).test(line));
  const chosen = errors.length > 0 || result.status === 'ok' ? errors : lines.slice(-1);
  return chosen.slice(0, ERROR_LINES).map((line) => oneLine(line, ERROR_LINE_LIMIT));
}

/** Returns the text unchanged if it is stored whole, because the turn is redacted later. */
function cuttable(text: string): string {
  return text.length <= OUTPUT_LIMIT ? text : redacted(text);
}

/** Redacts before lines are cut out of a text: later redaction would not recognise a secret of several lines. */
function redacted(text: string): string {
  return redact(abbreviate(text, MAX_REDACTED)).text;
}

function descriptiveInput(input: JsonObject): string | undefined {
  for (const key of DESCRIPTIVE_INPUTS) {
    const text = textOf(input[key]);
    if (text !== undefined) return text;
  }
  const questions = objectsIn(input['questions']).flatMap((question) => textOf(question['question']) ?? []);
  return questions.length > 0 ? questions.join(' ') : undefined;
}
