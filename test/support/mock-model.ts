/**
 * Decides the model's reply in tests from the request alone. First match wins: a queued reply, a rule, a
 * compaction request, an auxiliary JSON request, directives in the newest prompt, structured output, "OK: <prompt>".
 *
 * Directives let a test write the model's behaviour into the prompt, so that the client's own history says which step
 * is next (step N is played when the history after that prompt holds N assistant messages):
 *   [[tool Bash {"command":"echo hi"}]]                          one message that calls a tool
 *   [[tools Bash {"command":"a"} ;; Read {"file_path":"/x"}]]    one message, several calls
 *   [[think …]] [[pre …]]     thinking, or text, put before the next block
 *   [[say …]]                 a text message; ends the turn
 *   [[json {"a":1}]]          the argument of StructuredOutput, or JSON text
 *   [[error 529 overloaded_error x2]]   an HTTP error, twice
 *   [[sleep 1500]]            milliseconds before the next reply
 *   [[usage 150000]]          input tokens to report, e.g. to provoke compaction
 * Write "]\u005d" for "]]" inside a directive's JSON.
 */

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly content?: unknown;
}

export interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
}

interface Format {
  readonly type: string;
  readonly schema?: Schema;
}

/** The part of a Messages request that tests look at. */
export interface ModelRequest {
  readonly model: string;
  readonly system?: string | readonly Block[];
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly name: string; readonly input_schema?: Schema }[];
  readonly stream?: boolean;
  readonly output_config?: { readonly format?: Format };
  readonly output_format?: Format;
}

export interface Reply {
  text?: string;
  thinking?: string;
  tools?: readonly { readonly name: string; readonly input: unknown }[];
  json?: unknown;
  usage?: { readonly input_tokens: number };
  error?: {
    readonly status: number;
    readonly type?: string;
    readonly message?: string;
    readonly times?: number;
  };
  delayMs?: number;
  stop_reason?: string;
}

/** Every condition given must hold; strings are sources of regular expressions. */
export interface Rule {
  readonly when?: {
    readonly model?: string;
    readonly system?: string;
    readonly lastUser?: string;
    readonly prompt?: string;
    readonly hasTool?: string;
    /** How many assistant messages stand after the newest prompt. */
    readonly step?: number;
  };
  /** How often it may still answer; always, when not given. */
  times?: number;
  readonly reply: Reply;
}

export interface ModelState {
  readonly queue: Reply[];
  readonly rules: Rule[];
  readonly summary: string;
  readonly errorsDone: Map<string, number>;
}

const COMPACTION = /create a detailed summary of (the|this) conversation|summary of the RECENT portion/i;
const DIRECTIVE = /\[\[(tools?|think|pre|say|json|error|sleep|usage)\s+([\s\S]*?)\]\](?!\])/g;

export function decide(request: ModelRequest, state: ModelState): Reply {
  const queued = state.queue.shift();
  if (queued) return queued;
  const rule = state.rules.find(({ when, times }) => times !== 0 && matches(when ?? {}, request));
  if (rule) {
    if (rule.times !== undefined) rule.times -= 1;
    return rule.reply;
  }
  if (COMPACTION.test(textOf(request.messages.at(-1)))) return { text: state.summary };
  const { text, step } = newestPrompt(request.messages);
  const steps = parseDirectives(text);
  const format = request.output_config?.format ?? request.output_format;
  // Session titles, verdicts and the like are asked for beside the conversation: never a step of it.
  if (format?.type === 'json_schema' && !steps.some((reply) => reply.json)) {
    return { text: JSON.stringify(instanceOf(format.schema)) };
  }
  const structured = request.tools?.find((tool) => tool.name === 'StructuredOutput');
  if (steps.length > 0) return played(steps, step, text, structured?.name, state);
  if (structured && step === 0)
    return { tools: [{ name: structured.name, input: instanceOf(structured.input_schema) }] };
  return { text: `OK: ${text.slice(0, 200)}` };
}

/** Text of one message, tool results excluded. */
export function textOf(message: Message | undefined): string {
  if (!message) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n');
}

export function systemText({ system = '' }: ModelRequest): string {
  return typeof system === 'string' ? system : system.map((block) => block.text ?? '').join('\n');
}

/** The newest prompt of a person, and how many assistant messages came after it. */
export function newestPrompt(messages: readonly Message[]): { text: string; step: number } {
  for (const [index, message] of [...messages.entries()].reverse()) {
    const text = personsText(message);
    if (text === '') continue;
    return { text, step: messages.slice(index + 1).filter(({ role }) => role === 'assistant').length };
  }
  return { text: '', step: 0 };
}

/** Returns the user's text without the reminders that the client adds. */
export function personsText(message: Message): string {
  if (message.role !== 'user') return '';
  return textOf(message)
    .replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .replaceAll(/\[Request interrupted by user[^\]]*\]/g, '')
    .trim();
}

/** An error adds no assistant message, so errors are counted by prompt instead of by step. */
function played(
  steps: readonly Reply[],
  step: number,
  prompt: string,
  structured: string | undefined,
  state: ModelState,
): Reply {
  let position = 0;
  for (const reply of steps) {
    if (!reply.error) {
      if (position === step) return reply.json ? asJson(reply.json, structured) : reply;
      position += 1;
      continue;
    }
    const key = `${prompt} #${position}`;
    const done = state.errorsDone.get(key) ?? 0;
    if (position !== step || done >= (reply.error.times ?? 1)) continue;
    state.errorsDone.set(key, done + 1);
    return reply;
  }
  return { text: 'Done.' };
}

function asJson(value: unknown, structured: string | undefined): Reply {
  return structured ? { tools: [{ name: structured, input: value }] } : { text: JSON.stringify(value) };
}

function parseDirectives(prompt: string): Reply[] {
  const steps: Reply[] = [];
  let next: Reply = {};
  const end = (reply: Reply): void => {
    steps.push({ ...next, ...reply });
    next = next.usage ? { usage: next.usage } : {};
  };
  for (const [, kind, argument = ''] of prompt.matchAll(DIRECTIVE)) {
    if (kind === 'tool') end({ tools: [toCall(argument)] });
    else if (kind === 'tools') end({ tools: argument.split(';;').map(toCall) });
    else if (kind === 'say') end({ text: argument });
    else if (kind === 'json') end({ json: JSON.parse(argument) });
    else if (kind === 'error') end({ error: toError(argument) });
    else if (kind === 'think') next.thinking = argument;
    else if (kind === 'pre') next.text = argument;
    else if (kind === 'sleep') next.delayMs = Number(argument);
    else if (kind === 'usage') next.usage = { input_tokens: Number(argument) };
  }
  return steps;
}

function toCall(text: string): { name: string; input: unknown } {
  const [, name = '', input = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  return { name, input: input.trim() ? JSON.parse(input) : {} };
}

function toError(text: string): NonNullable<Reply['error']> {
  const [status, type = 'api_error', times = 'x1'] = text.trim().split(/\s+/);
  return { status: Number(status), type, times: Number(times.slice(1)) };
}

/** A smallest value that fits a JSON schema. */
function instanceOf(schema: Schema = {}): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return instanceOf(choice[0]);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'object': {
      const names = schema.required ?? Object.keys(schema.properties ?? {});
      return Object.fromEntries(names.map((name) => [name, instanceOf(schema.properties?.[name])]));
    }
    case 'array':
      return schema.minItems ? [instanceOf(schema.items)] : [];
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'mock';
  }
}

function matches(when: NonNullable<Rule['when']>, request: ModelRequest): boolean {
  const fits = (pattern: string | undefined, text: string): boolean =>
    !pattern || new RegExp(pattern, 's').test(text);
  const { text, step } = newestPrompt(request.messages);
  return (
    fits(when.model, request.model) &&
    fits(when.system, systemText(request)) &&
    fits(when.lastUser, textOf(request.messages.at(-1))) &&
    fits(when.prompt, text) &&
    (when.step === undefined || when.step === step) &&
    (!when.hasTool || (request.tools ?? []).some(({ name }) => name === when.hasTool))
  );
}
