/**
 * Plays a model with Google's API on loopback, streaming and not, for Gemini CLI. A test says with `play` what the model
 * does for a prompt. The client's own history decides which step is next, so the stand-in keeps no state of a conversation.
 * Keeps the bodies of the requests and never a key.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the model: it calls tools, or it ends the turn with a text. */
export interface GeminiStep {
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly input: object }[];
}

export interface GeminiPart {
  readonly text?: string;
  readonly functionCall?: object;
  readonly functionResponse?: { readonly name?: string; readonly response?: { readonly output?: string } };
}

/** The part of a request that tests look at. */
export interface GeminiRequest {
  readonly contents: readonly { readonly role?: string; readonly parts?: readonly GeminiPart[] }[];
  readonly systemInstruction?: unknown;
  readonly tools?: readonly unknown[];
}

export interface GeminiStandIn {
  /** The base URL for the client. */
  readonly url: string;
  /** Requests to the model, in order of arrival. */
  readonly requests: GeminiRequest[];
  /** From now on a conversation with this prompt gets these answers, then `Done.` Replaces what was played before. */
  play(prompt: string, steps: readonly GeminiStep[]): void;
  close(): Promise<void>;
}

const DONE: GeminiStep = { text: 'Done.' };
/** For requests without tools: titles and summaries. */
const ASIDE: GeminiStep = { text: 'A short summary' };

export async function startGeminiStandIn(): Promise<GeminiStandIn> {
  const requests: GeminiRequest[] = [];
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
    url: `http://127.0.0.1:${port}`,
    requests,
    play: (prompt, steps) => (script = { prompt, steps }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Everything that the model can read in the conversation of a request, tool results included. */
export function requestText(request: GeminiRequest | undefined): string {
  return (request?.contents ?? []).map(({ parts = [] }) => parts.map(partText).join('\n')).join('\n');
}

/** Requests of the conversation. Titles and summaries are asked for without tools. */
export function isConversation(request: GeminiRequest): boolean {
  return (request.tools?.length ?? 0) > 0;
}

function partText({ text, functionResponse }: GeminiPart): string {
  return text ?? functionResponse?.response?.output ?? '';
}

interface Script {
  readonly prompt: string;
  readonly steps: readonly GeminiStep[];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: GeminiRequest[],
  script: () => Script,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = request.url ?? '/';
  if (url.includes(':countTokens')) return sendJson(response, 200, { totalTokens: 100 });
  if (request.method !== 'POST' || !/[gG]enerateContent/.test(url))
    return sendJson(response, 404, { error: { code: 404, message: 'no such path', status: 'NOT_FOUND' } });
  // The client is the real one: what it sends is such a request.
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as GeminiRequest;
  requests.push(body);
  const parts = partsOf(isConversation(body) ? stepOf(body, script()) : ASIDE);
  if (!url.includes('streamGenerateContent')) return sendJson(response, 200, part(parts, true));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [at, one] of parts.entries())
    response.write(`data: ${JSON.stringify(part([one], at === parts.length - 1))}\r\n\r\n`);
  response.end();
}

/** Counts the answers after the newest message with the prompt. Injected context may be part of it. */
function stepOf({ contents }: GeminiRequest, { prompt, steps }: Script): GeminiStep {
  const at = contents.findLastIndex(
    ({ role, parts = [] }) =>
      role === 'user' && prompt !== '' && parts.some(({ text }) => text?.includes(prompt)),
  );
  if (at < 0) return DONE;
  const done = contents.slice(at + 1).filter(({ role }) => role === 'model').length;
  return steps[done] ?? DONE;
}

function partsOf({ text, tools = [] }: GeminiStep): readonly object[] {
  return [
    ...(text === undefined ? [] : [{ text }]),
    ...tools.map(({ name, input }) => ({
      functionCall: { id: `call_${Math.random().toString(16).slice(2, 14)}`, name, args: input },
    })),
  ];
}

function part(parts: readonly object[], isLast: boolean): object {
  const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 10, totalTokenCount: 1010 };
  const content = { role: 'model', parts };
  return {
    candidates: [{ index: 0, content, ...(isLast ? { finishReason: 'STOP' } : {}) }],
    modelVersion: 'stand-in',
    usageMetadata,
  };
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
