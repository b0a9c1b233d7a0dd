/**
 * Plays a model with OpenAI's chat completions on loopback, streaming and not: Copilot, Qwen Code, OpenCode and pi speak it.
 * A test says with `play` what the model does for a prompt. The client's own history decides which step is next, so the
 * stand-in keeps no state of a conversation. Keeps the bodies of the requests and never a key.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the model: it calls tools, or it ends the turn with a text. */
export interface ChatStep {
  readonly text?: string;
  readonly thinking?: string;
  readonly tools?: readonly { readonly name: string; readonly input: object }[];
  /** An HTTP error instead of an answer. */
  readonly error?: number;
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly tool_calls?: readonly object[];
}

/** The part of a request that tests look at. */
export interface ChatRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
}

export interface ChatStandIn {
  /** The base URL for clients; ends in /v1. */
  readonly url: string;
  /** Requests to the model, in order of arrival. */
  readonly requests: ChatRequest[];
  /** From now on a conversation with this prompt gets these answers, then `Done.` Replaces what was played before. */
  play(prompt: string, steps: readonly ChatStep[]): void;
  close(): Promise<void>;
}

const CHARS_PER_TOKEN = 4;
/** For requests without tools: titles and summaries. */
const ASIDE: ChatStep = { text: 'A short title' };
const DONE: ChatStep = { text: 'Done.' };

export async function startChatStandIn(): Promise<ChatStandIn> {
  const requests: ChatRequest[] = [];
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

/** Text of one message. */
export function chatText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('\n');
}

/** Everything that the model can read in a request, tool results included. */
export function requestText(request: ChatRequest | undefined): string {
  return (request?.messages ?? []).map(chatText).join('\n');
}

/** Requests of the conversation. Titles and summaries are asked for without tools. */
export function isConversation(request: ChatRequest): boolean {
  return (request.tools?.length ?? 0) > 0;
}

interface Script {
  readonly prompt: string;
  readonly steps: readonly ChatStep[];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: ChatRequest[],
  script: () => Script,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'GET' && pathname.startsWith('/v1/models'))
    return sendJson(response, 200, { object: 'list', data: [{ id: 'stand-in', object: 'model' }] });
  if (request.method !== 'POST' || pathname !== '/v1/chat/completions')
    return sendJson(response, 404, { error: { message: `no such path: ${pathname}` } });
  // The client is the real one: what it sends is a chat request.
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ChatRequest;
  requests.push(body);
  const step = isConversation(body) ? stepOf(body, script()) : ASIDE;
  if (step.error !== undefined)
    return sendJson(response, step.error, {
      error: { message: `error ${step.error}`, type: 'server_error' },
    });
  if (body.stream) stream(response, body, step);
  else sendJson(response, 200, whole(body, step));
}

/** Counts the answers after the newest message with the prompt. Injected context may be a message of the user too. */
function stepOf({ messages }: ChatRequest, { prompt, steps }: Script): ChatStep {
  const at = messages.findLastIndex(
    (message) => message.role === 'user' && prompt !== '' && chatText(message).includes(prompt),
  );
  if (at < 0) return DONE;
  const done = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
  return steps[done] ?? DONE;
}

function toolCalls({ tools = [] }: ChatStep): readonly object[] {
  return tools.map(({ name, input }, index) => ({
    index,
    id: `call_${Math.random().toString(16).slice(2, 14)}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function usageOf(body: ChatRequest, step: ChatStep): object {
  const [prompt_tokens, completion_tokens] = [body, step].map((part) =>
    Math.ceil(JSON.stringify(part).length / CHARS_PER_TOKEN),
  ) as [number, number];
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function whole(body: ChatRequest, step: ChatStep): object {
  const tool_calls = toolCalls(step);
  const message = {
    role: 'assistant',
    content: step.text ?? null,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
  const finish_reason = tool_calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    ...head(body, 'chat.completion'),
    usage: usageOf(body, step),
    choices: [{ index: 0, finish_reason, message }],
  };
}

function stream(response: ServerResponse, body: ChatRequest, step: ChatStep): void {
  const base = head(body, 'chat.completion.chunk');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (value: object): void => void response.write(`data: ${JSON.stringify(value)}\n\n`);
  const send = (delta: object, finish_reason: string | null = null): void =>
    write({ ...base, choices: [{ index: 0, delta, finish_reason }] });
  const calls = toolCalls(step);
  send({ role: 'assistant', content: '' });
  if (step.thinking !== undefined) send({ reasoning_content: step.thinking });
  if (step.text !== undefined) send({ content: step.text });
  for (const call of calls) send({ tool_calls: [call] });
  send({}, calls.length > 0 ? 'tool_calls' : 'stop');
  write({ ...base, choices: [], usage: usageOf(body, step) });
  response.end('data: [DONE]\n\n');
}

function head({ model }: ChatRequest, object: string): object {
  return { id: `chatcmpl-${Math.random().toString(16).slice(2, 14)}`, object, created: 0, model };
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
