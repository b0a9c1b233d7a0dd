/** The two HTTP protocols of model APIs: how to build a request, and where the response has the answer. Pure. */
import type { DriverAnswer, DriverRequest } from './driver.ts';

export interface Protocol {
  headers(key: string | undefined): Readonly<Record<string, string>>;
  body(request: DriverRequest, model: string, asText: boolean): object;
  /** Matches the body of a 400 that refuses the schema: then the request is sent again for text. */
  readonly refusesSchema: RegExp;
  read(response: string, model: string): DriverAnswer | undefined;
}

const MAX_OUTPUT_TOKENS = 2048;
const TOOL = 'StructuredOutput';

export const MESSAGES: Protocol = {
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key ? { 'x-api-key': key } : {}) }),
  body: (request, model, asText) => ({
    model,
    max_tokens: MAX_OUTPUT_TOKENS,
    system: request.system,
    messages: [{ role: 'user', content: promptOf(request, asText) }],
    // A forced tool enforces the schema on every model, also without structured output.
    ...(asText
      ? {}
      : {
          tools: [{ name: TOOL, description: 'Hand in the answer.', input_schema: request.schema }],
          tool_choice: { type: 'tool', name: TOOL },
        }),
  }),
  refusesSchema: /tool|schema/i,
  read: (response, asked) => {
    const json = parsed(response) as MessagesResponse | undefined;
    if (!Array.isArray(json?.content)) return undefined;
    const call = json.content.find((block) => block?.type === 'tool_use');
    const text = json.content.map((block) => (block?.type === 'text' ? (block.text ?? '') : '')).join('\n');
    const usage = json.usage ?? {};
    return {
      kind: 'answered',
      text: call ? JSON.stringify(call.input) : text,
      usage: {
        model: json.model ?? asked,
        inputTokens:
          count(usage.input_tokens) +
          count(usage.cache_creation_input_tokens) +
          count(usage.cache_read_input_tokens),
        outputTokens: count(usage.output_tokens),
        requests: 1,
      },
    };
  },
};

export const CHAT: Protocol = {
  headers: (key): Readonly<Record<string, string>> => (key ? { authorization: `Bearer ${key}` } : {}),
  body: (request, model, asText) => ({
    model,
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: promptOf(request, asText) },
    ],
    ...(asText
      ? {}
      : {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'answer', strict: true, schema: request.schema },
          },
        }),
  }),
  refusesSchema: /response_format|json_schema|schema/i,
  read: (response, asked) => {
    const json = parsed(response) as ChatResponse | undefined;
    const content = json?.choices?.[0]?.message?.content;
    if (typeof content !== 'string') return undefined;
    return {
      kind: 'answered',
      text: content,
      usage: {
        model: json?.model ?? asked,
        inputTokens: count(json?.usage?.prompt_tokens),
        outputTokens: count(json?.usage?.completion_tokens),
        // Zero may mean that the server does not know; then the price list counts.
        ...(typeof json?.usage?.cost === 'number' && json.usage.cost > 0 ? { usd: json.usage.cost } : {}),
        requests: 1,
      },
    };
  },
};

interface MessagesResponse {
  readonly model?: string;
  readonly content?: readonly ({
    readonly type?: string;
    readonly text?: string;
    readonly input?: unknown;
  } | null)[];
  readonly usage?: Readonly<Record<string, unknown>>;
}

interface ChatResponse {
  readonly model?: string;
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[];
  /** `cost` in dollars is OpenRouter's. */
  readonly usage?: Readonly<Record<string, unknown>>;
}

function promptOf(request: DriverRequest, asText: boolean): string {
  return asText ? `${request.prompt}\n\n${request.asText}` : request.prompt;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function parsed(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}
