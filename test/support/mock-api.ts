/**
 * A stand-in for the Messages API on loopback, good enough to drive the real client. What it answers is decided in
 * mock-model.ts; here it is received, recorded and streamed back. Never keeps a key it was sent.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  decide,
  systemText,
  type Block,
  type ModelRequest,
  type ModelState,
  type Reply,
  type Rule,
} from './mock-model.ts';

export interface MockApi {
  readonly url: string;
  /** Requests to the model, in order of arrival. */
  readonly requests: ModelRequest[];
  /** Replies to give before anything else is considered. */
  readonly queue: Reply[];
  readonly rules: Rule[];
  close(): Promise<void>;
}

const DEFAULT_SUMMARY =
  '<analysis>mock analysis</analysis>\n<summary>MOCK SUMMARY: a scripted session.</summary>';
const CHARS_PER_TOKEN = 4;
const STREAM_CHUNK = /[\s\S]{1,400}/g;

export async function startMockApi(
  options: { rules?: readonly Rule[]; summary?: string } = {},
): Promise<MockApi> {
  const state: ModelState = {
    queue: [],
    rules: (options.rules ?? []).map((rule) => ({ ...rule })),
    summary: options.summary ?? DEFAULT_SUMMARY,
    errorsDone: new Map(),
  };
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, state, requests).catch((error: unknown) =>
      response.destroy(error as Error),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server has no other kind of address
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}`, requests, queue: state.queue, rules: state.rules, close };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  state: ModelState,
  requests: ModelRequest[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = request.url?.split('?')[0];
  if (request.method === 'HEAD' || path === '/') return void response.writeHead(200).end();
  if (request.method !== 'POST' || !path?.startsWith('/v1/messages')) {
    return sendJson(response, 404, errorBody('not_found_error', 'the mock has no such route'));
  }
  // The client is the real one: what it sends is a Messages request.
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest;
  if (path === '/v1/messages/count_tokens')
    return sendJson(response, 200, { input_tokens: tokensOf(body.messages) });
  requests.push(body);
  const reply = safelyDecide(body, state);
  // Nobody may be left to wait for it: then it must not keep the test's process alive.
  if (reply.delayMs) await delay(reply.delayMs, undefined, { ref: false });
  if (reply.error) {
    const { status, type = 'api_error', message = 'scripted error' } = reply.error;
    return sendJson(response, status, errorBody(type, message));
  }
  const message = toMessage(body, reply);
  if (body.stream) return sendStream(response, message);
  sendJson(response, 200, message);
}

/** A mistake in a directive shows up as the model's answer, where the test that wrote it will see it. */
function safelyDecide(body: ModelRequest, state: ModelState): Reply {
  try {
    return decide(body, state);
  } catch (error) {
    return { text: `mock: bad directive: ${String(error)}` };
  }
}

function toMessage(body: ModelRequest, reply: Reply) {
  const content: Block[] = [
    ...(reply.thinking ? [{ type: 'thinking', thinking: reply.thinking, signature: 'bW9jaw==' }] : []),
    ...(reply.text ? [{ type: 'text', text: reply.text }] : []),
    ...(reply.tools ?? []).map(({ name, input }) => ({ type: 'tool_use', id: draw('toolu'), name, input })),
  ];
  if (content.length === 0) content.push({ type: 'text', text: 'Done.' });
  return {
    id: draw('msg'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content,
    stop_reason: reply.stop_reason ?? (reply.tools?.length ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: {
      input_tokens: tokensOf(body.messages) + tokensOf(systemText(body)),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: tokensOf(content),
      service_tier: 'standard',
      ...reply.usage,
    },
  };
}

function sendStream(response: ServerResponse, message: ReturnType<typeof toMessage>): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': draw('req'),
  });
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  const started = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...message.usage, output_tokens: 1 },
  };
  send('message_start', { message: started });
  send('ping', {});
  for (const [index, block] of message.content.entries()) {
    const { start, deltas } = streamed(block);
    send('content_block_start', { index, content_block: start });
    for (const delta of deltas) send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  send('message_delta', {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: message.usage,
  });
  send('message_stop', {});
  response.end();
}

function streamed(block: Block): { start: object; deltas: object[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: (block.text?.match(STREAM_CHUNK) ?? []).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    default:
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
      };
  }
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': draw('req') });
  response.end(JSON.stringify(value));
}

function errorBody(type: string, message: string): object {
  return { type: 'error', error: { type, message } };
}

function tokensOf(value: unknown): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return Math.max(1, Math.ceil(text.length / CHARS_PER_TOKEN));
}

function draw(prefix: string): string {
  return `${prefix}_mock${randomBytes(9).toString('hex')}`;
}
