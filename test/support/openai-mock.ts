/**
 * Plays a model with OpenAI's two streaming interfaces on loopback: responses (Codex) and chat completions (Qwen Code).
 * Every request gets the same short text. Keeps the bodies of the requests and never a key.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OpenAiMock {
  /** Ends in /v1. */
  readonly url: string;
  /** Bodies of the requests to the model, in order of arrival. */
  readonly requests: string[];
  close(): Promise<void>;
}

const ANSWER = 'Noted.';
const TOKENS = 10;

export async function startOpenAiMock(): Promise<OpenAiMock> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, requests).catch((error: unknown) => response.destroy(error as Error));
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
  return { url: `http://127.0.0.1:${port}/v1`, requests, close };
}

async function answer(request: IncomingMessage, response: ServerResponse, requests: string[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'GET' && pathname === '/v1/models')
    return void json(response, 200, { object: 'list', data: [], models: [] });
  const send = { '/v1/responses': sendResponse, '/v1/chat/completions': sendChat }[pathname];
  if (!send) return void json(response, 404, { error: { message: `no such path: ${pathname}` } });
  const body = Buffer.concat(chunks).toString('utf8');
  requests.push(body);
  send(response, JSON.parse(body) as Asked);
}

interface Asked {
  readonly model?: string;
  readonly stream?: boolean;
}

/** The events of one message, as the Responses API streams them. */
function sendResponse(response: ServerResponse, { model }: Asked): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sequence = 0;
  const send = (type: string, data: object): void => {
    const event = { type, sequence_number: sequence++, ...data };
    response.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const base = { id: 'resp_1', object: 'response', created_at: 0, model, status: 'in_progress', output: [] };
  const message = { type: 'message', id: 'msg_1', role: 'assistant' };
  const content = [{ type: 'output_text', text: ANSWER, annotations: [] }];
  const done = { ...message, status: 'completed', content };
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  send('response.created', { response: base });
  send('response.output_item.added', {
    output_index: 0,
    item: { ...message, status: 'in_progress', content: [] },
  });
  send('response.output_text.delta', { ...place, delta: ANSWER });
  send('response.output_text.done', { ...place, text: ANSWER });
  send('response.output_item.done', { output_index: 0, item: done });
  const usage = { input_tokens: TOKENS, output_tokens: TOKENS, total_tokens: 2 * TOKENS };
  send('response.completed', { response: { ...base, status: 'completed', output: [done], usage } });
  response.end();
}

function sendChat(response: ServerResponse, { model, stream }: Asked): void {
  const base = { id: 'chatcmpl-1', created: 0, model };
  const usage = { prompt_tokens: TOKENS, completion_tokens: TOKENS, total_tokens: 2 * TOKENS };
  if (!stream) {
    const message = { role: 'assistant', content: ANSWER };
    const choices = [{ index: 0, finish_reason: 'stop', message }];
    return void json(response, 200, { ...base, object: 'chat.completion', choices, usage });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choices: readonly object[], more = {}): void => {
    const chunk = { ...base, object: 'chat.completion.chunk', choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  send([{ index: 0, delta: { role: 'assistant', content: ANSWER }, finish_reason: null }]);
  send([{ index: 0, delta: {}, finish_reason: 'stop' }]);
  send([], { usage });
  response.end('data: [DONE]\n\n');
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
