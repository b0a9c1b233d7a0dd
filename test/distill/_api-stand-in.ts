/** A server on loopback that answers exactly what a test tells it to, byte for byte. Keeps what it was sent. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { replyOf } from './_driver-stage.ts';

export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  /** Answers only then. */
  readonly after?: Promise<unknown>;
  /** Never answers. */
  readonly hang?: boolean;
  /** Breaks the connection in the middle of the body. */
  readonly cut?: boolean;
}

export interface ApiStandIn {
  readonly url: string;
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: ApiBody;
  }[];
  /** The next replies; the last one is repeated. */
  script: readonly Scripted[];
}

export interface ApiBody {
  readonly model?: string;
  readonly system?: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: unknown;
  readonly tool_choice?: unknown;
}

export async function startApi(t: TestContext, script: readonly Scripted[] = []): Promise<ApiStandIn> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ApiBody;
    api.requests.push({ path: request.url ?? '', headers: request.headers, body });
    const step = api.script[Math.min(api.requests.length, api.script.length) - 1] ?? {};
    if (step.hang) return;
    await step.after;
    const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body ?? chatReply([]));
    response.writeHead(step.status ?? 200, { 'content-type': 'application/json', ...step.headers });
    if (!step.cut) return void response.end(text);
    response.write(text.slice(0, text.length / 2));
    response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const api: ApiStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    script,
  };
  return api;
}

export function chatReply(
  memories: readonly object[],
  usage = { prompt_tokens: 1200, completion_tokens: 80 },
): object {
  return said(JSON.stringify(replyOf(memories)), usage);
}

export function said(content: string, usage = { prompt_tokens: 1200, completion_tokens: 80 }): object {
  return { model: 'played-1', choices: [{ message: { role: 'assistant', content } }], usage };
}
