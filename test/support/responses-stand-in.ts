/**
 * Plays a model with OpenAI's responses API on loopback, which Codex speaks. A test says with `play` what the model does for a
 * prompt. The client's own history decides which step is next, so the stand-in keeps no state of a conversation. Keeps the
 * bodies of the requests and never a key.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the model: it calls tools, or it ends the turn with a text. */
export interface ResponsesStep {
  readonly text?: string;
  readonly tools?: readonly ResponsesCall[];
  /** An HTTP error instead of an answer. */
  readonly error?: number;
}

export interface ResponsesCall {
  readonly name: string;
  /** Where the tool is of an MCP server: `mcp__tidemark`. */
  readonly namespace?: string;
  /** A text for tools that take one, such as `apply_patch`. */
  readonly input: object | string;
}

export interface ResponsesItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly output?: unknown;
}

/** The part of a request that tests look at. */
export interface ResponsesRequest {
  readonly model?: string;
  readonly instructions?: string;
  readonly input: readonly ResponsesItem[];
}

export interface ResponsesStandIn {
  /** The base URL for clients; ends in /v1. */
  readonly url: string;
  /** Requests to the model, in order of arrival. */
  readonly requests: ResponsesRequest[];
  /** From now on a conversation with this prompt gets these answers, then `Done.` Replaces what was played before. */
  play(prompt: string, steps: readonly ResponsesStep[]): void;
  close(): Promise<void>;
}

const DONE: ResponsesStep = { text: 'Done.' };

interface Script {
  readonly prompt: string;
  readonly steps: readonly ResponsesStep[];
}

export async function startResponsesStandIn(): Promise<ResponsesStandIn> {
  const requests: ResponsesRequest[] = [];
  let script: Script = { prompt: '', steps: [] };
  const server = createServer((request, response) => {
    void answer(request, response, requests, () => script).catch((error: unknown) =>
      response.destroy(error as Error),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server has no other kind of address
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    play: (prompt, steps) => (script = { prompt, steps }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Everything that the model can read in a request, tool results included. */
export function requestText(request: ResponsesRequest | undefined): string {
  return (request?.input ?? [])
    .map((item) => `${itemText(item)}${item.output === undefined ? '' : JSON.stringify(item.output)}`)
    .join('\n');
}

function itemText({ content }: ResponsesItem): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('\n');
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: ResponsesRequest[],
  script: () => Script,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'GET' && pathname.startsWith('/v1/models'))
    return sendJson(response, 200, { object: 'list', data: [], models: [] });
  if (request.method !== 'POST' || pathname !== '/v1/responses')
    return sendJson(response, 404, { error: { message: `no such path: ${pathname}` } });
  // The client is the real one: what it sends is a request of this API.
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ResponsesRequest;
  requests.push(body);
  const step = stepOf(body, script());
  if (step.error !== undefined)
    return sendJson(response, step.error, {
      error: { message: `error ${step.error}`, type: 'server_error' },
    });
  stream(response, body, step, requests.length);
}

/** Counts the answers after the newest message with the prompt. An answer may be several calls: their results follow it. */
function stepOf({ input }: ResponsesRequest, { prompt, steps }: Script): ResponsesStep {
  const at = input.findLastIndex(
    (item) => item.role === 'user' && prompt !== '' && itemText(item).includes(prompt),
  );
  if (at < 0) return DONE;
  const after = input.slice(at + 1);
  const done = after.filter((item, i) => isOfModel(item) && !isOfModel(after[i - 1])).length;
  return steps[done] ?? DONE;
}

function isOfModel(item: ResponsesItem | undefined): boolean {
  return item?.role === 'assistant' || (item?.type ?? '').endsWith('_call');
}

/** The events of one answer. `nth` makes ids unique. */
function stream(
  response: ServerResponse,
  { model }: ResponsesRequest,
  { text, tools = [] }: ResponsesStep,
  nth: number,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sequence = 0;
  const send = (type: string, data: object): void => {
    const event = { type, sequence_number: sequence++, ...data };
    response.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const base = { id: `resp_${nth}`, object: 'response', created_at: 0, model, status: 'in_progress' };
  const output: object[] = [];
  const add = (item: object, delta?: string): void => {
    const output_index = output.length;
    send('response.output_item.added', { output_index, item: { ...item, content: [] } });
    if (delta !== undefined)
      send('response.output_text.delta', { item_id: `msg_${nth}`, output_index, content_index: 0, delta });
    send('response.output_item.done', { output_index, item });
    output.push(item);
  };
  send('response.created', { response: { ...base, output } });
  if (text !== undefined) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    add({ type: 'message', id: `msg_${nth}`, role: 'assistant', status: 'completed', content }, text);
  }
  for (const [at, call] of tools.entries()) add(callItem(call, `${nth}_${at}`));
  const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
  send('response.completed', { response: { ...base, status: 'completed', output, usage } });
  response.end();
}

function callItem({ name, namespace, input }: ResponsesCall, id: string): object {
  const common = { id: `fc_${id}`, call_id: `call_${id}`, name, status: 'completed' };
  const named = namespace === undefined ? common : { ...common, namespace };
  return typeof input === 'string'
    ? { type: 'custom_tool_call', ...named, input }
    : { type: 'function_call', ...named, arguments: JSON.stringify(input) };
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
